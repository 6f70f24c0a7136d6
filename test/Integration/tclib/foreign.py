"""A kernel that this project did not compile: CUDA C++ through nvcc."""
import json
import pathlib

from . import problem as problems, runner

SOURCE = pathlib.Path(__file__).resolve().parent.parent / "Inputs" / "gemm.cu"
TILE = (128, 128, 64)
SLOTS = 3


def launch_file(problem):
    """What launches the kernel, as anybody would write it by hand."""
    def tensor_map(operand, rows):
        return {"tensor_map": {
            "buffer": operand, "offset": 0, "dtype": problem.in_type, "dims": [problem.k, rows],
            "strides": [problem.k * 2], "box": [TILE[2], TILE[0]], "element_strides": [1, 1],
            "swizzle": "128B", "interleave": "none", "oob_fill": "zero"}}

    m, n, k = problem.shape
    return {
        "entry": "gemm",
        "grid": [-(-n // TILE[1]), -(-m // TILE[0]), 1],
        "block": [128, 1, 1],
        "cluster": [1, 1, 1],
        "dynamic_smem": SLOTS * (TILE[0] + TILE[1]) * TILE[2] * 2 + 1024,
        "buffers": {
            "A": {"dtype": problem.in_type, "shape": [m, k]},
            "B": {"dtype": problem.in_type, "shape": [n, k]},
            "D": {"dtype": problem.out_type, "shape": [m, n]},
        },
        "params": [tensor_map("A", m), tensor_map("B", n), {"pointer": "D", "offset": 0},
                   {"i32": m}, {"i32": n}, {"i32": k}],
    }


def compile_source(tools, seconds):
    """The PTX that nvcc makes of the CUDA source."""
    folder = tools.work / "foreign"
    folder.mkdir(parents=True, exist_ok=True)
    ptx = folder / "gemm.ptx"
    command = [tools.nvcc, "-arch=sm_100a", "-ptx", SOURCE, "-o", ptx]
    done, taken = runner.run(command)
    seconds.compiling += taken
    if done.returncode:
        raise runner.Failure(runner.describe(command, done))
    runner.assemble(tools, ptx, seconds)
    return ptx


def check(tools, seconds):
    """Runs it at a few shapes; the last two have edges and fewer K-blocks than slots."""
    ptx = compile_source(tools, seconds)
    worst = 0.0
    for shape in ((256, 384, 512), (200, 136, 72), (8, 16, 8)):
        problem = problems.Problem(*shape, transpose_b=True)
        launch = ptx.with_name(f"gemm-{problem.name}.json")
        launch.write_text(json.dumps(launch_file(problem), indent=2))
        worst = max(worst, run_launch(tools, problem, ptx, launch, seconds))
    return worst


def run_launch(tools, problem, ptx, launch, seconds):
    with runner.Runs(tools, problem, ptx, seconds, launch=launch, options=[]) as runs:
        ratio = 0.0
        for kind in ("random", "integers"):
            raw = problems.make_inputs(problem, kind)
            runs.write_inputs(raw)
            result = runs.emulate(list(runner.SCHEDULES))
            comparison = problems.Expectation(problem, raw, kind).compare(result)
            if not comparison.ok:
                raise runner.Failure(f"gemm.cu, {problem.name}, {kind} data: {comparison}")
            ratio = max(ratio, comparison.ratio)
        return ratio
