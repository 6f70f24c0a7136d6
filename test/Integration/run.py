#!/usr/bin/env python3
"""Compiles matrix multiplications, runs them on the emulator, checks the numbers.

    run.py --build build [--jobs 2] [--campaign] [--filter TEXT]

Every expected number comes from the test's own problem and the raw bytes of its
input files (tclib/problem.py), not from the kernel description. Kernels and
inputs of a failed run stay in the work folder.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import time

# One thread per process: the processes fill the cores.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from tclib import bad_input, features, foreign, must_fail, oracle, plan, problem as problems, results, runner, selection, self_test  # noqa: E402


def run_refused(tools, task, seconds):
    """The stride diagnostic, by tc-run's check of the sizes."""
    problem, expected, status = task.problem, bad_input.STRIDE_RULE, 2
    ptx = runner.compile_kernel(tools, problem, seconds)
    with runner.Runs(tools, problem, ptx, seconds) as runs:
        runs.write_inputs(problems.make_inputs(problem, "random"))
        command = runs.command(["eager"])
        done, _ = runner.run(command)
        is_left = (runs.folder / "out.bin").exists()
    if done.returncode != status or is_left or not re.search(expected, done.stdout + done.stderr):
        raise runner.Failure(f"{problem.name}: expected exit status {status}, /{expected}/ and no output, got " +
                             runner.describe(command, done))


# Worker processes: module-level functions on plain data.


def compile_task(tools, problem):
    seconds = runner.Seconds()
    try:
        ptx = runner.compile_kernel(tools, problem, seconds)
        runner.assemble(tools, ptx, seconds)
    except runner.Failure as error:
        return str(error), seconds
    return None, seconds


def run_task(tools, task):
    """The message of a failure or None, error over bound, and where the time went."""
    seconds = runner.Seconds()
    try:
        if task.is_refused:
            run_refused(tools, task, seconds)
            return None, 0.0, seconds
        ptx = tools.work / "kernels" / f"{runner.kernel_name(task.problem)}.ptx"
        return None, runner.run_problem(tools, task.problem, ptx, seconds, seeds=task.seeds), seconds
    except runner.Failure as error:
        return str(error), 0.0, seconds
    except Exception as error:  # a test that breaks is a test that fails
        return f"{task.problem.name}: {type(error).__name__}: {error}", 0.0, seconds


def other_task(tools, name):
    seconds = runner.Seconds()
    try:
        return OTHERS[name](tools, seconds), None, seconds
    except runner.Failure as error:
        return "", f"{name}: {error}", seconds
    except Exception as error:
        return "", f"{name}: {type(error).__name__}: {error}", seconds


def run_oracle(tools, _):
    tuples = list(problems.product(plan.FULL_SHAPE))
    errors = []
    taken = 0.0
    for kind in ("small", "random"):
        messages, seconds = oracle.check(tools, tuples, kind)
        errors += messages
        taken += seconds
    if errors:
        raise runner.Failure("\n".join(errors))
    return f"{len(tuples)} tuples, two data sets, {taken:.1f} s"


def run_foreign(tools, seconds):
    return f"3 shapes, largest error / bound {foreign.check(tools, seconds):.3f}"


def run_bad_input(tools, seconds):
    return f"{bad_input.check(tools, seconds)} cases"


OTHERS = {
    "the harness computes right": self_test.check,
    "the linalg IR on the CPU agrees": run_oracle,
    "a CUDA C++ kernel runs": run_foreign,
    "bad input is refused": run_bad_input,
} | {name: function for name, function in must_fail.CHECKS}


class Report:
    """Collects failures and prints them as they come."""

    def __init__(self):
        self.failures, self.seconds = [], runner.Seconds()

    def add(self, message, seconds):
        self.seconds.add(seconds)
        if message:
            self.failures.append(message)
            if len(self.failures) <= 20:
                print(f"FAILED: {message}", flush=True)


def run_matrix(pool, tools, tasks, report):
    """Compiles every kernel once, then runs every problem."""
    kernels = {}
    for task in tasks:
        if not task.is_refused:
            kernels.setdefault(runner.kernel_name(task.problem), task.problem)
    names = list(kernels)
    compiled = set()
    for name, (message, seconds) in zip(names, pool.map(compile_task, [tools] * len(names), kernels.values())):
        report.add(message, seconds)
        if not message:
            compiled.add(name)
    runnable = [task for task in tasks if task.is_refused or runner.kernel_name(task.problem) in compiled]
    # The long ones first: they would hold up the end.
    runnable.sort(key=lambda task: -task.problem.m * task.problem.n * task.problem.k * (2 + task.seeds / 5))
    worst = {}
    for task, (message, ratio, seconds) in zip(runnable, pool.map(run_task, [tools] * len(runnable), runnable)):
        report.add(message, seconds)
        shape = task.problem.shape
        count, largest = worst.get(shape, (0, 0.0))
        worst[shape] = (count + 1, max(largest, ratio))
    for (m, n, k), (count, largest) in worst.items():
        print(f"  {m}x{n}x{k}: {count} problems, largest error / bound of f32 outputs {largest:.3f}")
    return len(names), len(runnable)


def record_results(work, failures, tasks):
    """Of kind f16 and the features of the problems: the kernels that there are, and how many failures, in whatever stage."""
    record = results.Results()
    for stage in results.STAGES[1:]:
        for ptx in work.rglob("*.ptx"):
            text = ptx.read_text(errors="replace")
            if ".kind::f16" in text:
                record.add("f16", "tmm, pair" if "tcgen05.mma.cta_group::2" in text else "tmm, one CTA", stage)
        record.add("f16", "tmm, one CTA", stage, 0, failures)
        for unit, use, name in (found for task in tasks for found in features.of(task.problem, "sm_100a")):
            record.add(f"{unit} {name}", use, stage, 0 if failures else 1, int(failures > 0))
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="build folder with bin/tc-compile and bin/tc-run")
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--campaign", action="store_true", help="the whole product at every shape")
    parser.add_argument("--filter", default="", help="only tests whose name matches this regular expression")
    parser.add_argument("--work", help="folder for kernels, default BUILD/integration")
    selection.add_option(parser)
    arguments = parser.parse_args()

    start = time.monotonic()
    work = pathlib.Path(arguments.work or pathlib.Path(arguments.build) / "integration")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    report = Report()
    try:
        tools = runner.find_tools(arguments.build, work)
    except runner.Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    wanted = re.compile(arguments.filter)
    tasks = plan.matrix(arguments.campaign) + plan.edges() + plan.pairs() + plan.skinny()
    tasks += plan.hints() + plan.stores()
    tasks = [task for task in tasks if wanted.search(task.problem.name)]
    tasks = selection.select(tasks, lambda task: task.problem.name, arguments.shard)
    others = [name for name in OTHERS if wanted.search(name)]
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        kernels, count = run_matrix(pool, tools, tasks, report)
        for name, (text, message, seconds) in zip(others, pool.map(other_task, [tools] * len(others), others)):
            report.add(message, seconds)
            if not message:
                print(f"  {name}{': ' + text if text else ''}")
    seconds = report.seconds
    print(f"{kernels} kernels compiled in {seconds.compiling:.1f} s and assembled in {seconds.assembling:.1f} s, "
          f"{count} problems in {seconds.runs} runs: {seconds.emulating:.1f} s emulating, "
          f"{seconds.comparing:.1f} s comparing (sums over {arguments.jobs} processes), "
          f"{time.monotonic() - start:.1f} s in all")
    if not arguments.filter:
        record_results(work, len(report.failures), tasks).write(arguments.build, "integration")
    if report.failures:
        print(f"{len(report.failures)} failures; kernels are in {work}")
        return 1
    if not count + len(others):
        print(f"error: nothing matches '{arguments.filter}'", file=sys.stderr)
        return 1
    print("all passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
