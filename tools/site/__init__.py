"""The course as static files: reading pages, and JupyterLite beside them."""
