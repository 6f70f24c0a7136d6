"""One-tile kernels of wgmma for every layout of the operands, run on the
emulator.

For each case the script writes a kernel in sm90 (TMA loads of the slabs, the
instructions of one tile, two accumulators of 64 rows where M is 128, the sums to
global memory), compiles it for sm_90a, runs it under several schedules, and
compares with the product of the matrices (one_tile.py).

    wgmma_tiles.py WORK_FOLDER [tc-compile [tc-run]]
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from one_tile import ALIGN, SPACE, SPAN, Operand, align_up, compare, execute, host_function, load_slabs, main  # noqa: E402


def fragment_of_a(name, step, dtype, source):
    """The registers of A for one instruction, read from global memory."""
    lines = []
    for r in range(4):
        v = f"%{name}_{r}"
        lines += [
            f"{v}r = arith.addi %row, %c{8 * (r % 2)} : index",
            f"{v}k = arith.constant {step + 8 * (r // 2)} : index",
            f"{v}c = arith.addi {v}k, %pair : index",
            f"{v} = vector.load %gA[{v}r, {v}c] : {source}, vector<2x{dtype}>"]
    two, four = f"vector<2x{dtype}>", f"vector<4x{dtype}>"
    lines += [f"%{name}_lo = vector.shuffle %{name}_0, %{name}_1 [0, 1, 2, 3] : {two}, {two}",
              f"%{name}_hi = vector.shuffle %{name}_2, %{name}_3 [0, 1, 2, 3] : {two}, {two}",
              f"%{name} = vector.shuffle %{name}_lo, %{name}_hi [0, 1, 2, 3, 4, 5, 6, 7] : {four}, {four}"]
    return lines


def multiply(m, n, k, a, b, sum_type, registers, negate):
    """The instructions of all accumulators, each a group; the names of the sums."""
    acc = f"vector<{n // 2}x{sum_type}>"
    lines, steps = [], range(0, k, 16)
    zero = f"%zero = arith.constant dense<7.0> : {acc}"  # not read: accumulate is false
    fence = [f"%acc{i}_0" for i in range(m // 64)]
    values = ["%zero"] * len(fence)
    types = [acc] * len(fence)
    a_type = a.tile_type
    if registers:
        a_type = f"vector<8x{a.dtype}>"
        for step in steps:
            lines += fragment_of_a(f"raw{step}", step, a.dtype, f"memref<{m}x{k}x{a.dtype}, strided<[{k}, 1]>, 1>")
            fence.append(f"%a{step}")
            values.append(f"%raw{step}")
            types.append(a_type)
    lines.append(f"%fenced:{len(fence)} = sm90.wgmma.fence({', '.join(values)} : {', '.join(types)})")
    at = {name: f"%fenced#{i}" for i, name in enumerate(fence)}
    sums = []
    for i in range(m // 64):
        last = at[f"%acc{i}_0"]
        for step in steps:
            source = at[f"%a{step}"] if registers else "%A"
            where = "" if registers else f"a_m = {64 * i} : i64, a_k = {step} : i64, "
            lines.append(
                f"%acc{i}_{step + 16} = sm90.wgmma.mma_async {last}, {source}, %B"
                f" accumulate(%{'true' if step else 'false'}) {{{where}b_k = {step} : i64{negate}}}"
                f" : {acc}, {a_type}, {b.tile_type}")
            last = f"%acc{i}_{step + 16}"
        lines.append("sm90.wgmma.commit_group")
        sums.append(last)
    # The first accumulator is read while the second may still be written.
    for i, name in enumerate(sums):
        lines.append(f"%sum{i} = sm90.wgmma.wait_group {len(sums) - 1 - i} ({name} : {acc})")
        lines += store(i, n, sum_type, acc)
    return [zero] + lines


def store(i, n, sum_type, acc):
    lines = []
    for j in range(n // 8):
        for h in range(2):
            v = f"%s{i}_{j}_{h}"
            first = 4 * j + 2 * h
            lines += [
                f"{v} = vector.shuffle %sum{i}, %sum{i} [{first}, {first + 1}] : {acc}, {acc}",
                f"{v}k = arith.constant {64 * i + 8 * h} : index",
                f"{v}r = arith.addi %row, {v}k : index",
                f"{v}j = arith.constant {8 * j} : index",
                f"{v}c = arith.addi %pair, {v}j : index",
                f"vector.store {v}, %out[{v}r, {v}c] : !out, vector<2x{sum_type}>"]
    return lines


def kernel(m, n, k, a, b, sum_type, registers, negate):
    """The module, and the bytes of dynamic shared memory without padding."""
    in_memory = [b] if registers else [a, b]
    views, loads, offset = load_slabs(in_memory)
    barriers = align_up(offset, 8)
    size = barriers + 8
    body = multiply(m, n, k, a, b, sum_type, registers, negate)
    newline = "\n      "
    return f"""
!smem = memref<{size}xi8, {SPACE}>
!out = memref<{m}x{n}x{sum_type}, strided<[{n}, 1]>, 1>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {{
    gpu.func @tile(%mapA: {a.map_type}, %mapB: {b.map_type}, %ga: memref<{a.dtype}, 1>, %d: memref<{sum_type}, 1>) kernel
        attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %smem = sm90.dynamic_smem align {ALIGN} : !smem
      {newline.join(views)}
      %bars = sm90.mbarrier.view %smem[{barriers}] : !smem to !sm90.mbarrier_array<1>
      %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
      %tid = gpu.thread_id x
      %warp = arith.divui %tid, %c32 : index
      %lane = arith.remui %tid, %c32 : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %full, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      gpu.barrier
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.arrive_expect_tx %full, {sum(op.bytes for op in in_memory)} : !sm90.mbarrier
          {newline.join(loads)}
        }}
      }}
      sm90.mbarrier.wait_parity %full, %first : !sm90.mbarrier
      %quad = arith.divui %lane, %c4 : index
      %base = arith.muli %warp, %c16 : index
      %row = arith.addi %base, %quad : index
      %within = arith.remui %lane, %c4 : index
      %pair = arith.muli %within, %c2 : index
      %out = memref.reinterpret_cast %d to offset: [0], sizes: [{m}, {n}], strides: [{n}, 1] : memref<{sum_type}, 1> to !out
      %gA = memref.reinterpret_cast %ga to offset: [0], sizes: [{m}, {k}], strides: [{k}, 1] : memref<{a.dtype}, 1> to memref<{m}x{k}x{a.dtype}, strided<[{k}, 1]>, 1>
      {newline.join(body)}
      gpu.return
    }}
  }}
  {host_function((a, b), [('GA', f'memref<{a.dtype}, 1>'), ('D', f'memref<{sum_type}, 1>')], size)}
}}
""", size


def run(tools, work, case):
    m, n, k, a_layout, b_layout, dtype, sum_type, registers, negate = case
    a = Operand("A", m, k, *a_layout, dtype)
    b = Operand("B", n, k, *b_layout, dtype)
    negates = "".join(f", negate_{name}" for name in negate)
    text, size = kernel(m, n, k, a, b, sum_type, registers, negates)
    params = [a.tensor_map(), b.tensor_map(), {"pointer": "A", "offset": 0}]
    values, error = execute(tools, work, text, size, (a, b), params, (m, n, sum_type))
    if error:
        return error
    sign = (-1) ** len(negate)
    rows = [[sign * a.at(i, p) for p in range(k)] for i in range(m)]
    columns = [[b.at(j, p) for p in range(k)] for j in range(n)]
    return compare(values, rows, columns)


def cases():
    usual = ("k_major", "b128")
    for major in ("k_major", "mn_major"):
        for swizzle in SPAN:
            yield 64, 64, 64, (major, swizzle), usual, "bf16", "f32", False, ""
            yield 64, 64, 64, usual, (major, swizzle), "f16", "f32", False, ""
    # Two accumulators, all four transpositions.
    for a_major in ("k_major", "mn_major"):
        for b_major in ("k_major", "mn_major"):
            yield 128, 64, 32, (a_major, "b64"), (b_major, "b64"), "bf16", "f32", False, ""
    # The smallest and the largest N, the other sum, signs, A in registers.
    yield 64, 8, 192, usual, usual, "bf16", "f32", False, ""
    yield 64, 256, 16, ("k_major", "b32"), ("mn_major", "b128"), "bf16", "f32", False, ""
    yield 128, 40, 64, usual, usual, "f16", "f16", False, ""
    yield 64, 24, 48, ("k_major", "b32"), ("k_major", "b32"), "f16", "f32", False, "a"
    yield 64, 24, 48, ("k_major", "b32"), ("k_major", "b32"), "bf16", "f32", False, "ab"
    yield 64, 72, 64, usual, usual, "bf16", "f32", True, ""
    yield 64, 48, 32, ("k_major", "b64"), ("mn_major", "b32"), "f16", "f16", True, "b"


if __name__ == "__main__":
    sys.exit(main(run, cases()))
