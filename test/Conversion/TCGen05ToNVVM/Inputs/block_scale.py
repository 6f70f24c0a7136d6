"""One-tile kernels of tcgen05.mma_block_scale with both CTA groups, with A in
shared or Tensor Memory and with a sparse A, run on the emulator.

For each case the script writes a kernel in tcgen05 and sm90: the slabs of A and
B and the tiles of scale factors through TMA, tcgen05.cp of the factors, the
instructions of one tile, the sums to global memory. It compiles it, runs it under
several schedules, and compares with the scaled product (one_tile.py). The factors
are powers of two, and those of f8E4M3FN one and a half of them, so that every sum
is exact. Where a factor is in memory is that of test/Formats/scales.txt.

    block_scale.py WORK_FOLDER [tc-compile [tc-run]]
"""
import pathlib
import struct
import sys
import typing

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "Formats"))
from record import scale_places  # noqa: E402
from one_tile import ALIGN, SPACE, Operand, align_up, chunks, compare, execute, issue, main  # noqa: E402


BLOCKS = 4  # of K in a tile of factors
USUAL = ("k_major", "b128")
STEP = {"mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}  # elements of K of a dense instruction
CODES = (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110, 0b0110)  # which two of four are kept


class Case(typing.NamedTuple):
    kind: str
    ctas: int
    n: int
    k: int
    a_layout: tuple = USUAL
    b_layout: tuple = USUAL
    a_type: str = "e2m1"
    b_type: str = "e2m1"
    negate: bool = False
    rows: int = 128  # of a CTA
    scale: str = "f8E8M0FNU"
    block: int = 32  # elements of K that share a factor
    scale_vec: bool = False  # the modifier's older spelling
    sparse: bool = False
    tmem_a: bool = False
    wide: bool = False  # K of 64 bytes of a row, on sm_107f
    reuse: bool = False  # each step twice, B from the collector buffer the second time, on sm_107f

    @property
    def step(self):
        """Elements of K of an instruction."""
        return STEP[self.kind] * (2 if self.sparse or self.wide else 1)

    @property
    def chip(self):
        return "sm_107f" if self.wide or self.reuse or self.scale == "ui8" or (self.scale, self.block) == ("f8E4M3FN", 32) else "sm_100a"

    @property
    def groups(self):
        """Tiles of factors along K that an instruction reads."""
        return -(-self.step // self.shared // BLOCKS)

    @property
    def shared(self):
        """Elements of K that share a factor: with a sparse A twice as many."""
        return self.block * (2 if self.sparse else 1)


class Scales:
    """The factors of `rows` rows and of `k` elements, in tiles of 128 rows and 4 blocks, along
    K first; `tile_rows`: of which a CTA has as many. `split`: those of B where D has layout B,
    in tiles of 64 rows."""

    def __init__(self, name, rows, case, split=False):
        self.name, self.rows, self.split, self.scale, self.block = name, rows, split, case.scale, case.shared
        self.tile_rows = case.rows if name == "SA" else 128
        self.blocks = case.k // case.shared
        self.groups = -(-self.blocks // BLOCKS)
        self.tiles = 1 if split else -(-rows // self.tile_rows)
        layout = "scales_split" if split else "scales"
        self.type = f"!tcgen05.tmem<128x{16 * (1 if self.tile_rows < 128 else self.tiles)}x{self.scale}, {layout}, packed>"
        self.part = f"!tcgen05.tmem<128x16x{self.scale}, {layout}, packed>"
        # Of one instruction: those of all rows for 4 blocks after the other.
        self.read = 1 if self.name == "SA" else self.tiles
        self.region = f"!tcgen05.tmem<128x{16 * self.read * case.groups}x{self.scale}, {layout}, packed>"
        self.height = 64 if split else 32
        self.tile = f"memref<{self.height}x16x{self.scale}, {SPACE}>"
        self.map = f"!sm90.tensor_map<{self.height}x16x{self.scale}, none>"
        self.shape_of_cp = ' shape "64x128b.warpx2::01_23"' if split else ""

    def exponent(self, row, block):
        return (row * 3 + block * 5 + row * block % 4 + len(self.name)) % 5 - 2

    def half(self, row, block):
        """Whether the factor is one and a half times its power of two."""
        return self.scale != "f8E8M0FNU" and (row + block) % 3 == 0

    def factor(self, row, k):
        block = k // self.block
        return 2.0 ** self.exponent(row, block) * (1.5 if self.half(row, block) else 1)

    def code(self, row, block):
        if self.scale == "f8E8M0FNU":
            return 127 + self.exponent(row, block)
        bias = 7 if self.scale == "f8E4M3FN" else 15  # ui8: ue5m3
        return bias + self.exponent(row, block) << 3 | (4 if self.half(row, block) else 0)

    dtype = "u8"

    @property
    def shape(self):
        return [self.tiles * self.groups * self.height, 16]

    def place(self, row, block):
        """The byte in memory."""
        group, byte = divmod(block, BLOCKS)
        if self.split:  # one half of the columns after the other
            half, place = divmod(row, self.rows // 2)
            at = group * 1024 + half * 512
        else:
            tile, place = divmod(row, self.tile_rows)
            at = (tile * self.groups + group) * 512
        return at + place % 32 * 16 + place // 32 * 4 + byte

    def data(self):
        out = bytearray(self.tiles * self.groups * 16 * self.height)
        for row in range(self.rows):
            for block in range(self.blocks):
                out[self.place(row, block)] = self.code(row, block)
        return bytes(out)

    def tensor_map(self):
        return {"tensor_map": {
            "buffer": self.name, "offset": 0, "dtype": "u8", "dims": [16, self.height * self.tiles * self.groups], "strides": [16],
            "box": [16, self.height], "element_strides": [1, 1], "swizzle": "none", "interleave": "none",
            "oob_fill": "zero"}}


class Metadata:
    """Which elements of A are kept: of 8-bit elements 2 of 4, of 4-bit ones 2 pairs of 4. Two cells of
    a lane for each instruction, row m of a CTA in lane m."""
    name, dtype = "E", "i32"

    def __init__(self, case):
        self.rows, self.steps, self.step = case.rows * case.ctas, case.k // case.step, case.step
        self.pair = 2 if case.kind != "mxf8f6f4" else 1
        self.shape = [self.rows, 2 * self.steps]

    def code(self, row, chunk):
        return CODES[(row * 5 + chunk * 3 + row // 8) % len(CODES)]

    def data(self):
        cells = [[0] * (2 * self.steps) for _ in range(self.rows)]
        for row in range(self.rows):
            for chunk in range(self.steps * self.step // (4 * self.pair)):
                step, k = divmod(4 * self.pair * chunk, self.step)
                bit = k // self.pair
                cells[row][2 * step + bit // 32] |= self.code(row, chunk) << bit % 32
        return b"".join(struct.pack(f"<{len(row)}I", *row) for row in cells)

    def expand(self, row, kept):
        """A row as the instruction multiplies it."""
        out = [0] * (2 * len(kept))
        for chunk in range(len(out) // (4 * self.pair)):
            code = self.code(row, chunk)
            for half, place in enumerate((code & 3, code >> 2)):
                for e in range(self.pair):
                    out[(4 * chunk + place) * self.pair + e] = kept[(2 * chunk + half) * self.pair + e]
        return out


def loads_of(operands, scales, ctas):
    """Views and loads of one CTA; the bytes, and the end of the tiles."""
    views, loads, offset, total = [], [], 0, 0
    for op in operands:
        offset = align_up(offset, ALIGN)
        views.append(f"%{op.name} = sm90.smem_view %smem[{offset}] : !smem to {op.tile_type}")
        # A CTA of a pair has its half of the rows of A and of the columns of B.
        lines, fast = ("%half" + op.name, None) if op.major == "k_major" else ("%c0", "%half" + op.name)
        for slab in range(op.slabs):
            name = f"{op.name}{slab}"
            views.append(f"%{name} = sm90.smem_view %smem[{offset + op.size(slab * op.slab)}] : !smem to {op.slab_type}")
            views.append(f"%k{name} = arith.constant {slab * op.span} : index")
            if fast:
                views.append(f"%c{name} = arith.addi %k{name}, {fast} : index")
            column = f"%c{name}" if fast else f"%k{name}"
            loads.append(f"sm90.tma_load %map{op.name}[{lines}, {column}], %{name}, %full"
                         f" : {op.map_type}, {op.slab_type}, !sm90.mbarrier")
        offset += op.size(op.slabs * op.slab)
        total += op.bytes
    for sf in scales:
        offset = align_up(offset, 128)
        # All factors of B, those of A for the rows of the CTA.
        tiles = sf.groups * (1 if sf.name == "SA" else sf.tiles)
        for tile in range(tiles):
            name = f"{sf.name}{tile}"
            views += [f"%{name} = sm90.smem_view %smem[{offset + 16 * sf.height * tile}] : !smem to {sf.tile}",
                      f"%k{name} = arith.constant {sf.height * tile} : index",
                      f"%c{name} = arith.addi %k{name}, %{'own' if sf.name == 'SA' else 'c0'} : index"]
            loads.append(f"sm90.tma_load %map{sf.name}[%c{name}, %c0], %{name}, %full"
                         f" : {sf.map}, {sf.tile}, !sm90.mbarrier")
        offset += 16 * sf.height * tiles
        total += 16 * sf.height * tiles
    return views, loads, total, offset


def kernel(case, a, b, sa, sb, meta):
    ctas, n, k, rows = case.ctas, case.n, case.k, case.rows
    # Of 64 rows in a CTA the columns of D are in two halves of the lanes.
    m, columns = 128 * ctas, n if rows == 128 else n // 2
    views, loads, total, offset = loads_of((a, b), (sa, sb), ctas)
    barriers = align_up(offset, 8)
    size = barriers + 16
    pair = " cta_group 2" if ctas == 2 else ""
    layout = "D" if ctas == 1 else "A" if rows == 128 else "B"
    acc = f"!tcgen05.tmem<128x{columns}xf32, {layout}>"
    work, regions, place, place_type = [], [], "%A", a.tile_type
    if case.tmem_a:
        end = f"x{a.element}, {layout}, packed>"
        place, place_type, piece = "%TA", f"!tcgen05.tmem<128x{a.k}{end}", f"!tcgen05.tmem<128x{256 // a.bits}{end}"
        regions.append(f"%TA = tcgen05.reserve : {place_type}")
        for part in range(a.k * a.bits // 256):
            work += [f"%t{part} = tcgen05.slice %TA[{8 * part}] : {place_type} to {piece}",
                     f"tcgen05.cp %A, %t{part} shape \"128x256b\"{pair} {{k = {part * 256 // a.bits} : i64}} : {a.tile_type}, {piece}"]
    before, argument, kept = [], "", ""
    if meta:
        cells = meta.shape[1]
        all_cells, two_cells = (f"!tcgen05.tmem<128x{count}xi32, metadata{a.bits}>" for count in (cells, 2))
        argument = f"%meta: memref<{meta.rows}x{cells}xi32, 1>, "
        regions.append(f"%e = tcgen05.reserve : {all_cells}")
        before = [f"%mineE = tcgen05.warp_window %e : {all_cells}",
                  f"%cells = vector.load %meta[%row, %c0] : memref<{meta.rows}x{cells}xi32, 1>, vector<{cells}xi32>",
                  f"tcgen05.st %cells, %mineE : vector<{cells}xi32> to {all_cells.replace('<128x', '<32x')}",
                  "tcgen05.wait st"]
    for group in range(sa.groups):
        for sf in (sa, sb):
            region, place_of_group = divmod(group, case.groups)
            for tile in range(sf.read):
                part = f"%t{sf.name}{region}"
                if sf.region != sf.part:
                    column = 4 * (place_of_group * sf.read + tile)
                    work.append(f"{part}_{column} = tcgen05.slice {part}[{column}] : {sf.region} to {sf.part}")
                    part += f"_{column}"
                work.append(f"tcgen05.cp %{sf.name}{tile * sf.groups + group}, {part}{sf.shape_of_cp}{pair} : {sf.tile}, {sf.part}")
    options = (", negate_a" if case.negate else "") + (", scale_vec" if case.scale_vec else "") + (", wide_k" if case.wide else "")
    for number, step in enumerate(range(0, k, case.step)):
        group, block = divmod(step // case.shared, BLOCKS)
        group //= case.groups
        if meta:
            work.append(f"%e{number} = tcgen05.slice %e[{2 * number}] : {all_cells} to {two_cells}")
            kept = f" sparse(%e{number} : {two_cells})"
        for number_of_use, use in enumerate((" collector_b fill", " collector_b lastuse") if case.reuse else ("", )):
            work.append(
                f"tcgen05.mma_block_scale {case.kind}{pair} %acc, {place}, %B{kept} scales %tSA{group}, %tSB{group}"
                f" accumulate(%{'true' if step or number_of_use else 'false'}){use}"
                f" {{a_k = {step // (2 if meta else 1)} : i64, b_k = {step} : i64, a_block = {block} : i64, b_block = {block} : i64,"
                f" scale_block = {case.block} : i64{options}}}"
                f" : {acc}, {place_type}, {b.tile_type}, {sa.region}, {sb.region}")
    # Tensor Memory of each group of factors.
    reserved = regions + [f"%t{sf.name}{group} = tcgen05.reserve : {sf.region}"
                for sf in (sa, sb) for group in range(sf.groups // case.groups)]
    work.append("tcgen05.commit %done multicast %both cta_group 2 : !sm90.mbarrier" if ctas == 2
                else "tcgen05.commit %done : !sm90.mbarrier")
    out = f"memref<{m}x{columns}xf32, strided<[{columns}, 1]>, 1>"
    stores = []
    for start, width in chunks(columns):
        window = f"!tcgen05.tmem<32x{columns}xf32, {layout}>"
        part = window.replace(f"x{columns}xf32", f"x{width}xf32")
        stores += [
            f"%c_{start} = arith.constant {start} : index",
            f"%p{start} = tcgen05.slice %mine[{start}] : {window} to {part}",
            f"%v{start} = tcgen05.ld %p{start} : {part} to vector<{width}xf32>",
            f"%w{start} = tcgen05.wait ld(%v{start} : vector<{width}xf32>)",
            f"vector.store %w{start}, %out[%row, %c_{start}] : {out}, vector<{width}xf32>"]
    # Everything has arrived in both CTAs before one thread multiplies.
    meet = "sm90.cluster_arrive\n      sm90.cluster_wait" if ctas == 2 else "gpu.barrier"
    newline = "\n      "
    maps = [(op.name, op.map_type) for op in (a, b)] + [(sf.name, sf.map) for sf in (sa, sb)]
    params = ", ".join(f"%map{name}: {kind}" for name, kind in maps)
    cluster = ", gpu.known_cluster_size = array<i32: 2, 1, 1>" if ctas == 2 else ""
    return f"""
!smem = memref<{size}xi8, {SPACE}>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "{case.chip}", features = "+ptx{94 if case.chip == 'sm_107f' else 88}">] {{
    gpu.func @tile({params}, {argument}%d: memref<f32, 1>) kernel
        attributes {{known_block_size = array<i32: 128, 1, 1>{cluster}}} {{
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %factorsOfA = arith.constant {32 * sa.groups} : index
      %rows = arith.constant {rows} : index
      %halfColumns = arith.constant {n // 2} : index
      %both = arith.constant 3 : i16
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %acc = tcgen05.reserve : {acc}
      {newline.join(reserved)}
      %smem = sm90.dynamic_smem align {ALIGN} : !smem
      %block = gpu.block_id x
      %rank = {'arith.addi %block, %c0 : index' if ctas == 2 else 'arith.constant 0 : index'}
      %halfA = arith.muli %rank, %rows : index
      %firstLane = arith.muli %rank, %c128 : index
      %halfB = arith.muli %rank, %halfColumns : index
      %own = arith.muli %rank, %factorsOfA : index
      {newline.join(views)}
      %bars = sm90.mbarrier.view %smem[{barriers}] : !smem to !sm90.mbarrier_array<2>
      %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
      %done = sm90.mbarrier.get %bars[1] : !sm90.mbarrier_array<2>
      %tid = gpu.thread_id x
      %warp = arith.divui %tid, %c32 : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %full, 1 : !sm90.mbarrier
          sm90.mbarrier.init %done, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      %row = arith.addi %tid, %firstLane : index
      {newline.join(before)}
      {meet}
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.arrive_expect_tx %full, {total} : !sm90.mbarrier
          {newline.join(loads)}
        }}
      }}
      sm90.mbarrier.wait_parity %full, %first : !sm90.mbarrier
      {issue(meet, work)}
      %mine = tcgen05.warp_window %acc : {acc}
      %out = memref.reinterpret_cast %d to offset: [0], sizes: [{m}, {columns}], strides: [{columns}, 1] : memref<f32, 1> to {out}
      {newline.join(stores)}
      gpu.return
    }}
  }}
}}
""", size


def run(tools, work, case):
    ctas, n, k, rows = case.ctas, case.n, case.k, case.rows
    m, split = rows * ctas, rows < 128
    # What one CTA loads has the shape of its tile; the tensors are whole.
    kept, meta = (k // 2, Metadata(case)) if case.sparse else (k, None)
    a, b = Operand("A", rows, kept, *case.a_layout, case.a_type), Operand("B", n // ctas, k, *case.b_layout, case.b_type)
    whole_a, whole_b = Operand("A", m, kept, *case.a_layout, case.a_type), Operand("B", n, k, *case.b_layout, case.b_type)
    sa, sb = Scales("SA", m, case), Scales("SB", n, case, split)
    text, size = kernel(case, a, b, sa, sb, meta)
    params = []
    for op, part in ((whole_a, a), (whole_b, b)):
        tensor_map = op.tensor_map()
        tensor_map["tensor_map"]["box"] = [part.row, part.lines]
        tensor_map["tensor_map"]["dtype"] = "16u4_align8b" if part.bits == 4 else "u8"
        params.append(tensor_map)
    params += [sa.tensor_map(), sb.tensor_map()]
    buffers = [whole_a, whole_b, sa, sb]
    if meta:
        buffers.append(meta)
        params.append({"pointer": "E", "offset": 0})
    values, error = execute(tools, work, text, size, buffers, params,
                            (128 * ctas, n // 2 if split else n, "f32"), ctas)
    if error:
        return error
    if split:
        # Layout B: lanes 64 to 127 of a CTA have the second half of the columns.
        half = n // 2
        values = [values[(i // 64 * 128 + i % 64 + 64 * (j // half)) * half + j % half] for i in range(m) for j in range(n)]
    sign = (-1 if case.negate else 1) * (2 if case.reuse else 1)
    rows_of_a = []
    for i in range(m):
        row = [whole_a.at(i, p) for p in range(kept)]
        row = meta.expand(i, row) if meta else row
        rows_of_a.append([sign * element * sa.factor(i, p) for p, element in enumerate(row)])
    columns = [[whole_b.at(j, p) * sb.factor(j, p) for p in range(k)] for j in range(n)]
    return compare(values, rows_of_a, columns)


def cases():
    b64, b32 = ("k_major", "b64"), ("k_major", "b32")
    fp8 = "mxf8f6f4"
    yield Case(fp8, 1, 64, 128, USUAL, USUAL, "e4m3", "e4m3")
    # Two tiles of factors of B, the second half full; fewer blocks than four.
    yield Case(fp8, 1, 200, 64, b64, b64, "e5m2", "e4m3")
    yield Case(fp8, 1, 48, 96, ("mn_major", "b128"), ("mn_major", "none"), "e4m3", "e5m2", negate=True)
    yield Case(fp8, 1, 24, 128, USUAL, USUAL, "e4m3", "e4m3", scale_vec=True)
    yield Case(fp8, 2, 128, 128, USUAL, USUAL, "e4m3", "e5m2")
    yield Case(fp8, 2, 144, 64, b32, b64, "e5m2", "e5m2", negate=True)
    # A pair of 64 rows each, whose factors of B are split over the lanes.
    yield Case(fp8, 2, 128, 128, USUAL, USUAL, "e4m3", "e5m2", rows=64)
    yield Case(fp8, 2, 208, 64, b64, b64, "e5m2", "e4m3", rows=64)

    # Elements of 4 bits, two factors for an instruction; two slabs and four groups of factors.
    yield Case("mxf4", 1, 48, 512)
    yield Case("mxf4", 1, 200, 128, b64, b64, negate=True, scale_vec=True)
    yield Case("mxf4", 2, 144, 64, b32, b32)
    yield Case("mxf4", 2, 128, 128, b64, b64, rows=64, scale_vec=True)
    # The kind with both sizes of a block: four factors for an instruction, then two.
    nv, ue4m3 = "mxf4nvf4", "f8E4M3FN"
    yield Case(nv, 1, 64, 256, scale=ue4m3, block=16)
    yield Case(nv, 1, 200, 64, b32, b32, scale=ue4m3, block=16, negate=True, scale_vec=True)
    yield Case(nv, 2, 144, 128, b64, b64, scale=ue4m3, block=16, scale_vec=True)
    yield Case(nv, 2, 128, 128, b64, b64, rows=64, scale=ue4m3, block=16)
    yield Case(nv, 1, 40, 128, b64, b64, block=16)
    yield Case(nv, 2, 128, 128, b64, b64, block=16, scale_vec=True)
    yield Case(nv, 1, 136, 128, b64, b64)
    yield Case(nv, 1, 32, 128, b64, b64, scale_vec=True)
    yield Case(nv, 2, 160, 256, negate=True, scale_vec=True)
    yield Case(nv, 2, 128, 64, b32, b32, rows=64)

    # A in Tensor Memory, a sparse A, and both.
    yield Case(fp8, 1, 48, 128, USUAL, USUAL, "e4m3", "e5m2", tmem_a=True)
    yield Case(fp8, 2, 144, 128, USUAL, USUAL, "e5m2", "e4m3", negate=True, tmem_a=True)
    yield Case("mxf4", 1, 200, 128, b64, b64, tmem_a=True)
    yield Case("mxf4", 2, 96, 256, tmem_a=True)
    yield Case(nv, 1, 64, 256, scale=ue4m3, block=16, tmem_a=True)
    yield Case(nv, 2, 160, 128, b64, b64, tmem_a=True)
    yield Case(fp8, 1, 72, 128, b64, USUAL, "e4m3", "e5m2", sparse=True)
    yield Case(fp8, 2, 208, 128, b64, USUAL, "e5m2", "e4m3", sparse=True)
    yield Case(fp8, 1, 40, 64, b32, b64, "e5m2", "e5m2", sparse=True, negate=True, scale_vec=True)
    yield Case("mxf4", 1, 136, 256, b64, USUAL, sparse=True)
    yield Case("mxf4", 2, 144, 128, b32, b64, sparse=True, scale_vec=True)
    yield Case(nv, 1, 200, 256, b64, USUAL, scale=ue4m3, block=16, sparse=True)
    yield Case(nv, 2, 128, 256, b64, USUAL, scale=ue4m3, block=16, sparse=True, scale_vec=True)
    yield Case(nv, 1, 24, 128, b32, b64, sparse=True)
    yield Case(fp8, 1, 64, 128, b64, USUAL, "e4m3", "e4m3", sparse=True, tmem_a=True)
    yield Case("mxf4", 2, 128, 256, b64, USUAL, sparse=True, tmem_a=True)
    yield Case(nv, 1, 80, 256, b64, USUAL, scale=ue4m3, block=16, sparse=True, tmem_a=True)

    # K of 64 bytes of a row: two factors for an instruction, four, and eight in two cells of a
    # lane; of one and of two tiles of rows of B, with A in shared and in Tensor Memory.
    yield Case(fp8, 1, 64, 128, USUAL, USUAL, "e4m3", "e5m2", wide=True)
    yield Case(fp8, 1, 200, 64, b64, b64, "e5m2", "e4m3", wide=True)
    yield Case(fp8, 1, 48, 128, ("mn_major", "b128"), ("mn_major", "none"), "e4m3", "e5m2", negate=True, wide=True)
    yield Case(fp8, 2, 144, 128, USUAL, ("k_major", "none"), "e5m2", "e4m3", tmem_a=True, wide=True)
    yield Case("mxf4", 1, 200, 256, wide=True)
    yield Case("mxf4", 2, 144, 128, b64, b64, negate=True, wide=True)
    yield Case(nv, 1, 128, 256, scale=ue4m3, block=16, wide=True)
    yield Case(nv, 1, 256, 128, b64, b64, block=16, negate=True, wide=True)
    yield Case(nv, 2, 256, 256, scale=ue4m3, block=16, wide=True)
    yield Case(nv, 2, 128, 256, scale=ue4m3, block=16, tmem_a=True, wide=True)
    yield Case(nv, 1, 40, 256, wide=True)
    # Factors that sm_107f alone reads: ue5m3, and ue4m3 for 32 elements.
    yield Case(nv, 1, 64, 256, scale="ui8", block=16)
    yield Case(nv, 2, 144, 128, b64, b64, scale="ui8", negate=True)
    yield Case(nv, 1, 128, 256, scale="ui8", block=16, wide=True)
    yield Case(nv, 2, 160, 256, scale="ui8", tmem_a=True, wide=True)
    yield Case(nv, 1, 200, 64, b32, b32, scale=ue4m3)
    yield Case(nv, 2, 256, 256, scale=ue4m3, wide=True)
    # Each product twice, B from the collector buffer.
    yield Case(fp8, 1, 64, 128, USUAL, USUAL, "e4m3", "e5m2", wide=True, reuse=True)
    yield Case(nv, 2, 144, 128, b64, b64, scale=ue4m3, block=16, reuse=True)


def check_places():
    """256 rows and 8 blocks, against the table that was written by hand."""
    scales = Scales("SB", 256, Case("mxf4", 1, 256, 256))
    for row, block, byte, *_ in scale_places():
        if scales.place(row, block) != byte:
            sys.exit(f"error: factor {block} of row {row}: expected byte {byte}, got {scales.place(row, block)}")


if __name__ == "__main__":
    check_places()
    sys.exit(main(run, cases()))
