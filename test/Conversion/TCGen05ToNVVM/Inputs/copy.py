"""Kernels of tcgen05.cp and tcgen05.shift, run on the emulator.

Word i of shared memory holds a number of i; every region of Tensor Memory is filled
by tcgen05.st before one thread copies and shifts, and read back by tcgen05.ld after
its commit. Where the bytes of a source row are, and where they go, is computed here
by hand from the tables of the ISA.

    copy.py WORK_FOLDER [tc-compile [tc-run]]
"""
import array
import pathlib
import shutil
import subprocess
import sys

SPACE = "#gpu.address_space<workgroup>"
SPAN = {"none": 16, "b32": 32, "b64": 64, "b128": 128}
BYTES = 16384  # of the source
# name: (rows, bytes of a row, lanes of a row)
SHAPES = {
    "128x256b": (128, 32, lambda r: [r]),
    "4x256b": (4, 32, lambda r: [32 * r]),
    "128x128b": (128, 16, lambda r: [r]),
    "64x128b.warpx2::02_13": (64, 16, lambda r: [r, r + 64]),
    "64x128b.warpx2::01_23": (64, 16, lambda r: [r % 32 + 64 * (r // 32), r % 32 + 64 * (r // 32) + 32]),
    "32x128b.warpx4": (32, 16, lambda r: [r, r + 32, r + 64, r + 96]),
}


def word(index, rank):
    """Word `index` of the shared memory of CTA `rank`."""
    return (index * 2654435761 + 12345 + rank * 77777777) & 0xFFFFFFFF


def before(lane, column):
    return 1000 * lane + column


class Copy:
    def __init__(self, shape, swizzle="dense", k=0, fmt=None, lane=0):
        self.shape, self.swizzle, self.k, self.format, self.lane = shape, swizzle, k, fmt, lane
        self.rows, self.row, self.lanes = SHAPES[shape]
        self.columns = self.row // 4
        self.bits = 8 if fmt else 32
        elements = 32 // self.bits  # of a word
        if swizzle == "dense":
            self.type = f"memref<128x{4 * elements}xi{self.bits}, {SPACE}>"
        else:
            span = SPAN[swizzle]
            width = max(span, 32) // 4 * elements
            slab = 128 * span // 4 * elements
            self.type = (f"memref<128x{width}xi{self.bits}, #sm90.smem_layout<k_major, {swizzle}, bits = {self.bits},"
                         f" slab = {slab}>, {SPACE}>")

    def address(self, row, byte):
        """Where byte `byte` of source row `row` is."""
        if self.swizzle == "dense":
            return row * 16 + byte
        span = SPAN[self.swizzle]
        at = byte // span * 128 * span + row * span + byte % span
        mask = {"none": 0, "b32": 1, "b64": 3, "b128": 7}[self.swizzle]
        return at ^ (at >> 7 & mask) << 4

    def unit(self, row, byte, rank):
        """The 16 bytes that source row `row` has from `byte` on, as they are written."""
        at = self.address(row, byte)
        raw = b"".join(word(at // 4 + i, rank).to_bytes(4, "little") for i in range(4))
        value = int.from_bytes(raw, "little")
        if self.format == "b4x16_p64":
            return bytes((value >> 4 * i & 15) << 2 for i in range(16))
        if self.format == "b6x16_p32":
            return bytes(value >> 6 * i & 63 for i in range(16))
        return raw

    def expected(self, rank):
        cells = [[before(lane, column) for column in range(self.columns)] for lane in range(128)]
        for row in range(self.rows):
            for byte in range(0, self.row, 16):
                unit = array.array("I", self.unit(row, self.k + byte, rank))
                for lane in self.lanes(row):
                    cells[lane + self.lane][byte // 4:byte // 4 + 4] = unit
        return cells

    def text(self, n, group):
        k = f"k = {self.k // 4 * (32 // self.bits)} : i64" if self.k else ""
        lane = f"lane = {self.lane} : i64" if self.lane else ""
        attributes = ", ".join(filter(None, (k, lane)))
        destination = f"!tcgen05.tmem<128x{self.columns * 32 // self.bits}xi{self.bits}, D{', packed' * (self.bits < 32)}>"
        return [f"%s{n} = sm90.smem_view %smem[0] : !smem to {self.type}",
                f"tcgen05.cp %s{n}, %r{n} shape \"{self.shape}\"{' format ' + self.format if self.format else ''}{group}"
                f"{' {' + attributes + '}' if attributes else ''} : {self.type}, {destination}"]


class Shift:
    columns, bits = 8, 32

    def __init__(self, window):
        self.window = window

    def expected(self, rank):
        cells = [[before(lane, column) for column in range(8)] for lane in range(128)]
        first = 32 * self.window
        cells[first:first + 31] = [list(row) for row in cells[first + 1:first + 32]]
        return cells

    def text(self, n, group):
        return [f"tcgen05.shift %r{n} window {self.window}{group} : !tcgen05.tmem<128x8xi32, D>"]


def cases():
    yield Copy("128x256b", "b128", 64)
    yield Copy("128x256b", "b64")
    yield Copy("128x256b", "b32")
    yield Copy("128x256b", "none")
    yield Copy("4x256b", "b128", 32, lane=31)
    yield Copy("4x256b", "none")
    yield Copy("128x128b")
    yield Copy("128x128b", "b64", 48)
    yield Copy("64x128b.warpx2::02_13")
    yield Copy("64x128b.warpx2::01_23", "b32", 16)
    yield Copy("32x128b.warpx4")
    yield Copy("32x128b.warpx4", "b128", 112)
    yield Copy("128x256b", "b128", 0, "b4x16_p64")
    yield Copy("128x128b", "dense", 0, "b6x16_p32")
    yield Copy("32x128b.warpx4", "b64", 16, "b4x16_p64")
    yield Copy("64x128b.warpx2::02_13", "none", 16, "b6x16_p32")
    yield Shift(0)
    yield Shift(3)


def kernel(ctas, all_cases):
    group = " cta_group 2" if ctas == 2 else ""
    fills, work, reads, reserves = [], [], [], []
    for n, case in enumerate(all_cases):
        cells, bits = case.columns, case.bits
        packed = ", packed" * (bits < 32)
        layout = "A" if ctas == 2 else "D"
        region = f"!tcgen05.tmem<128x{cells * 32 // bits}xi{bits}, {layout}{packed}>"
        window = region.replace("<128x", "<32x")
        vector = f"vector<{cells * 32 // bits}xi{bits}>"
        values = ", ".join(str(before(0, column)) for column in range(cells))
        reserves += [f"%r{n} = tcgen05.reserve : {region}"]
        cast = bits < 32
        fills += [f"%w{n} = tcgen05.warp_window %r{n} : {region}",
                  f"%k{n} = arith.constant dense<[{values}]> : vector<{cells}xi32>",
                  f"%b{n} = vector.broadcast %base : i32 to vector<{cells}xi32>",
                  f"%x{n} = arith.addi %k{n}, %b{n} : vector<{cells}xi32>"]
        if cast:
            fills.append(f"%y{n} = vector.bitcast %x{n} : vector<{cells}xi32> to {vector}")
        fills.append(f"tcgen05.st %{'y' if cast else 'x'}{n}, %w{n} : {vector} to {window}")
        work += [line.replace(", D", f", {layout}") for line in case.text(n, group)]
        reads += [f"%p{n} = tcgen05.ld %w{n} : {window} to {vector}",
                  f"%v{n} = tcgen05.wait ld(%p{n} : {vector})"]
        if cast:
            reads.append(f"%i{n} = vector.bitcast %v{n} : {vector} to vector<{cells}xi32>")
        reads += [f"%row{n} = arith.constant {128 * ctas * n} : index",
                  f"%at{n} = arith.addi %row, %row{n} : index",
                  f"vector.store %{'i' if cast else 'v'}{n}, %d[%at{n}, %c0] : !out, vector<{cells}xi32>"]
    # Both CTAs have filled before one thread starts, and the fills are seen.
    meet = "sm90.cluster_arrive\n      sm90.cluster_wait" if ctas == 2 else "gpu.barrier"
    # What the other CTA stored passes to the async proxy after the hand-over, too.
    after = "\n      sm90.fence_proxy_async shared_cluster" if ctas == 2 else ""
    commit = "tcgen05.commit %done multicast %both cta_group 2" if ctas == 2 else "tcgen05.commit %done"
    newline = "\n      "
    cluster = ", gpu.known_cluster_size = array<i32: 2, 1, 1>" if ctas == 2 else ""
    in_cluster = "clusters in (%c2, %c1, %c1) " if ctas == 2 else ""
    return f"""
!smem = memref<{BYTES + 16}xi8, {SPACE}>
!out = memref<{128 * ctas * len(all_cases)}x8xi32>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {{
    gpu.func @k(%d: !out) kernel attributes {{known_block_size = array<i32: 128, 1, 1>{cluster}}} {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %c128 = arith.constant 128 : index
      %words = arith.constant {BYTES // 4} : index
      %both = arith.constant 3 : i16
      %first = arith.constant 0 : i32
      {newline.join(reserves)}
      %smem = sm90.dynamic_smem align 1024 : !smem
      %data = sm90.smem_view %smem[0] : !smem to memref<{BYTES // 4}xi32, {SPACE}>
      %bars = sm90.mbarrier.view %smem[{BYTES}] : !smem to !sm90.mbarrier_array<1>
      %done = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<1>
      %tid = gpu.thread_id x
      %t = arith.index_cast %tid : index to i32
      %rank = {'gpu.block_id x' if ctas == 2 else 'arith.constant 0 : index'}
      %rank32 = arith.index_cast %rank : index to i32
      %factor = arith.constant {2654435761 - (1 << 32)} : i32
      %thousand = arith.constant 1000 : i32
      %other = arith.constant 77777777 : i32
      %start = arith.constant 12345 : i32
      %own = arith.muli %rank32, %other : i32
      %sum = arith.addi %own, %start : i32
      scf.for %i = %tid to %words step %c128 {{
        %i32 = arith.index_cast %i : index to i32
        %product = arith.muli %i32, %factor : i32
        %value = arith.addi %product, %sum : i32
        memref.store %value, %data[%i] : memref<{BYTES // 4}xi32, {SPACE}>
      }}
      %base = arith.muli %t, %thousand : i32
      {newline.join(fills)}
      tcgen05.wait st
      %warp = arith.divui %tid, %c32 : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %done, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      sm90.fence_proxy_async shared_cta
      tcgen05.fence before
      {meet}{after}
      tcgen05.fence after
      %isLeader = arith.cmpi eq, %rank, %c0 : index
      %issues = arith.andi %isFirst, %isLeader : i1
      scf.if %issues {{
        %leader = sm90.elect
        scf.if %leader {{
          {newline.join(work)}
          {commit} : !sm90.mbarrier
        }}
      }}
      sm90.mbarrier.wait_parity %done, %first : !sm90.mbarrier
      tcgen05.fence after
      %half = arith.muli %rank, %c128 : index
      %row = arith.addi %tid, %half : index
      {newline.join(reads)}
      gpu.return
    }}
  }}
  func.func @host(%d: !out) {{
    %c1 = arith.constant 1 : index
    %c2 = arith.constant {ctas} : index
    %c128 = arith.constant 128 : index
    %bytes = arith.constant {BYTES + 16 + 1024 - 16} : i32
    gpu.launch_func @kernels::@k {in_cluster}blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1) dynamic_shared_memory_size %bytes
        args(%d : !out)
    return
  }}
}}
"""


def run(tools, work, ctas):
    all_cases = list(cases())
    (work / "k.mlir").write_text(kernel(ctas, all_cases))
    commands = [[tools[0], "k.mlir", "-o", "k.ptx"],
                [tools[1], "k.ptx", "--schedule=eager,lazy,random:1", "--races=strict", "--out=arg0=d.bin"]]
    if shutil.which("ptxas"):
        commands.append(["ptxas", "-arch=sm_100a", "k.ptx", "-o", "k.cubin"])
    for command in commands:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            return f"{command[0]} gave {done.returncode}: {done.stdout}{done.stderr}"
    found = array.array("I", (work / "d.bin").read_bytes())
    for n, case in enumerate(all_cases):
        for rank in range(ctas):
            for lane, row in enumerate(case.expected(rank)):
                at = ((n * ctas + rank) * 128 + lane) * 8
                if found[at:at + len(row)].tolist() != row:
                    return f"case {n}, CTA {rank}, lane {lane}: expected {row}, got {found[at:at + len(row)].tolist()}"
    return None


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    tools = (sys.argv[2:] + ["tc-compile", "tc-run"][len(sys.argv) - 2:])[:2]
    failures = 0
    for ctas in (1, 2):
        error = run(tools, work, ctas)
        if error:
            failures += 1
            print(f"cta_group {ctas}: {error}")
    print(f"{2 - failures} of 2 kernels right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
