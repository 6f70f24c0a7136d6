"""One-tile kernels for every layout of operands in shared memory, run on the
emulator.

For each case the script writes a kernel in tcgen05 and sm90 (TMA loads of the
slabs, the instructions of one tile, the sum to global memory), compiles it, runs
it under several schedules, and compares with the product of the matrices
(one_tile.py).

    smem_layouts.py WORK_FOLDER [tc-compile [tc-run]]
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from one_tile import ALIGN, SPACE, SPAN, Operand, align_up, chunks, compare, execute, host_function, load_slabs, main  # noqa: E402


def kernel(m, n, k, operands):
    """The module, and the bytes of dynamic shared memory without padding."""
    views, loads, offset = load_slabs(operands)
    barriers = align_up(offset, 8)
    size = barriers + 16
    a, b = operands
    acc = f"!tcgen05.tmem<{m}x{n}xf32, {'D' if m == 128 else 'F'}>"
    instructions = [
        f"tcgen05.mma f16 %acc, %A, %B accumulate(%{'true' if step else 'false'})"
        f" {{a_k = {step} : i64, b_k = {step} : i64}} : {acc}, {a.tile_type}, {b.tile_type}"
        for step in range(0, k, 16)]
    out = f"memref<{m}x{n}xf32, strided<[{n}, 1]>, 1>"
    stores = []
    for start, width in chunks(n):
        window = f"!tcgen05.tmem<{m // 4}x{n}xf32, {'D' if m == 128 else 'F'}>"
        part = window.replace(f"x{n}xf32", f"x{width}xf32")
        stores += [
            f"%c_{start} = arith.constant {start} : index",
            f"%p{start} = tcgen05.slice %mine[{start}] : {window} to {part}",
            f"%v{start} = tcgen05.ld %p{start} : {part} to vector<{width}xf32>",
            f"%w{start} = tcgen05.wait ld(%v{start} : vector<{width}xf32>)",
            "scf.if %stores {",
            f"  vector.store %w{start}, %out[%row, %c_{start}] : {out}, vector<{width}xf32>",
            "}"]
    # Layout F has 16 rows in each warp's window of 32 lanes.
    rows = m // 4
    text = f"""
!smem = memref<{size}xi8, {SPACE}>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {{
    gpu.func @tile(%mapA: {a.map_type}, %mapB: {b.map_type}, %d: memref<f32, 1>) kernel
        attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %rows = arith.constant {rows} : index
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %acc = tcgen05.reserve : {acc}
      %smem = sm90.dynamic_smem align {ALIGN} : !smem
      {chr(10).join(views)}
      %bars = sm90.mbarrier.view %smem[{barriers}] : !smem to !sm90.mbarrier_array<2>
      %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
      %done = sm90.mbarrier.get %bars[1] : !sm90.mbarrier_array<2>
      %tid = gpu.thread_id x
      %warp = arith.divui %tid, %c32 : index
      %lane = arith.remui %tid, %c32 : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %full, 1 : !sm90.mbarrier
          sm90.mbarrier.init %done, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      gpu.barrier
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.arrive_expect_tx %full, {a.bytes + b.bytes} : !sm90.mbarrier
          {chr(10).join(loads)}
          sm90.mbarrier.wait_parity %full, %first : !sm90.mbarrier
          tcgen05.fence after
          {chr(10).join(instructions)}
          tcgen05.commit %done : !sm90.mbarrier
        }}
      }}
      sm90.mbarrier.wait_parity %done, %first : !sm90.mbarrier
      tcgen05.fence after
      %mine = tcgen05.warp_window %acc : {acc}
      %out = memref.reinterpret_cast %d to offset: [0], sizes: [{m}, {n}], strides: [{n}, 1] : memref<f32, 1> to {out}
      %base = arith.muli %warp, %rows : index
      %row = arith.addi %base, %lane : index
      %stores = arith.cmpi ult, %lane, %rows : index
      {chr(10).join(stores)}
      gpu.return
    }}
  }}
  {host_function(operands, [('D', 'memref<f32, 1>')], size)}
}}
"""
    return text, size


def run(tools, work, case):
    m, n, k, a_layout, b_layout, dtype = case
    a = Operand("A", m, k, *a_layout, dtype)
    b = Operand("B", n, k, *b_layout, dtype)
    text, size = kernel(m, n, k, (a, b))
    values, error = execute(tools, work, text, size, (a, b), [a.tensor_map(), b.tensor_map()], (m, n, "f32"))
    if error:
        return error
    rows = [[a.at(i, p) for p in range(k)] for i in range(m)]
    columns = [[b.at(j, p) for p in range(k)] for j in range(n)]
    return compare(values, rows, columns)


def cases():
    usual = ("k_major", "b128")
    for major in ("k_major", "mn_major"):
        for swizzle in SPAN:
            yield 128, 64, 64, (major, swizzle), usual, "bf16"
            yield 128, 64, 64, usual, (major, swizzle), "f16"
    # M = 64 (layout F), several slabs along K and along N, the smallest and the
    # largest N, K of one instruction.
    yield 64, 40, 32, ("k_major", "b64"), ("k_major", "b32"), "bf16"
    yield 64, 136, 64, ("mn_major", "b64"), ("mn_major", "none"), "f16"
    yield 128, 8, 192, usual, usual, "f16"
    yield 128, 256, 16, ("k_major", "b32"), ("mn_major", "b128"), "bf16"


if __name__ == "__main__":
    sys.exit(main(run, cases()))
