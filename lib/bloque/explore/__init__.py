"""The engine that turns a figure and some controls into an explorer. It knows no lesson."""

from . import style
from .explorer import Explorer, ExplorerError
from .grid import Choice, Numbers, Powers, Sentence, Slider, Switch
from .guess import Guess
from .picture import Picture
from .running import RunningPicture

__all__ = [
    "Choice",
    "Explorer",
    "ExplorerError",
    "Guess",
    "Numbers",
    "Picture",
    "Powers",
    "RunningPicture",
    "Sentence",
    "Slider",
    "Switch",
    "style",
]
