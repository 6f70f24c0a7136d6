"""What the tests share that run one kernel per case under every schedule with the strict race policy: they compile,
assemble and run it, and print what failed."""
import argparse
import concurrent.futures
import dataclasses
import pathlib
import re
import subprocess

from . import features, runner, selection
from .results import Results
from .runner import Failure

SCHEDULES = ("eager", "lazy", "reverse", "starvation", "skew", "late-reads")


def step(command):
    """Runs a command; its output. Raises Failure with the command and the end of its output."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout + done.stderr


def compile_text(text, ptx, build, *options):
    """Compiles a module to `ptx`, with its description beside it."""
    source = ptx.with_suffix(".mlir")
    source.write_text(text)
    step([build / "bin/tc-compile", source, "-o", ptx, *options])


def assemble(ptx, chip):
    """Assembles `ptx` where there is a ptxas, which may not spill registers; what it prints."""
    ptxas = find_ptxas()
    if not ptxas:
        return ""
    said = step([ptxas, f"-arch={chip}", "-v", ptx, "-o", ptx.with_suffix(".cubin")])
    if re.search(r"[1-9]\d* bytes spill", said):
        raise Failure(f"{ptx}: spills\n{said}")
    return said


def emulate(ptx, build, *options):
    """Runs `ptx` under every schedule with the strict race policy; what tc-run prints."""
    return step([build / "bin/tc-run", ptx, "--races=strict", "--threads=1", f"--schedule={','.join(SCHEDULES)}",
                 *options])


def parse(doc, seeds, **flags):
    """The options, with further ones, each with its help: those with a default take a number, others no value."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=seeds, help="random schedules for each kernel")
    parser.add_argument("--filter", default="", help="only cases whose name matches this regular expression")
    parser.add_argument("--every", type=int, default=1, help="one in this many cases")
    selection.add_option(parser)
    for name, text in flags.items():
        if isinstance(text, tuple):
            parser.add_argument(f"--{name}", type=int, default=text[0], help=text[1])
        else:
            parser.add_argument(f"--{name}", action="store_true", help=text)
    return parser.parse_args()


def select(options, cases, name):
    """The cases that --filter, --every and --shard leave."""
    cases = [case for case in cases if re.search(options.filter, name(case))][::options.every]
    return selection.select(cases, name, options.shard)


def find_ptxas():
    return runner.find_cuda("ptxas")


def main(doc, folder, what, cases, run, kind=None, checked=(), short_checked=None, short=lambda shapes: shapes[1:2] or shapes):
    """The main program of a test whose cases have shapes and say which are short; the exit status.

    With --short only those run, on the shapes that `short` leaves: the second one, the first with tails. `checked` are
    cases without shapes, `short_checked` those of them that --short runs.
    """
    options = parse(doc, seeds=2, short="some cases, one shape of each")
    if options.short:
        cases = [dataclasses.replace(case, shapes=short(case.shapes)) for case in cases if case.is_short]
        checked = checked if short_checked is None else short_checked
    return run_cases(options, folder, what, cases + list(checked), run, kind)


def run_cases(options, folder, what, cases, run, kind=None, chip="sm_100a", more=()):
    """Runs the cases that are selected; the exit status.

    `run` takes a case, the build folder, a folder for the kernel and the number of seeds; it returns the number of
    runs made, or raises Failure. What became of the cases is recorded (results.py), unless a filter left some out: by
    their features, with those in `more` and for `chip` where a case has none, and by the kind that `kind` gives.
    """
    test = folder
    folder = options.build / folder
    folder.mkdir(parents=True, exist_ok=True)
    cases = select(options, cases, lambda case: case.name)

    def outcome(case):
        try:
            return None, run(case, options.build, folder, options.seeds)
        except Failure as error:
            return error, 0

    failures = total = 0
    record = Results()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, (error, runs) in zip(cases, pool.map(outcome, cases)):
            total += runs
            if kind:
                use = "tmm, pair" if "cta-group=2" in case.config else "tmm, one CTA"
                record.add_run(kind(case), use, error, find_ptxas() is not None)
            for unit, use, name in features.of(case, chip, more):
                record.add_run(f"{unit} {name}", use, error, find_ptxas() is not None)
            if error:
                failures += 1
                print(f"FAILED: {case.name}\n{error}", flush=True)
    if not options.filter:
        record.write(options.build, test)
    print(f"{len(cases)} {what} in {total} runs, {failures} failures")
    return 1 if failures or not cases else 0
