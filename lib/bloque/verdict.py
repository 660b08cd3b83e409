"""The colours of right and wrong, wherever an answer is judged.

The course's own green, vermilion and grey, which colour-blind readers tell apart; a sign and words say the same beside them.
"""

from __future__ import annotations

GOOD, BAD, OPEN = "#009E73", "#D55E00", "#8A8A8A"
