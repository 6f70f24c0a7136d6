"""The command line of the tests that run a list of named cases one after the other."""
import argparse
import pathlib
import re
import shutil
import sys
import time

from . import runner


def main(doc, what, cases):
    """Runs the cases whose name matches --filter; the exit status.

    `cases` are (name, function): the function takes tools and seconds and
    returns the largest error over its bound, or raises runner.Failure.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/tc-compile and bin/tc-run")
    parser.add_argument("--filter", default="", help="only cases whose name matches this regular expression")
    arguments = parser.parse_args()
    start = time.monotonic()
    work = pathlib.Path(arguments.build) / f"integration-{what}"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    try:
        tools = runner.find_tools(arguments.build, work)
    except runner.Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    seconds = runner.Seconds()
    failures, count = 0, 0
    for name, check in cases:
        if not re.search(arguments.filter, name):
            continue
        count += 1
        try:
            print(f"  {name}: largest error / bound {check(tools, seconds):.3f}", flush=True)
        except runner.Failure as error:
            failures += 1
            print(f"FAILED: {error}", flush=True)
    print(f"{count} {what} in {seconds.runs} runs, {time.monotonic() - start:.1f} s, {failures} failures")
    if not count:
        print(f"error: nothing matches '{arguments.filter}'", file=sys.stderr)
    return 1 if failures or not count else 0
