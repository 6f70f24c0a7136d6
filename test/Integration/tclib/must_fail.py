"""Tests of the tests: mistakes that have to be noticed."""
import json

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


CHECKS = (("a flipped description is noticed", flipped_description),
          ("a broken conversion is noticed", broken_conversion))
