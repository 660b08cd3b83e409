"""A clock that stands still while others work: other threads, frames drawn ahead, a training that runs."""

from __future__ import annotations

import time

own_seconds = getattr(time, "thread_time", time.perf_counter)  # a browser's Python has one thread, and no clock of its own for it
