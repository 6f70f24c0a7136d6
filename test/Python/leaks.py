"""Looks for memory that calls of the package keep: every refused call of misuse.py and a few that succeed, many times.

    leaks.py              resident memory must not grow from one half of the rounds to the next, and no call may keep a
                          block of Python (a reference that is never given back)
    leaks.py --sanitizer  the same calls with the C library's allocator replaced by that of clang's address sanitizer:
                          a block that nothing points to any more is a leak, as are blocks written past their end by the C
                          library or freed twice; a leak made on purpose has to be found first

The sanitizer is asked while the interpreter runs: what the interpreter and its modules keep until the end is still
reachable then, so nothing has to be suppressed.
"""
import contextlib
import ctypes
import functools
import gc
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROUNDS = 20
# Caches and the allocator's pools are full after as many.
FIRST_ROUNDS = 12
CALLS_OF_BATCH = 20


def resident() -> int:
    """KiB."""
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])


def calls():
    """(name, function) of the refused calls and of some that succeed."""
    import misuse
    import tc
    from tc import _compile

    def refused(call, error):
        with contextlib.suppress(error):
            call()

    def compiled():
        _compile._compile_to.cache_clear()  # what it keeps is kept on purpose
        tc.compile(misuse.TEXT)

    for name, call, error, _ in misuse.CALLS:
        yield name, functools.partial(refused, call, error)
    yield "emulate", lambda: misuse.emulated(misuse.A, misuse.B, schedule=["eager", "random:3"], check=True)
    yield "trace", lambda: misuse.kernel().trace(misuse.A, misuse.B)
    yield "race", functools.partial(refused, lambda: tc.run_ptx(
        misuse.INPUTS / "race.ptx", misuse.INPUTS / "race.json", progress=lambda state: None), tc.RaceError)
    yield "compile", compiled


def resident_after_rounds(rounds):
    """KiB after each of `rounds`, which come after the first ones."""
    sizes = []
    for _ in range(FIRST_ROUNDS + rounds):
        for _, call in calls():
            call()
        gc.collect()
        sizes.append(resident())
    return sizes[FIRST_ROUNDS:]


def blocks_kept(call) -> int:
    """Blocks of Python that each call keeps. Caches, numpy's among them, fill more and more slowly, so the least of some
    batches counts."""
    least = CALLS_OF_BATCH
    for _ in range(10):
        before = sys.getallocatedblocks()
        for _ in range(CALLS_OF_BATCH):
            call()
        gc.collect()
        least = min(least, (sys.getallocatedblocks() - before) // CALLS_OF_BATCH)
        if least <= 0:
            return 0
    return least


def growth():
    sizes = resident_after_rounds(ROUNDS)
    grown = min(sizes[ROUNDS // 2:]) - min(sizes[:ROUNDS // 2])
    print(f"resident after each round, MiB: {', '.join(str(size // 1024) for size in sizes)}; grown {grown} KiB")
    keeping = [f"{name}: each call keeps {kept} blocks of Python" for name, call in calls() if (kept := blocks_kept(call))]
    print("\n".join(keeping) or "no call keeps a block of Python")
    return 1 if grown > 2048 or keeping else 0


def under_sanitizer():
    library = ctypes.CDLL(None)
    if os.environ["TC_LEAK"] == "on purpose":
        library.malloc(12345)  # returns an int, which does not hold the address
    else:
        for _ in range(3):
            for _, call in calls():
                call()
        gc.collect()
    return 9 if library.__lsan_do_recoverable_leak_check() else 0


def sanitizer():
    clang = shutil.which("clang-22") or shutil.which("clang")
    if not clang:
        sys.exit("leaks.py: expected clang-22 on PATH, whose address sanitizer is preloaded")
    runtime = subprocess.run([clang, "-print-file-name=libclang_rt.asan-x86_64.so"], capture_output=True, text=True,
                             check=True).stdout.strip()
    environment = {
        **os.environ, "LD_PRELOAD": runtime, "PYTHONMALLOC": "malloc",
        # Once while the interpreter runs, not when it ends.
        "ASAN_OPTIONS": "detect_leaks=1:leak_check_at_exit=0:exitcode=99:allow_user_poisoning=0",
    }
    for purpose, wanted in (("on purpose", 9), ("none", 0)):
        run = subprocess.run([sys.executable, __file__, "--under-sanitizer"], env={**environment, "TC_LEAK": purpose},
                             capture_output=True, text=True)
        if run.returncode != wanted or (wanted and "12345 byte(s)" not in run.stderr):
            print(f"{run.stdout}{run.stderr}", file=sys.stderr)
            print(f"leaks.py: leak {purpose}: expected status {wanted}, got {run.returncode}", file=sys.stderr)
            return 1
    print("the leak made on purpose is found; no other under the address sanitizer's allocator")
    return 0


def main():
    modes = {"--sanitizer": sanitizer, "--under-sanitizer": under_sanitizer}
    return modes[sys.argv[1]]() if sys.argv[1:] else growth()


if __name__ == "__main__":
    sys.exit(main())
