"""Bad input: a clear error, exit status 1 or 2, and no output file left."""
import dataclasses
import os
import re
import shutil

from . import mlir_text, problem as problems, runner


@dataclasses.dataclass
class Case:
    name: str
    command: list
    status: int
    message: str  # a regular expression
    output: object  # a path that must not exist afterwards
    environment: dict = None


def _check(case):
    done, _ = runner.run(case.command, env=case.environment)
    text = done.stdout + done.stderr
    if done.returncode != case.status:
        raise runner.Failure(f"{case.name}: expected exit status {case.status}, got " +
                             runner.describe(case.command, done))
    if not re.search(case.message, text):
        raise runner.Failure(f"{case.name}: expected a message like /{case.message}/, got " +
                             runner.describe(case.command, done))
    left = [path for path in (case.output, case.output.with_suffix(".json")) if path.exists()]
    if left:
        raise runner.Failure(f"{case.name}: left {', '.join(map(str, left))}")


def _compile_cases(tools, folder):
    """Input of tc-compile."""
    good = mlir_text.function(problems.Problem(128, 128, 64))
    out = folder / "out.ptx"

    def case(name, text, message, status=1, output=out, options=(), environment=None):
        source = folder / f"{name.replace(' ', '-')}.mlir"
        source.write_text(text)
        command = [tools.path("tc-compile"), source, "-o", output, *options]
        return Case(name, command, status, message, output, environment)

    def stored(m, n, k, **options):
        return mlir_text.function(problems.Problem(m, n, k, **options))

    return [
        case("unparsable MLIR", good.replace("linalg.matmul", "linalg.matmull", 1), r"linalg\.matmull", 2),
        case("half a module", good[:len(good) // 2], r"error: ", 2),
        case("f32 inputs", good.replace("bf16", "f32"), r"leave to multiply f32 as tf32.*\(allow-tf32\).*\(f32=bf16x3\), got f32",
             options=["--f32=refuse"]),
        # What is asked of TMA that it cannot address.
        case("TMA loads, transposed A, M = 129", stored(129, 264, 8, transpose_a=True),
             r"load-a of tma: expected threads, TMA needs a multiple of 16 bytes for the rows of A, got 258",
             options=["--config=load-a=tma"]),
        case("TMA loads, K = 12", stored(64, 64, 12),
             r"load-a of tma: expected cp-async or threads, TMA needs a multiple of 16 bytes for the rows of A, got 24",
             options=["--config=load-a=tma"]),
        case("tile too large", good, r"at most 232448 bytes of shared memory, got 394\d\d\d",
             options=["--config=tile=128x256x256 stages=2"]),
        case("TMA store, N = 133", stored(64, 133, 64, transpose_b=True),
             r"epilogue of tma-store: expected direct, TMA needs a multiple of 16 bytes for the rows of D, got 532",
             options=["--config=epilogue=tma-store"]),
        case("TMA store in place", stored(64, 128, 64, accumulate=True),
             r"epilogue of tma-store: expected direct, D is read where it is written",
             options=["--config=epilogue=tma-store"]),
        case("unreadable configuration", good, r"expected", 1, options=["--config=tile=128xbanana"]),
        case("unknown chip", good, r"sm_90", 2, options=["--chip=sm_90"]),
        case("missing ptxas", good, r"ptxas", 1, output=folder / "out.cubin",
             environment={name: value for name, value in os.environ.items() if name not in ("PATH", "CUDA_HOME", "TC_PTXAS")}
             | {"PATH": "/nonexistent"}),
        case("a ptxas that is none", good, r"ptxas|nonexistent", 1, output=folder / "out.cubin",
             options=["--ptxas=/nonexistent/ptxas"]),
        Case("no input", [tools.path("tc-compile"), folder / "nothing.mlir", "-o", out], 2, r"nothing\.mlir", out),
        case("no output folder", good, r"nowhere", 2, output=folder / "nowhere" / "out.ptx"),
    ]


# By the host check, where the sizes are known only when the kernel runs.
STRIDE_RULE = (r"operand A: the stride of dimension 0 must be a multiple of 16 bytes.*"
               r"got (2, nearest legal 16|258, nearest legal 272)\b")


def _run_cases(tools, folder, ptx, cubin):
    """Input of tc-run: a good kernel's files, damaged."""
    out = folder / "out.bin"
    text, description = ptx.read_text(), ptx.with_suffix(".json").read_text()
    cases = []

    def case(name, message, ptx_text=text, json_text=description, options=()):
        stem = folder / name.replace(" ", "-")
        stem.with_suffix(".ptx").write_text(ptx_text)
        stem.with_suffix(".json").write_text(json_text)
        cases.append(Case(name, [tools.path("tc-run"), stem.with_suffix(".ptx"), "--launch",
                                 stem.with_suffix(".json"), "--out", f"D={out}", *options], 2, message, out))

    case("unparsable PTX", r"\.ptx:\d+", text.replace("ret;", "ret )", 1))
    case("half the PTX", r"\.ptx(:\d+)?: ", text[:len(text) // 2])
    case("unknown instruction", r"(line |\.ptx:)\d+: .*frobnicate", text.replace("ret;", "frobnicate.b32;\n ret;", 1))
    case("truncated JSON", r"\.json", json_text=description[:len(description) // 2])
    case("JSON of another kind", r"\.json.*expected", json_text="[1, 2, 3]")
    case("a string for a number", r"expected", json_text=re.sub(r'"block": *\[[^]]*\]', '"block": "many"', description))
    case("a buffer that is not there", r"nobody", options=["--buffer", f"nobody={ptx}"])
    case("a buffer file of the wrong size", r"bytes", options=["--buffer", f"A={ptx}"])
    case("an unknown schedule", r"tomorrow", options=["--schedule=tomorrow"])

    damaged = folder / "damaged.cubin"
    damaged.write_bytes(cubin.read_bytes()[:200])
    cases.append(Case("truncated cubin", [tools.path("tc-run"), damaged, "--launch", ptx.with_suffix(".json"),
                                          "--out", f"D={out}"], 2, r"cubin.*ELF", out))
    return cases


def check(tools, seconds):
    """Runs all cases; returns their number."""
    folder = tools.work / "bad-input"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    ptx = runner.compile_kernel(tools, problems.Problem(128, 128, 64), seconds)
    cubin = folder / "good.cubin"
    command = [tools.path("tc-compile"), ptx.with_suffix(".mlir"), "-o", cubin]
    done, taken = runner.run(command)
    seconds.compiling += taken
    if done.returncode or not cubin.exists():
        raise runner.Failure("no cubin: " + runner.describe(command, done))
    cases = _compile_cases(tools, folder) + _run_cases(tools, folder, ptx, cubin)
    # Where D's row pitch is known only when the kernel runs, the host checks it.
    store = runner.compile_kernel(tools, problems.Problem(0, 0, 0, dynamic=True, transpose_b=True,
                                                          config="epilogue=tma-store"), seconds)
    out = folder / "out.bin"
    cases.append(Case("TMA store, dynamic N = 133", [tools.path("tc-run"), store, "--size", "M=64,N=133,K=64",
                                                     "--out", f"D={out}"], 2,
                      r"operand D: the stride of dimension 0 must be a multiple of 16 bytes.*got 532, nearest legal",
                      out))
    errors = []
    for case in cases:
        try:
            _check(case)
        except runner.Failure as error:
            errors.append(str(error))
    if errors:
        raise runner.Failure("\n".join(errors))
    return len(cases)
