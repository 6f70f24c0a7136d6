"""Progress of long runs on the emulator: a line on a terminal or in a notebook, or a callback."""
from __future__ import annotations

import contextlib
import contextvars
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Union

_WANTED = contextvars.ContextVar("tc.progress", default=None)
# Seconds: between two calls, and before the first line is shown.
_INTERVAL, _PATIENCE = 0.2, 1.0


class Progress(NamedTuple):
    """The state of a run: its schedule, CTAs that have ended and all CTAs, warp instructions, seconds since its start.
    With stolen work (`scheduler=clc`) fewer CTAs end than there are."""

    schedule: str
    ctas_done: int
    ctas: int
    instructions: int
    seconds: float

    def __str__(self) -> str:
        return (f"{self.schedule}: {self.ctas_done} of {self.ctas} CTAs, {self.instructions / 1e6:.1f} million warp "
                f"instructions, {self.seconds:.0f} s")


Wanted = Union[bool, Callable[[Progress], object], None]


@contextlib.contextmanager
def progress(wanted: Wanted) -> Iterator[None]:
    """What runs on the emulator inside show: False, nothing; True, a line on stderr; a function, which is called with a
    `tc.Progress` about five times a second and may raise to end the run. By default a line where stderr is a terminal or a
    notebook, after a second."""
    token = _WANTED.set(_checked(wanted))
    try:
        yield
    finally:
        _WANTED.reset(token)


def _checked(wanted):
    if wanted is not None and not isinstance(wanted, bool) and not callable(wanted):
        raise TypeError(f"progress: expected True, False or a function, got {type(wanted).__name__}")
    return wanted


def _is_interactive() -> bool:
    """Whether stderr is shown to a user. IPython is asked only where it is loaded already."""
    ipython = sys.modules.get("IPython")
    if ipython is not None:
        shell = getattr(ipython, "get_ipython", lambda: None)()
        if type(shell).__name__ == "ZMQInteractiveShell":
            return True
    return getattr(sys.stderr, "isatty", lambda: False)()


class _Line:
    """One line of stderr that is written over."""

    def __init__(self):
        self.width = 0

    def __call__(self, state: Progress):
        if state.seconds >= _PATIENCE or self.width:
            text = str(state)
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
            self.width = len(text)

    def clear(self):
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


@contextlib.contextmanager
def shown(wanted):
    """The function that is told of the runs inside, or None."""
    wanted = _checked(wanted)
    wanted = _WANTED.get() if wanted is None else wanted
    if wanted is None:
        wanted = _is_interactive()
    if wanted is not True:
        yield wanted or None
        return
    line = _Line()
    try:
        yield line
    finally:
        line.clear()


def run(session, schedule, traced, show):
    """session.run. With `show` the run has a thread of its own, so that this one calls `show` and hears of Ctrl-C."""
    if show is None:
        return session.run(schedule, traced, None)
    from . import _runtime
    state, outcome, ended = _runtime.Progress(), [], threading.Event()

    def work():
        try:
            outcome.append(session.run(schedule, traced, state))
        except BaseException as error:  # handed to the thread that waits
            outcome.append(error)
        ended.set()

    start, ctas = time.monotonic(), session.ctas()
    worker = threading.Thread(target=work, name="tc emulator", daemon=True)
    worker.start()
    try:
        while not ended.wait(_INTERVAL):
            show(Progress(schedule, state.ctas_done(), ctas, state.instructions(), time.monotonic() - start))
    except BaseException:
        state.stop()
        raise
    finally:
        worker.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]
