"""Converts every number of a type for sm_100a, by way of f32, and for sm_107f, in one instruction: the same bits.

    convert_halves.py WORK_FOLDER
"""
import array
import json
import pathlib
import random
import subprocess
import sys

MODULE = """#id = affine_map<(a, b) -> (a, b)>
func.func @convert(%x: tensor<257x255x{source}>) -> tensor<257x255x{to}> {{
  %empty = tensor.empty() : tensor<257x255x{to}>
  %y = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}}
      ins(%x : tensor<257x255x{source}>) outs(%empty : tensor<257x255x{to}>) {{
  ^bb0(%in: {source}, %out: {to}):
    %v = arith.{op} %in : {source} to {to}
    linalg.yield %v : {to}
  }} -> tensor<257x255x{to}>
  return %y : tensor<257x255x{to}>
}}
"""
# Types, the operation and what sm_107f has for it.
CASES = [("bf16", "f8E4M3FN", "truncf", "cvt.rn.satfinite.e4m3x2.bf16x2"), ("bf16", "f8E5M2", "truncf", "cvt.rn.satfinite.e5m2x2.bf16x2"),
         ("f16", "f8E4M3FN", "truncf", "cvt.rn.satfinite.e4m3x2.f16x2"), ("f16", "f8E5M2", "truncf", "cvt.rn.satfinite.e5m2x2.f16x2"),
         ("f8E4M3FN", "bf16", "extf", "cvt.rn.bf16x2.e4m3x2"), ("f8E5M2", "bf16", "extf", "cvt.rn.bf16x2.e5m2x2")]
# All numbers but one, so that an end is left over; a pair has unlike ones.
PATTERNS = random.Random(107).sample(range(65536), 257 * 255)


def compute(work, chip, case, data):
    """The results, and the PTX."""
    source, to, op, _ = case
    (work / "convert.mlir").write_text(MODULE.format(source=source, to=to, op=op))
    (work / "in.bin").write_bytes(data)
    subprocess.run(["tc-compile", "convert.mlir", "-o", "convert.ptx", f"--chip={chip}"], cwd=work, check=True)
    said = json.loads((work / "convert.json").read_text())
    subprocess.run(["tc-run", "convert.ptx", "--races=strict", "--buffer", f"{said['arguments'][0]}=in.bin",
                    "--out", f"{said['results'][0]['buffer']}=out.bin"], cwd=work, check=True, stdout=subprocess.DEVNULL)
    return (work / "out.bin").read_bytes(), (work / "convert.ptx").read_text()


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        data = array.array("H", PATTERNS).tobytes() if case[2] == "truncf" else bytes(word & 255 for word in PATTERNS)
        (expected, older), (got, newer) = (compute(work, chip, case, data) for chip in ("sm_100a", "sm_107f"))
        differing = sum(left != right for left, right in zip(expected, got))
        print(f"{case[3]}: {len(got)} bytes, {differing} differ")
        if case[3] not in newer or case[3] in older or ".f32" in newer:
            print(f"error: expected {case[3]} for sm_107f alone, without f32")


if __name__ == "__main__":
    main()
