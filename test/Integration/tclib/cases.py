"""The command line of the tests that run a list of named cases."""
import argparse
import collections
import concurrent.futures
import multiprocessing
import pathlib
import re
import shutil
import sys
import time

from . import results, runner, selection


# The cases, and the tools that run them. Forked processes have both: functions that
# are written in place cannot be sent to one.
STATE = {}


def run_case(index):
    """Whether a case passed, what to say of it, and how many runs it took."""
    name, check = STATE["cases"][index]
    seconds = runner.Seconds()
    try:
        return True, f"  {name}: largest error / bound {check(STATE['tools'], seconds):.3f}", seconds.runs
    except runner.Failure as error:
        return False, f"FAILED: {error}", seconds.runs


def main(doc, what, cases, feature=""):
    """Runs the cases whose name matches --filter; the exit status. `feature` is what all of them have, for results.py.

    `cases` are (name, function): the function takes tools and seconds and
    returns the largest error over its bound, or raises runner.Failure.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/tc-compile and bin/tc-run")
    parser.add_argument("--filter", default="", help="only cases whose name matches this regular expression")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    selection.add_option(parser)
    arguments = parser.parse_args()
    cases = [case for case in cases if re.search(arguments.filter, case[0])]
    cases = selection.select(cases, lambda case: case[0], arguments.shard)
    twice = [name for name, count in collections.Counter(name for name, _ in cases).items() if count > 1]
    if twice:
        # Files are named like their case.
        print(f"error: cases with the same name: {', '.join(twice)}", file=sys.stderr)
        return 1
    start = time.monotonic()
    work = pathlib.Path(arguments.build) / f"integration-{what}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        tools = runner.find_tools(arguments.build, work)
    except runner.Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    STATE.update(cases=cases, tools=tools)
    failures, runs = 0, 0
    record = results.Results()
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs, multiprocessing.get_context("fork")) as pool:
        for passed, text, count in pool.map(run_case, range(len(cases))):
            print(text, flush=True)
            failures += not passed
            record.add(f"tcgen05 {feature}", "features", "emulated", int(passed), int(not passed))
            runs += count
    print(f"{len(cases)} {what} in {runs} runs, {time.monotonic() - start:.1f} s, {failures} failures")
    if feature and not arguments.filter:
        record.write(arguments.build, what)
    if not cases:
        print(f"error: nothing matches '{arguments.filter}'", file=sys.stderr)
    return 1 if failures or not cases else 0
