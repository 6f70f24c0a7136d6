"""Tests of the tests: mistakes that have to be noticed."""
import json
import re

from . import mlir_text, problem as problems, runner

# Square, so that a flipped transposition is legal everywhere and only the
# numbers can tell.
SQUARE = problems.Problem(128, 128, 128, transpose_b=True)


def flipped_description(tools, seconds):
    """tc-run --check has to fail where the description's transposition is wrong."""
    for operand in ("a", "b"):
        ptx = runner.compile_kernel(tools, SQUARE, seconds)
        description = json.loads(ptx.with_suffix(".json").read_text())
        launch = ptx.with_name(f"flipped-{operand}.json")
        for is_flipped in (False, True):
            for entry in description["problems"]:
                entry[operand]["transposed"] = bool(entry[operand].get("transposed", False)) ^ is_flipped
            launch.write_text(json.dumps(description))
            command = [tools.path("tc-run"), ptx, "--launch", launch, "--check", "--schedule=eager",
                       "--init", "A=normal:1", "--init", "B=normal:2"]
            done, taken = runner.run(command)
            seconds.emulating += taken
            seconds.runs += 1
            if done.returncode != int(is_flipped):
                expected = "mismatch after flipping" if is_flipped else "clean run before flipping"
                raise runner.Failure(f"expected a {expected} {operand}, got " + runner.describe(command, done))


# What a broken conversion would write: the IR after convert-linalg-to-tmm, with
# one word changed.
BREAKAGES = {
    "forgets transpose_b": lambda text: text.replace(" transpose_b", ""),
    "adds transpose_a": lambda text: text.replace(" transpose_b", " transpose_a transpose_b"),
    "accumulates": lambda text: text.replace("tmm.matmul ", "tmm.matmul accumulate "),
}


def broken_conversion(tools, seconds):
    """The comparison has to fail where convert-linalg-to-tmm changed the problem."""
    problem = SQUARE
    folder = tools.work / "kernels"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "broken-source.mlir"
    source.write_text(mlir_text.function(problem))
    command = [tools.path("tc-opt"), "--convert-linalg-to-tmm", source]
    done, _ = runner.run(command)
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    for name, change in {"nothing": lambda text: text, **BREAKAGES}.items():
        changed = change(done.stdout)
        is_broken = name != "nothing"
        if is_broken and changed == done.stdout:
            raise runner.Failure(f"nothing to break ({name}) in\n{done.stdout}")
        mlir, ptx = folder / "broken.mlir", folder / "broken.ptx"
        mlir.write_text(changed)
        command = [tools.path("tc-compile"), mlir, "-o", ptx]
        compiled, taken = runner.run(command)
        seconds.compiling += taken
        if compiled.returncode:
            raise runner.Failure(runner.describe(command, compiled))
        with runner.Runs(tools, problem, ptx, seconds) as runs:
            raw = problems.make_inputs(problem, "random")
            runs.write_inputs(raw)
            comparison = problems.Expectation(problem, raw, "random").compare(runs.emulate(["eager"]))
        if comparison.ok == is_broken:
            raise runner.Failure(f"a conversion that {name} was " +
                                 ("not noticed" if is_broken else f"blamed: {comparison}"))


# One accumulator and more tiles than pairs, so that both CTAs wait for each other.
PAIR = problems.Problem(512, 256, 256, transpose_b=True,
                        config="cta-group=2 tile=256x64x64 stages=2 accumulator-stages=1 sms=2")
# What a pair's protocol must not lack, and what tc-run says where it does.
PAIR_BREAKAGES = {
    "the barriers of the cluster": (r"barrier\.cluster\.(?:arrive|wait)\.aligned", "bar.sync 0", "race"),
    "the fences before the accumulator's release": (r"tcgen05\.fence::before_thread_sync;", "", "race"),
    "the waits for loads of the accumulator": (r"tcgen05\.wait::ld\.sync\.aligned;", "", "race"),
    "the fences after waits": (r"tcgen05\.fence::after_thread_sync;", "", "race"),
    "the multicast of commits": (r"\.multicast::cluster(\.b64\s+\[[^]]*\]), %rs\d+", r"\1", "deadlock"),
}


# Eight store buffers are filled for each tile, in a ring of two.
STORE = problems.Problem(256, 512, 128, transpose_b=True, out_type="bf16",
                         config="cta-group=1 tile=128x256x64 stages=2 epilogue=tma-store store-stages=2 sms=2")
# What the ring of store buffers must not lack.
STORE_BREAKAGES = {
    "the proxy fence before the copies": (r"fence\.proxy\.async\.shared::cta;", "", "race"),
    "the threads' meetings": (r"bar\.sync\s+1, 128;", "", "race"),
    "the waits until a buffer is read": (r"cp\.async\.bulk\.wait_group\.read\s+1;", "", "race"),
    "the groups of the copies": (r"cp\.async\.bulk\.commit_group;", "", "race"),
    "a buffer, of two": (r"wait_group\.read\s+1;", "wait_group.read 2;", "race"),
    "the wait for what is still written": (r"cp\.async\.bulk\.wait_group\s+0;", "", "exit"),
}


def broken_protocol(tools, seconds, what, problem, breakages):
    """tc-run has to report a kernel without one part of a protocol."""
    ptx = runner.compile_kernel(tools, problem, seconds)
    text = ptx.read_text()
    broken = ptx.with_name(f"broken-{what.replace(' ', '-')}.ptx")
    broken.with_suffix(".json").write_text(ptx.with_suffix(".json").read_text())
    for name, (pattern, replacement, report) in {"nothing": ("$^", "", ""), **breakages}.items():
        changed, count = re.subn(pattern, replacement, text)
        if (count == 0) != (name == "nothing"):
            raise runner.Failure(f"replaced {count} times: {name} in\n{ptx}")
        broken.write_text(changed)
        command = [tools.path("tc-run"), broken, "--check", "--schedule=eager,lazy,random:1,random:2", "--races=strict"]
        done, taken = runner.run(command)
        seconds.emulating += taken
        seconds.runs += 4
        if done.returncode != int(name != "nothing") or report not in done.stdout + done.stderr:
            raise runner.Failure(f"a {what} without {name}: expected {report or 'no report'}, got " +
                                 runner.describe(command, done))


def broken_pair(tools, seconds):
    broken_protocol(tools, seconds, "pair", PAIR, PAIR_BREAKAGES)


def broken_store_ring(tools, seconds):
    broken_protocol(tools, seconds, "store ring", STORE, STORE_BREAKAGES)


CHECKS = (("a flipped description is noticed", flipped_description),
          ("a broken conversion is noticed", broken_conversion),
          ("a pair of CTAs without a part of its protocol is noticed", broken_pair),
          ("a store ring without a part of its protocol is noticed", broken_store_ring))
