"""How kernels are compiled and run: tc.jax.options."""
from __future__ import annotations

import contextlib
import operator
from collections import namedtuple

import jax
import jax.numpy as jnp

from .. import _runtime
from .._errors import InputError, check_text

Options = namedtuple("Options", "chip schedules races threads max_instructions check config",
                     defaults=("", ("eager", ), "default", 0, 0, False, ""))
# Of jax.jit's key: a function that was traced under other options is traced anew.
_CONTEXT = jax.make_user_context(Options())


def current() -> Options:
    return _CONTEXT.value


def chip_of(options: Options) -> str:
    """The chip that kernels are compiled for: on a GPU its own, else sm_100a."""
    return options.chip or ("native" if jax.default_backend() in ("gpu", "cuda") else "sm_100a")


def as_array(name, value):
    """An argument as an array of JAX."""
    try:
        return jnp.asarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected an array, got {type(value).__name__}: {error}") from None


def _count(name, value):
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number < 2**31:
        raise InputError(f"{name}: expected an integer from 0 to {2**31 - 1}, got {value!r}")
    return number


def _schedules(schedule):
    if schedule == "all":
        return tuple(_runtime.schedules())
    wanted = (schedule, ) if isinstance(schedule, str) else schedule
    if not isinstance(wanted, (list, tuple)) or not wanted or not all(isinstance(each, str) for each in wanted):
        raise InputError(f"schedule: expected a name, several or 'all', got {schedule!r}")
    return tuple(wanted)


@contextlib.contextmanager
def options(**changes):
    """Changes options for what is traced inside; jit keeps a version of a function for each set of options.

    `chip` is that of `tc.compile` (default: that of the GPU, on the CPU "sm_100a"), `config` fields of the
    configuration. On the emulator `schedule` is a name, several or "all" (results may not differ), `races` off, default
    or strict, `check` compares products with float64, `threads` are the emulator's, and `max_instructions` ends a run.
    """
    known = {name: value for name, value in current()._asdict().items()}
    for name, value in changes.items():
        if name == "schedule":
            known["schedules"] = _schedules(value)
        elif name not in ("chip", "races", "config", "threads", "max_instructions", "check"):
            raise InputError(
                f"options: expected chip, config, schedule, races, check, threads or max_instructions, got '{name}'")
        elif name in ("threads", "max_instructions"):
            known[name] = _count(name, value)
        elif name == "check":
            known[name] = bool(value)
        elif not isinstance(value, str):
            raise InputError(f"{name}: expected str, got {type(value).__name__}")
        else:
            check_text(name, value)
            known[name] = value
    if known["races"] not in ("off", "default", "strict"):
        raise InputError(f"races: expected off, default or strict, got {known['races']!r}")
    with _CONTEXT(Options(**known)):
        yield
