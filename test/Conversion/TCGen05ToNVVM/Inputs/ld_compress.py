"""tcgen05.ld.spcompress of every form on the emulator.

A warp stores rows of f32 to Tensor Memory, loads them compressed and writes what it kept, the indices and the
reduction to global memory. Rows hold equal values, zeros of both signs, infinity and NaN. What is expected is written
here by hand, from the text of the ISA and the order that rubin-compress-order names.

    ld_compress.py WORK_FOLDER [tc-compile [tc-run]]
"""
import os
import pathlib
import random
import struct
import sys

sys.dont_write_bytecode = True
from tmem_loads import SPECIAL, is_nan, order, reduce_floats, run  # noqa: E402

COLUMNS = 64
# (columns, reduction, abs, whether it reduces, nan)
CASES = [(columns, op, absolute, reduces, nan) for columns in (4, 8, 32, 64) for op in ("min", "max")
         for absolute in (False, True) for reduces, nan in ((False, False), (True, False), (True, True))]


def rows():
    """128 rows of bits."""
    generator = random.Random(7)
    special = SPECIAL + [0x3F800000, 0xBF800000]
    out = []
    for row in range(128):
        values = [struct.unpack("<I", struct.pack("<f", generator.uniform(-9, 9)))[0] for _ in range(COLUMNS)]
        if row % 2:
            values = [generator.choice(special) if generator.random() < row / 128 else value for value in values]
        out.append(values)
    return out


def compress(bits, op, absolute):
    """What is kept, and the words of the indices."""
    kept, words = [], [0] * ((len(bits) + 31) // 32)
    for first in range(0, len(bits), 4):
        group = bits[first:first + 4]
        keys = [0 if is_nan(x) else order(x & 0x7FFFFFFF if absolute else x) for x in group]
        ranked = sorted(range(4), key=lambda i: (not is_nan(group[i]), keys[i] if op == "min" else -keys[i], i))
        chosen = sorted(ranked[:2])
        kept += [group[i] for i in chosen]
        words[first // 32] |= (chosen[0] + 4 * chosen[1]) << first % 32
    return kept, words


def expect(row, columns, op, absolute, reduces, nan):
    kept, words = compress(row[:columns], op, absolute)
    return kept + words + ([reduce_floats(row[:columns], op, absolute, nan)] if reduces else [])


def kernel():
    region, window = f"!tcgen05.tmem<128x{COLUMNS}xf32, D>", f"!tcgen05.tmem<32x{COLUMNS}xf32, D>"
    lines = [f"%all = tcgen05.reserve : {region}", f"%mine = tcgen05.warp_window %all : {region}",
             f"%floats = arith.bitcast %bits : vector<{COLUMNS}xi32> to vector<{COLUMNS}xf32>",
             f"tcgen05.st %floats, %mine : vector<{COLUMNS}xf32> to {window}", "tcgen05.wait st"]
    for n, (columns, op, absolute, reduces, nan) in enumerate(CASES):
        part = f"!tcgen05.tmem<32x{columns}xf32, D>"
        types = [f"vector<{columns // 2}xf32>", f"vector<{(columns + 31) // 32}xi32>"] + ["vector<1xf32>"] * reduces
        names = ["v", "i", "r"][:len(types)]
        lines += [f"%s{n} = tcgen05.slice %mine[0] : {window} to {part}",
                  f"{', '.join(f'%p{x}{n}' for x in names)} = tcgen05.ld_compress {op} %s{n}{' abs' * absolute}{' nan' * nan} "
                  f": {part} to {', '.join(types)}",
                  f"{', '.join(f'%{x}{n}' for x in names)} = tcgen05.wait ld({', '.join(f'%p{x}{n}' for x in names)} : {', '.join(types)})",
                  f"%first{n} = arith.constant {128 * n} : index", f"%at{n} = arith.addi %tid, %first{n} : index"]
        place = 0
        for name, type_ in zip(names, types):
            count = int(type_[7:type_.index("x")])
            bits = f"%{name}{n}"
            if type_.endswith("f32>"):
                lines.append(f"%b{name}{n} = arith.bitcast {bits} : {type_} to vector<{count}xi32>")
                bits = f"%b{name}{n}"
            lines += [f"%c{name}{n} = arith.constant {place} : index",
                      f"vector.store {bits}, %d[%at{n}, %c{name}{n}] : !out, vector<{count}xi32>"]
            place += count
    newline = "\n      "
    return f"""
!in = memref<128x{COLUMNS}xi32>
!out = memref<{128 * len(CASES)}x{COLUMNS}xi32>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_107a", features = "+ptx94">] {{
    gpu.func @k(%in: !in, %d: !out) kernel attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
      %tid = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %bits = vector.load %in[%tid, %c0] : !in, vector<{COLUMNS}xi32>
      {newline.join(lines)}
      gpu.return
    }}
  }}
  func.func @host(%in: !in, %d: !out) {{
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%in : !in, %d : !out)
    return
  }}
}}
"""


def main():
    work = pathlib.Path(sys.argv[1])
    tools = (sys.argv[2:] + ["tc-compile", "tc-run"][len(sys.argv) - 2:])[:2]
    data = rows()
    # Of CUDA 13.4 or later.
    ptxas = os.environ.get("TC_PTXAS")
    found = run(work, tools, kernel(), data, [ptxas, "-arch=sm_107a"] if ptxas else None)
    failures = 0
    for n, case in enumerate(CASES):
        for thread in range(128):
            expected = expect(data[thread], *case)
            at = (128 * n + thread) * COLUMNS
            got = found[at:at + len(expected)].tolist()
            if got != expected:
                failures += 1
                print(f"{case}, thread {thread}: expected {expected}, got {got}")
                break
    print(f"{len(CASES) - failures} of {len(CASES)} compressions right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
