"""docs/data/front-ends.tsv: how many functions of each group there are, and what becomes of them."""
import collections
import json
import pathlib
import subprocess
import tempfile

from . import MODELS

PATH = pathlib.Path(__file__).resolve().parents[4] / "docs" / "data" / "front-ends.tsv"
COLUMNS = ("printed as by", "what is in them", "functions", "right unchanged", "right by an option", "launches", "products",
           "attention", "rows", "plain")
# A group and what is in it.
GROUPS = {
    "iree": ("IREE", "MLP, SwiGLU, GELU, attention in `bhqd` and `bqhd`, grouped queries, projections to heads, layer and RMS "
                     "normalisation, pads"),
    "torch-mlir": ("torch-mlir", "linear layers, `bmm`, `baddbmm`, `mv`, `dot`, causal attention, heads as views, chunks, `cat`, "
                                 "log-softmax, dynamic batch"),
    "tpp-mlir": ("TPP-MLIR", "batch-reduce products, packed and VNNI layouts, pack and unpack, bias and ReLU in place"),
    "buddy-mlir": ("buddy-mlir", "dynamic memrefs, RMS normalisation, rotary embedding, one token, masks"),
    "jax": ("JAX through iree-compile", "26 forms of `einsum`, MLP, attention, gradients, cross entropy"),
    "stablehlo": ("StableHLO", "`dot_general`, broadcasts, clamp, reductions, `linalg.map`"),
    "mlir-air": ("mlir-air", "subviews, local copies, packed layouts of cores"),
    "mlir-aie": ("mlir-aie", "matvec, layouts of cores"),
    "intel": ("Intel's extensions", "VNNI with two layers, attention"),
    "upstream": ("upstream", "every named contraction, loops and batches in any order, memrefs with strides, dynamic sizes; "
                             "integers without a sign, for three chips; zero points in bodies, sums over one operand, gathers, "
                             "`scf.forall`"),
    "fresh": ("all of these, written afterwards", "decomposed attention, convolutions, quantisation, gradients; the texts are in "
                                                  "`test/Integration/FrontEnds`"),
    "forms": ("the same work in other forms", "broadcast biases, pads, zero points, windows, two results"),
    "plain": ("the same, with types that no unit has", "f64, i64, booleans between kernels"),
}
UNITS = {"matmul": "products", "attention": "attention", "rows": "rows"}


def counts():
    """Functions of each group: all, unchanged, by an option."""
    unknown = {one.group for one in MODELS} - set(GROUPS)
    if unknown:
        raise KeyError(f"{pathlib.Path(__file__).name}: expected a description of the groups {', '.join(sorted(unknown))}")
    found = collections.Counter((one.group, bool(only_chip(one.options))) for one in MODELS)
    return {group: (found[group, False] + found[group, True], found[group, False], found[group, True]) for group in GROUPS}


def only_chip(options):
    """The options but the chip, which says for what to compile and nothing of the function."""
    return [one for one in options if not one.startswith("--chip=")]


def launches_of(compiler, one, folder):
    """How many launches there are of each sort of kernel, which the names of kernels end in."""
    source = folder / "function.mlir"
    source.write_text(one.text)
    subprocess.run([compiler, source, "-o", folder / "function.ptx", *one.options], check=True, capture_output=True)
    description = json.loads((folder / "function.json").read_text())
    found = collections.Counter()
    for launch in description["launches"]:
        entry = description["kernels"][launch["kernel"]]["entry"]
        sort = entry.rstrip("0123456789").rstrip("_").rsplit("_", 1)[-1]
        found[UNITS.get(sort, "plain")] += 1
    return found


def rows(compiler):
    launches = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        for one in MODELS:
            launches[one.group] += launches_of(compiler, one, pathlib.Path(folder))
    lines, total = [], collections.Counter()
    for group, numbers in counts().items():
        title, content = GROUPS[group]
        row = dict(zip(COLUMNS[2:5], numbers)) | launches[group] | {"launches": sum(launches[group].values())}
        total.update(row)
        lines.append([title, content, *(str(row.get(column, 0)) for column in COLUMNS[2:])])
    return lines + [["all", "", *(str(total[column]) for column in COLUMNS[2:])]]


def write(compiler):
    lines = [COLUMNS, *rows(compiler)]
    part = PATH.with_suffix(".part")
    part.write_text("".join("\t".join(line) + "\n" for line in lines))
    part.rename(PATH)


def check():
    """What is wrong in the table as far as it can be seen without compiling, or None."""
    lines = [line.split("\t") for line in PATH.read_text().splitlines()]
    written = {line[0]: tuple(line[2:5]) for line in lines[1:-1]}
    wanted = {GROUPS[group][0]: tuple(map(str, numbers)) for group, numbers in counts().items()}
    return None if tuple(lines[0]) == COLUMNS and written == wanted else (
        f"{PATH.name}: expected {wanted}, got {written}: front_ends.py --build BUILD --table writes it")
