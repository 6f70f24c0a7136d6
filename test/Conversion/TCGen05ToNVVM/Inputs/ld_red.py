"""tcgen05.ld.red with every reduction and both shapes on the emulator.

A warp stores rows of bits to Tensor Memory, loads them with a reduction and writes
what it loaded and the reduction to global memory. Rows hold zeros of both signs,
infinity, NaN, some NaN alone. What is expected is written here by hand.

    ld_red.py WORK_FOLDER [tc-compile [tc-run]]
"""
import pathlib
import random
import shutil
import struct
import sys

sys.dont_write_bytecode = True
from tmem_loads import SPECIAL, reduce_floats, run  # noqa: E402

COLUMNS, COUNT, OFFSET = 32, 16, 11
# (reduction, abs, nan, type of the region)
CASES = [(op, absolute, nan, "f32") for op in ("min", "max") for absolute in (False, True) for nan in (False, True)]
CASES += [(op, False, False, "i32") for op in ("min", "max", "umin", "umax")]
SHAPES = ("32x32b", "16x32bx2")


def rows():
    """128 rows of bits."""
    generator = random.Random(5)
    out = []
    for row in range(128):
        values = [struct.unpack("<I", struct.pack("<f", generator.uniform(-9, 9)))[0] for _ in range(COLUMNS)]
        if row % 4 == 1:
            values = [generator.choice(SPECIAL[:2]) for _ in range(COLUMNS)]
        elif row % 4 == 2:
            values[generator.randrange(COLUMNS)] = generator.choice(SPECIAL)
            values[generator.randrange(COLUMNS)] = 0x7FC00001
        elif row % 16 == 3:
            values = [generator.choice((0x7FC00001, 0xFF800001)) for _ in range(COLUMNS)]
        out.append(values)
    return out


def reduce(bits, op, absolute, nan, element):
    pick = min if op in ("min", "umin") else max
    if element == "i32":
        return pick(bits, key=(lambda x: x) if op[0] == "u" else (lambda x: x - (x >> 31 << 32)))
    return reduce_floats(bits, op, absolute, nan)


def loaded(data, shape, thread):
    """What the thread loads, COUNT values."""
    if shape == "32x32b":
        return data[thread][:COUNT]
    start = OFFSET if thread % 32 >= 16 else 0
    return data[thread // 32 * 32 + thread % 16][start:start + COUNT]


def kernel():
    lines, n = [], 0
    for element in ("f32", "i32"):
        region = f"!tcgen05.tmem<128x{COLUMNS}x{element}, D>"
        window = region.replace("<128", "<32")
        lines += [f"%all_{element} = tcgen05.reserve : {region}",
                  f"%mine_{element} = tcgen05.warp_window %all_{element} : {region}",
                  f"%b_{element} = arith.bitcast %bits : vector<{COLUMNS}xi32> to vector<{COLUMNS}x{element}>"
                  if element == "f32" else f"%b_{element} = arith.ori %bits, %bits : vector<{COLUMNS}xi32>",
                  f"tcgen05.st %b_{element}, %mine_{element} : vector<{COLUMNS}x{element}> to {window}"]
    lines.append("tcgen05.wait st")
    for shape in SHAPES:
        for op, absolute, nan, element in CASES:
            columns = COUNT + (OFFSET if shape != "32x32b" else 0)
            part = f"!tcgen05.tmem<32x{columns}x{element}, D>"
            form = "" if shape == "32x32b" else f' shape "{shape}" offset {OFFSET}'
            vector, one = f"vector<{COUNT}x{element}>", f"vector<1x{element}>"
            lines += [f"%s{n} = tcgen05.slice %mine_{element}[0] : !tcgen05.tmem<32x{COLUMNS}x{element}, D> to {part}",
                      f"%p{n}, %m{n} = tcgen05.ld_red {op} %s{n}{form}{' abs' * absolute}{' nan' * nan} : {part} to {vector}, {one}",
                      f"%v{n}, %r{n} = tcgen05.wait ld(%p{n}, %m{n} : {vector}, {one})",
                      f"%first{n} = arith.constant {128 * n} : index",
                      f"%at{n} = arith.addi %tid, %first{n} : index"]
            for value, name, count, column in ((f"%v{n}", "x", COUNT, "%c0"), (f"%r{n}", "y", 1, "%last")):
                bits = value
                if element == "f32":
                    bits = f"%{name}{n}"
                    lines.append(f"{bits} = arith.bitcast {value} : vector<{count}xf32> to vector<{count}xi32>")
                lines.append(f"vector.store {bits}, %d[%at{n}, {column}] : !out, vector<{count}xi32>")
            n += 1
    newline = "\n      "
    return f"""
!in = memref<128x{COLUMNS}xi32>
!out = memref<{128 * n}x{COUNT + 1}xi32>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_103a", features = "+ptx88">] {{
    gpu.func @k(%in: !in, %d: !out) kernel attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
      %tid = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %last = arith.constant {COUNT} : index
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
    found = run(work, tools, kernel(), data, ["ptxas", "-arch=sm_103a"] if shutil.which("ptxas") else None)
    failures = n = 0
    for shape in SHAPES:
        for case in CASES:
            for thread in range(128):
                values = loaded(data, shape, thread)
                at = (128 * n + thread) * (COUNT + 1)
                expected, got = values + [reduce(values, *case)], found[at:at + COUNT + 1].tolist()
                if got != expected:
                    failures += 1
                    print(f"{shape} {case}, thread {thread}: expected {expected}, got {got}")
                    break
            n += 1
    print(f"{n - failures} of {n} reductions right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
