"""Looks for memory that calls of the package keep: every refused call of misuse.py and a few that succeed, many times.

    leaks.py              resident memory must not grow from one half of the rounds to the next
"""
import contextlib
import gc
import pathlib
import re
import sys


def resident() -> int:
    """KiB."""
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path("/proc/self/status").read_text())[1])


def work(rounds):
    """One pass fills caches; then resident memory after each of `rounds`."""
    import misuse
    import tc
    from tc import _compile
    sizes = []
    for _ in range(rounds + 1):
        for _, call, error, _ in misuse.CALLS:
            with contextlib.suppress(error):
                call()
        misuse.emulated(misuse.A, misuse.B, schedule=["eager", "random:3"], check=True)
        misuse.kernel().trace(misuse.A, misuse.B)
        with contextlib.suppress(tc.RaceError):
            tc.run_ptx(misuse.INPUTS / "race.ptx", misuse.INPUTS / "race.json", progress=lambda state: None)
        _compile._compile_to.cache_clear()  # what it keeps is kept on purpose
        tc.compile(misuse.TEXT)
        gc.collect()
        sizes.append(resident())
    return sizes[1:]


def main():
    sizes = work(20)
    grown = min(sizes[10:]) - min(sizes[:10])
    print(f"resident after each round, MiB: {', '.join(str(size // 1024) for size in sizes)}; grown {grown} KiB")
    return 1 if grown > 2048 else 0


if __name__ == "__main__":
    sys.exit(main())
