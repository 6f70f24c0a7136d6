"""One-tile kernels of the forms of tcgen05.mma that sm_107 alone has and whose layouts
the ISA shows in figures: B as indices into a table, elements of 4 and 6 bits without
gaps, and factors of A in 128 lanes. Run on the emulator.

Every byte of shared memory and every cell of Tensor Memory is computed here, by hand from
the layouts that docs/Rubin.md names; the kernel copies them there as they are, multiplies,
and stores D. The numbers are small integers and powers of two, so that every sum is exact.

    rubin_forms.py WORK_FOLDER [tc-compile [tc-run]]
"""
import pathlib
import sys
import typing

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from one_tile import SPACE, SPAN, align_up, chunks, compare, encode8, execute, issue, main  # noqa: E402

ELEMENT = {"e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "e2m3": "f6E2M3FN", "e3m2": "f6E3M2FN", "e2m1": "f4E2M1FN"}
WIDTH = {"e4m3": 8, "e5m2": 8, "e2m3": 6, "e3m2": 6, "e2m1": 4, "index": 3}
CODES = {"e2m3": (0, 8, 16, 20), "e3m2": (0, 12, 16, 18), "e2m1": (0, 2, 4, 5)}  # of 0 to 3
CELLS = 64  # of Tensor Memory that the kernel fills; D follows
ALIGN = 1024


class Case(typing.NamedTuple):
    kind: str
    ctas: int
    n: int
    k: int
    a_type: str
    b_type: str  # "index": a table
    a_swizzle: str = "b128"
    b_swizzle: str = "b128"
    tmem_a: bool = False
    lanes: bool = False  # factors of A in 128 lanes
    wide: bool = True
    block: int = 32
    negate: bool = False

    @property
    def step(self):
        return (64 if "mxf4" in self.kind else 32) * (2 if self.wide else 1)

    @property
    def scaled(self):
        return self.kind.startswith("mx")


def code(value, dtype):
    if dtype in CODES:
        return CODES[dtype][abs(value)] | (1 << WIDTH[dtype] - 1 if value < 0 else 0)
    return encode8(value, dtype)


def number(i, k):
    return (i * 5 + k * 3 + i * k % 11) % 7 - 3


def index(n, k):
    return (n * 3 + k * 5 + n * k % 13) % 8


def entry(n, i):
    """Entry `i` of the table of column `n`: no two of a table are equal, no two neighbouring tables alike."""
    group = n // 8
    return ((i + group) % 8 - 4) * (1 if group % 2 else 2)


def encode_entry(value):
    """-8 to 8 as e4m3."""
    if value == 0:
        return 0
    exponent = abs(value).bit_length() - 1
    return (0x80 if value < 0 else 0) | exponent + 7 << 3 | (abs(value) << 3 >> exponent) & 7


class Tile:
    """Rows of codes in shared memory: groups of `group` codes begin every `pitch` bytes of a row."""

    def __init__(self, rows, k, dtype, swizzle):
        self.rows, self.k, self.swizzle = rows, k, swizzle
        self.width = WIDTH[dtype]
        self.group, self.bits = {8: (64, 8), 6: (64, 8), 4: (64, 4), 3: (128, 4)}[self.width]
        bits = 6 if self.width == 6 else self.bits  # as the layout names them
        self.pitch = self.group * self.bits // 8
        self.span = SPAN[swizzle]
        self.slab = align_up(rows * self.span, {"none": 128, "b32": 256, "b64": 512, "b128": 1024}[swizzle])
        self.bytes = align_up(k * self.bits // 8, self.span) // self.span * self.slab
        element = "i3" if dtype == "index" else ELEMENT[dtype]
        self.type = (f"memref<{rows}x{k}x{element}, #sm90.smem_layout<k_major, {swizzle}, bits = {bits}, "
                     f"slab = {self.slab * 8 // self.bits}>, {SPACE}>")

    def fill(self, image, start, codes):
        for row in range(self.rows):
            for first in range(0, self.k, self.group):
                packed = sum(codes(row, first + i) << self.width * i for i in range(self.group))
                for i, byte in enumerate(packed.to_bytes(self.pitch, "little")):
                    at = first * self.bits // 8 + i
                    offset = start + at // self.span * self.slab + row * self.span + at % self.span
                    mask = {"none": 0, "b32": 1, "b64": 3, "b128": 7}[self.swizzle]
                    image[offset ^ (offset >> 7 & mask) << 4] = byte


def factor(row, block, name):
    return 2.0 ** ((row * 3 + block * 5 + row * block % 4 + len(name)) % 5 - 2)


def kernel(case, a, b, size, regions, scales):
    ctas, n, rows = case.ctas, case.n, 128
    layout, pair = ("A", " cta_group 2") if ctas == 2 else ("D", "")
    acc = f"!tcgen05.tmem<128x{n}xf32, {layout}>"
    raw = "!tcgen05.tmem<128x512xi32, raw>"
    cells = f"!tcgen05.tmem<128x{CELLS}xi32, {layout}>"
    # What the other CTA stored is ordered by a fence of the one that reads it.
    work = ["sm90.fence_proxy_async shared_cluster"] if ctas == 2 else []
    place, place_type = ("%tA", regions["tA"][1]) if case.tmem_a else ("%A", a.type)
    for step in range(0, case.k, case.step):
        block = step // case.block % 4
        options = "" if not case.wide else "wide_k, "
        options += "negate_b, " if case.negate else ""
        options += f"a_k = {step} : i64, b_k = {step} : i64"
        if case.scaled:
            options += f", a_block = {block} : i64, b_block = {block} : i64, scale_block = {case.block} : i64"
        lookup = f" lookup(%tT : {regions['tT'][1]})" if case.b_type == "index" else ""
        operands = f" scales %tSA, %tSB" if case.scaled else ""
        types = f", {regions['tSA'][1]}, {regions['tSB'][1]}" if case.scaled else ""
        work.append(f"tcgen05.mma{'_block_scale' if case.scaled else ''} {case.kind}{pair} %acc, {place}, %B{lookup}{operands}"
                    f" accumulate(%{'true' if step else 'false'}) {{{options}}} : {acc}, {place_type}, {b.type}{types}")
    work.append("tcgen05.commit %done multicast %both cta_group 2 : !sm90.mbarrier" if ctas == 2
                else "tcgen05.commit %done : !sm90.mbarrier")
    slices = [f"%{name} = tcgen05.slice %tmem[{column}] : {raw} to {kind}" for name, (column, kind) in regions.items()]
    stores = []
    for start, width in chunks(n):
        window = f"!tcgen05.tmem<32x{n}xf32, {layout}>"
        part = window.replace(f"x{n}xf32", f"x{width}xf32")
        stores += [f"%c_{start} = arith.constant {start} : index",
                   f"%p{start} = tcgen05.slice %mine[{start}] : {window} to {part}",
                   f"%v{start} = tcgen05.ld %p{start} : {part} to vector<{width}xf32>",
                   f"%w{start} = tcgen05.wait ld(%v{start} : vector<{width}xf32>)",
                   f"vector.store %w{start}, %out[%row, %c_{start}] : memref<{rows * ctas}x{n}xf32, 1>, vector<{width}xf32>"]
    newline = "\n      "
    meet = "sm90.cluster_arrive\n      sm90.cluster_wait" if ctas == 2 else "gpu.barrier"
    cluster = ", gpu.known_cluster_size = array<i32: 2, 1, 1>" if ctas == 2 else ""
    return f"""
!smem = memref<{size}xi8, {SPACE}>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_107f", features = "+ptx94">] {{
    gpu.func @tile(%image: memref<{ctas}x{size - 16}xi8, 1>, %cells: memref<{rows * ctas}x{CELLS}xi32, 1>, %out: memref<{rows * ctas}x{n}xf32, 1>)
        workgroup(%slot : memref<1xi32, {SPACE}>) kernel
        attributes {{known_block_size = array<i32: 128, 1, 1>{cluster}}} {{
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %pitch = arith.constant {16 * 128} : index
      %end = arith.constant {size - 16} : index
      %both = arith.constant 3 : i16
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %smem = sm90.dynamic_smem align {ALIGN} : !smem
      %block = gpu.block_id x
      %rank = {'arith.addi %block, %c0 : index' if ctas == 2 else 'arith.constant 0 : index'}
      %firstLane = arith.muli %rank, %c128 : index
      %A = sm90.smem_view %smem[0] : !smem to {a.type}
      %B = sm90.smem_view %smem[{align_up(a.bytes, ALIGN)}] : !smem to {b.type}
      %bars = sm90.mbarrier.view %smem[{size - 16}] : !smem to !sm90.mbarrier_array<1>
      %done = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
      %tid = gpu.thread_id x
      %row = arith.addi %tid, %firstLane : index
      %warp = arith.divui %tid, %c32 : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      {meet if ctas == 2 else ''}
      scf.if %isFirst {{
        tcgen05.alloc %slot, 512{pair} : memref<1xi32, {SPACE}>
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %done, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      tcgen05.fence before
      {meet}
      tcgen05.fence after
      %tmem = tcgen05.address %slot : memref<1xi32, {SPACE}> to {raw}
      %acc = tcgen05.slice %tmem[{CELLS}] : {raw} to {acc}
      %all = tcgen05.slice %tmem[0] : {raw} to {cells}
      {newline.join(slices)}
      %own = arith.muli %tid, %c16 : index
      scf.for %at = %own to %end step %pitch {{
        %bytes = vector.load %image[%rank, %at] : memref<{ctas}x{size - 16}xi8, 1>, vector<16xi8>
        vector.store %bytes, %smem[%at] : !smem, vector<16xi8>
      }}
      %window = tcgen05.warp_window %all : {cells}
      %numbers = vector.load %cells[%row, %c0] : memref<{rows * ctas}x{CELLS}xi32, 1>, vector<{CELLS}xi32>
      tcgen05.st %numbers, %window : vector<{CELLS}xi32> to {cells.replace('<128x', '<32x')}
      tcgen05.wait st
      sm90.fence_proxy_async shared_cta
      {issue(meet, work)}
      %mine = tcgen05.warp_window %acc : {acc}
      {newline.join(stores)}
      tcgen05.fence before
      {meet}
      tcgen05.fence after
      scf.if %isFirst {{
        tcgen05.relinquish_alloc_permit{pair}
        tcgen05.dealloc %tmem{pair} : {raw}
      }}
      gpu.return
    }}
  }}
}}
"""


class Buffer(typing.NamedTuple):
    name: str
    dtype: str
    shape: list
    bytes_: bytes

    def data(self):
        return self.bytes_


def run(tools, work, case):
    ctas, n, k = case.ctas, case.n, case.k
    share = n // ctas
    a, b = Tile(128, k, case.a_type, case.a_swizzle), Tile(share, k, case.b_type, case.b_swizzle)
    start_of_b = align_up(a.bytes, ALIGN)
    size = align_up(start_of_b + b.bytes, 16) + 16
    layout = "A" if ctas == 2 else "D"
    # Where the operands in Tensor Memory are, and what is in the cells of each lane.
    regions, cells = {}, [[0x7f7f7f7f] * CELLS for _ in range(128 * ctas)]
    column = 0
    if case.tmem_a:
        bits = WIDTH[case.a_type]
        regions["tA"] = (column, f"!tcgen05.tmem<128x{k}x{ELEMENT[case.a_type]}, {layout}, packed>")
        for row in range(128 * ctas):
            packed = sum(code(number(row, p), case.a_type) << bits * p for p in range(k))
            for cell in range(k * bits // 32):
                cells[row][column + cell] = packed >> 32 * cell & 0xffffffff
        column += align_up(k * bits // 32, 4)
    if case.b_type == "index":
        regions["tT"] = (column, f"!tcgen05.tmem<128x8xf8E4M3FN, {layout}, packed>")
        for group in range(n // 8):
            cta, lane = divmod(group, share // 8)
            for i in range(8):
                cells[128 * cta + lane][column + i // 4] &= ~(0xff << i % 4 * 8)
                cells[128 * cta + lane][column + i // 4] |= encode_entry(entry(8 * group, i)) << i % 4 * 8
        column += 4
    scale = "f8E4M3FN" if case.block == 16 else "f8E8M0FNU"
    encode = (lambda value: int(value).bit_length() - 1 + 7 << 3 if value >= 1 else {0.5: 6, 0.25: 5}[value] << 3) if case.block == 16 else (
        lambda value: 127 + {0.25: -2, 0.5: -1, 1: 0, 2: 1, 4: 2}[value])
    words = -(-case.step // case.block // 4)  # cells of a row for an instruction

    def put(cta, lane, at, byte, value):
        cells[128 * cta + lane][at] = cells[128 * cta + lane][at] & ~(0xff << 8 * byte) | encode(value) << 8 * byte

    if case.scaled:
        blocks, tiles = k // case.block, -(-n // 128)
        if case.lanes:
            regions["tSA"] = (column, f"!tcgen05.tmem<128x{4 * words}x{scale}, {layout}, packed>")
        else:
            regions["tSA"] = (column, f"!tcgen05.tmem<128x{16 * words}x{scale}, scales, packed>")
        for cta in range(ctas):
            for row in range(128):
                for block in range(blocks):
                    value = factor(128 * cta + row, block, "A")
                    if case.lanes:
                        put(cta, row, column + block // 4, block % 4, value)
                    for window in range(0 if case.lanes else 4):
                        put(cta, 32 * window + row % 32, column + block // 4 * 4 + row // 32, block % 4, value)
        column += 4 * words
        regions["tSB"] = (column, f"!tcgen05.tmem<128x{16 * words * tiles}x{scale}, scales, packed>")
        for cta in range(ctas):
            for col in range(n):
                for block in range(blocks):
                    for window in range(4):
                        put(cta, 32 * window + col % 32, column + block // 4 * 4 * tiles + col // 32, block % 4, factor(col, block, "B!"))
        column += 4 * words * tiles
    assert column <= CELLS

    def element_b(col, p):
        return entry(col, index(col, p)) if case.b_type == "index" else number(col + 1, p)

    image = bytearray()
    for cta in range(ctas):
        own = bytearray(b"\x7f" * (size - 16))
        a.fill(own, 0, lambda row, p: code(number(128 * cta + row, p), case.a_type))
        b.fill(own, start_of_b, lambda col, p: index(share * cta + col, p) if case.b_type == "index"
               else code(number(share * cta + col + 1, p), case.b_type))
        image += own
    flat = b"".join(cell.to_bytes(4, "little") for lane in cells for cell in lane)
    buffers = [Buffer("I", "u8", [ctas, size - 16], bytes(image)), Buffer("C", "u32", [128 * ctas, CELLS], flat)]
    values, error = execute(tools, work, kernel(case, a, b, size, regions, case.scaled), size, buffers,
                            [{"pointer": "I", "offset": 0}, {"pointer": "C", "offset": 0}], (128 * ctas, n, "f32"), ctas)
    if error:
        return error
    sign = -1 if case.negate else 1
    of_a = (lambda row, p: factor(row, p // case.block, "A")) if case.scaled else (lambda row, p: 1)
    of_b = (lambda col, p: factor(col, p // case.block, "B!")) if case.scaled else (lambda col, p: 1)
    return compare(values, [[sign * number(i, p) * of_a(i, p) for p in range(k)] for i in range(128 * ctas)],
                   [[element_b(j, p) * of_b(j, p) for p in range(k)] for j in range(n)])


def cases():
    fp8, mx, nv = "f8f6f4", "mxf8f6f4", "mxf4nvf4"
    # B as indices: both halves of a row, two rows of 48 bytes, one and two CTAs, A in both memories.
    yield Case(fp8, 1, 64, 256, "e4m3", "index", "b128", "b128")
    yield Case(fp8, 1, 200, 128, "e5m2", "index", "b64", "b64", negate=True)
    yield Case(fp8, 1, 24, 128, "e4m3", "index", "none", "none")
    yield Case(fp8, 2, 144, 128, "e4m3", "index", "b128", "b64")
    yield Case(fp8, 2, 256, 256, "e5m2", "index", "b64", "b128", negate=True)
    yield Case(fp8, 1, 256, 128, "e5m2", "index", "b64", "b64", tmem_a=True)
    yield Case(mx, 1, 72, 128, "e4m3", "index", "b128", "b64")
    yield Case(mx, 1, 136, 128, "e2m1", "index", "b64", "none", lanes=True)
    yield Case(mx, 2, 48, 128, "e3m2", "index", "b128", "b128", negate=True)
    yield Case(mx, 1, 40, 128, "e2m3", "index", "b64", "b64", tmem_a=True)
    # Elements of 6 and 4 bits beside others, without gaps.
    yield Case(mx, 1, 64, 128, "e2m3", "e4m3", "b128", "b128")
    yield Case(mx, 1, 200, 64, "e5m2", "e3m2", "b64", "none", negate=True)
    yield Case(mx, 1, 48, 128, "e2m1", "e2m1", "b32", "b64")
    yield Case(mx, 1, 104, 128, "e3m2", "e2m1", "none", "b32")
    yield Case(mx, 2, 144, 128, "e2m1", "e2m3", "b128", "b64")
    yield Case(mx, 2, 64, 64, "e2m3", "e2m3", "b64", "b128", lanes=True)
    yield Case(mx, 1, 88, 128, "e3m2", "e5m2", "b128", "b128", tmem_a=True)
    yield Case(mx, 2, 96, 128, "e2m3", "e2m1", "b64", "none", tmem_a=True, negate=True)
    # Factors of A in 128 lanes: one cell of a row and two.
    yield Case(mx, 1, 56, 128, "e4m3", "e5m2", lanes=True, wide=False)
    yield Case(mx, 2, 128, 128, "e5m2", "e4m3", "b64", "b64", lanes=True)
    yield Case("mxf4", 1, 200, 128, "e2m1", "e2m1", "b64", "b64", lanes=True, wide=False)
    yield Case("mxf4", 2, 48, 128, "e2m1", "e2m1", "b64", "b64", lanes=True)
    yield Case(nv, 1, 128, 128, "e2m1", "e2m1", "b64", "b64", lanes=True, block=16)
    yield Case(nv, 2, 256, 128, "e2m1", "e2m1", "b64", "b64", lanes=True, block=16)
    yield Case(nv, 1, 40, 64, "e2m1", "e2m1", "b32", "b32", lanes=True, wide=False, block=16)


if __name__ == "__main__":
    sys.exit(main(run, cases()))
