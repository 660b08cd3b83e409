"""Running a learner's function: on copies, in silence, with a deadline, whatever it does."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import sys
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, TracebackType
from typing import Any

import numpy as np

from bloque.checks.exercise import Function
from bloque.clock import own_seconds

SECONDS = 4.0  # of work, for all the calls of one check together
PATIENCE = 5  # times as long by the clock, for a busy machine, or a loop that sleeps
PRINTED = 20_000  # characters kept of what a candidate prints


class TookTooLong(BaseException):
    """Raised inside a candidate whose time is over.

    Not an Exception, so that ``except Exception`` in a loop does not swallow it. A bare ``except:``
    does, and Python stops tracing when a trace function raises: so when the swallowed exception is
    thrown away it switches the trace on again and the next line raises once more.
    """

    def __init__(self, deadline: Deadline, frame: FrameType) -> None:
        super().__init__()
        self.deadline, self.frame = deadline, frame

    def __del__(self) -> None:
        if self.deadline.active:
            self.frame.f_trace = self.deadline.trace
            sys.settrace(self.deadline.trace)


class Deadline:
    """Stops Python code that runs on after ``seconds`` of its own thread's work, by a trace.

    What others do meanwhile, a training that runs or frames drawn ahead, costs it nothing but patience.
    A trace needs neither signals nor threads, so it works on every system, in any thread and in the
    browser's kernel. It acts between two lines of Python: one long call inside NumPy runs to its end.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.work, self.clock = 0.0, 0.0  # when it is over
        self.active = False

    def over(self) -> bool:
        """Whether the time is up, by its own work or by the clock on the wall."""
        return own_seconds() > self.work or time.monotonic() > self.clock

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Code in this block is stopped when the time is up; the trace that was there before is put back."""
        before = sys.gettrace()
        if not self.work:  # the time runs from the first call on
            self.work = own_seconds() + self.seconds
            self.clock = time.monotonic() + PATIENCE * self.seconds
        self.active = True
        sys.settrace(self.trace)
        try:
            yield
        finally:
            self.active = False
            sys.settrace(before)

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        """What Python calls at every line: it raises TookTooLong when the time is up."""
        if frame.f_code.co_name == "<module>" or frame.f_code.co_filename.startswith("<frozen importlib"):
            return None  # an import takes as long as it takes
        if self.active and self.over():
            raise TookTooLong(self, frame)
        return self.trace


@dataclass(frozen=True)
class Failure:
    """An exception of the candidate's, cut down to what its author can use."""

    kind: str  # "ValueError"
    message: str
    line: int | None  # the last line of the author's own code, and its number in the cell
    source: str


@dataclass(frozen=True)
class Outcome:
    """What one call did."""

    value: Any = None
    failure: Failure | None = None
    endless: bool = False
    wrote: tuple[int, ...] = ()  # the places of the arguments it wrote to
    printed: str = ""


def run(function: Function, args: tuple[Any, ...], deadline: Deadline | None = None) -> Outcome:
    """Call ``function`` with copies of ``args``; whatever happens is in the outcome."""
    given = copied(args)
    printed = _Limited()
    value, failure = None, None
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(np.errstate(all="ignore"))
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            stack.enter_context(contextlib.redirect_stdout(printed))
            stack.enter_context(contextlib.redirect_stderr(printed))
            if deadline is not None:
                stack.enter_context(deadline.watching())
            value = function(*given)
            if isinstance(value, Iterator):  # a generator runs when it is read: read it here, and only so far
                value = [item for item, _ in zip(value, range(100_000), strict=False)]
    except TookTooLong:
        return Outcome(endless=True, printed=printed.getvalue())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a candidate may call exit(), and that too is an answer
        failure = _failure(error, getattr(function, "__code__", None))
    wrote = tuple(i for i, (before, after) in enumerate(zip(args, given, strict=True)) if not _unchanged(before, after))
    return Outcome(value=value, failure=failure, wrote=wrote, printed=printed.getvalue())


def copied(value: Any) -> Any:
    """The same arrays and lists, none of them shared."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(copied(part) for part in value))
    if isinstance(value, list | tuple):
        return type(value)(copied(part) for part in value)
    return value


def _unchanged(before: Any, after: Any) -> bool:
    if isinstance(before, np.ndarray):
        return before.shape == after.shape and np.array_equal(before, after, equal_nan=before.dtype.kind == "f")
    if isinstance(before, list | tuple):
        return len(before) == len(after) and all(_unchanged(b, a) for b, a in zip(before, after, strict=True))
    return True


class _Limited(io.StringIO):
    """Keeps the beginning of what is printed, for a loop may print for ever."""

    def write(self, text: str, /) -> int:
        """Take all of it, and keep what there is room for."""
        if self.tell() < PRINTED:
            super().write(text[:PRINTED])
        return len(text)


def _failure(error: BaseException, code: CodeType | None) -> Failure:
    line, source = _own_line(error.__traceback__, code)
    said = " ".join(str(error).split()) or repr(error)
    said = re.sub(r"0x[0-9a-fA-F]{6,}", "0x…", said)  # addresses change from run to run
    return Failure(type(error).__name__, said if len(said) <= 200 else said[:199] + "…", line, source)


def _own_line(trace: TracebackType | None, code: CodeType | None) -> tuple[int | None, str]:
    """The last line that the author of the candidate wrote: in its own file, or in its cell."""
    own = None
    for frame, line in traceback.walk_tb(trace):
        if (code is not None and frame.f_code.co_filename == code.co_filename) or _is_cell(frame.f_code.co_filename):
            own = (frame.f_code.co_filename, line)
    if own is None:
        return None, ""
    return own[1], linecache.getline(*own).strip()


def _is_cell(filename: str) -> bool:
    return "ipykernel_" in filename or filename.startswith("<ipython-input")
