"""The workshop: builds the notebooks and the site, makes the data. A reader of the course needs none of it."""
