"""One-tile kernels of the forms of tcgen05.mma, run on the emulator: A in Tensor
Memory, sparse A, weight-stationary, disabled lanes, shifted A and a scaled D.

A case writes a kernel in tcgen05 and sm90: A and B through TMA, A to Tensor Memory by
tcgen05.cp where it is read there, metadata from global memory by tcgen05.st, the
instructions of one tile, and all lanes of D as they are to global memory. Where row m
and column n of D are in lanes and columns, and which bits of the metadata belong to
which element, is written here by hand from the tables of the ISA; nothing of the
compiler computes it. Forms that the emulator refuses are expected to be refused, by
the name in the case.

    mma_forms.py WORK_FOLDER [tc-compile [tc-run]]
"""
import json
import pathlib
import struct
import subprocess
import sys

sys.dont_write_bytecode = True  # the folder of the sources stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from one_tile import ALIGN, SPAN, Operand, align_up, chunks, issue, load_slabs, main, write_buffer  # noqa: E402

LAYOUT = {("", 128): "D", ("", 64): "F", ("ws", 128): "D", ("ws", 64): "E", ("ws", 32): "G",
          ("pair", 256): "A", ("pair", 128): "B"}  # of a pair that is sparse C
K = {"f16": 16, "tf32": 8, "f8f6f4": 32, "i8": 32, "ti16": 16}
INTEGERS = ("i8", "ti16")
CODES = (0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110)  # which two of four elements A keeps
CODES_TF32 = (0b0100, 0b1110)  # which of two


def cell_of(layout, n, row, column):
    """Lane, from 128 on of the odd CTA, and column of an element of D (PTX ISA, "Data Path Layout Organization")."""
    if layout in "AD":
        return row, column
    if layout == "B":
        return row // 64 * 128 + row % 64 + 64 * (column // (n // 2)), column % (n // 2)
    if layout in "CF":
        cta, row = divmod(row, 64)
        return cta * 128 + 32 * (row // 16) + row % 16, column
    folds = {"E": 2, "G": 4}[layout]
    width = n // folds
    return row + 128 // folds * (column // width), column % width


class Case:
    def __init__(self, name, kind="f16", form="", m=128, n=64, k=32, tmem_a=False, sparse=False, layouts=None,
                 ashift=False, disable=None, scale_d=None, mask=None, bad_copy=False, refused=None, reuse=False):
        self.name, self.kind, self.form, self.m, self.n, self.k = name, kind, form, m, n, k
        self.tmem_a, self.sparse, self.ashift, self.disable = tmem_a, sparse, ashift, disable
        self.scale_d, self.mask, self.bad_copy, self.refused = scale_d, mask, bad_copy, refused
        self.reuse = reuse  # each step twice, B from the collector buffer the second time
        self.chip, self.ptx = ("sm_107f", 94) if kind == "ti16" or reuse else ("sm_100a", 86)
        self.layout = "C" if form == "pair" and m == 128 and sparse else LAYOUT[form, m]
        self.ctas = 2 if form == "pair" else 1
        element = {"f16": "bf16", "tf32": "f32", "f8f6f4": "e4m3", "i8": "i8", "ti16": "s1z4m11"}[kind]
        shift = mask[3] if mask else 0
        ka, width = k // 2 if sparse else k, {"f16": 2, "tf32": 4, "f8f6f4": 1, "i8": 1, "ti16": 2}[kind]
        # A row of the pattern, where no layout is asked for.
        layouts = layouts or [next(s for s in ("b128", "b64", "b32") if x * width % SPAN[s] == 0) for x in (ka, k)]
        # What a CTA has, and all of it.
        self.a = Operand("A", m // self.ctas, ka, "k_major", layouts[0], element)
        self.b = Operand("B", n // self.ctas + shift, k, "k_major", layouts[1], element)
        self.whole_a = Operand("A", m, ka, "k_major", layouts[0], element)
        self.whole_b = Operand("B", n + shift, k, "k_major", layouts[1], element)
        self.chunk = 2 if kind == "tf32" else 4  # elements of K that share 4 bits of metadata
        self.step = K[kind] * (2 if sparse else 1)

    def __repr__(self):
        return self.name

    @property
    def columns(self):
        return self.n // {"B": 2, "E": 2, "G": 4}.get(self.layout, 1)

    # Metadata: 128 lanes of 4 cells in each CTA.
    def code(self, row, chunk):
        codes = CODES_TF32 if self.kind == "tf32" else CODES
        return codes[(row * 5 + chunk * 3 + row // 8) % len(codes)]

    def metadata(self):
        cells = [[0] * 4 for _ in range(128 * self.ctas)]
        if not self.sparse:
            return cells
        for m in range(self.m):
            cta, row = divmod(m, self.m // self.ctas)
            # 64 rows are where those of D are, 16 in each window; .ws has copies of 64 and 32 rows.
            pitch = 32 if self.layout in "CF" else 16
            copies = range(0, 128, self.m) if self.form == "ws" else (0,)
            for chunk in range(self.k // self.chunk):
                step, k = divmod(self.chunk * chunk, self.step)
                column = step
                if self.kind in ("f16", "ti16"):
                    lane, bit = row % 8 + 8 * (k // 16) + pitch * (row // 16), k % 16 + 16 * (row // 8 % 2)
                elif self.kind == "tf32":
                    lane, bit = row % 8 + 8 * (k // 8) + pitch * (row // 16), 2 * (k % 8) + 16 * (row // 8 % 2)
                else:
                    lane, column, bit = row % 16 + pitch * (row // 16), 2 * step + k // 32, k % 32
                for copy in copies:
                    cells[128 * cta + lane + copy][column] |= self.code(m, chunk) << bit
        if self.bad_copy:
            cells[64][0] ^= 0b0100 ^ 0b1110
        return cells

    def row_of_a(self, row):
        """Row `row` of A as the instruction multiplies it, K elements."""
        if self.ashift:
            rows = self.m // self.ctas
            row = min(row + 1, row // rows * rows + rows - 1)
        if not self.sparse:
            return [self.whole_a.at(row, k) for k in range(self.k)]
        out = [0] * self.k
        for chunk in range(self.k // self.chunk):
            code = self.code(row, chunk)
            if self.kind == "tf32":
                out[2 * chunk + (code == 0b1110)] = self.whole_a.at(row, chunk)
                continue
            out[4 * chunk + (code & 3)] = self.whole_a.at(row, 2 * chunk)
            out[4 * chunk + (code >> 2)] = self.whole_a.at(row, 2 * chunk + 1)
        return out

    def is_masked(self, column):
        if not self.mask:
            return False
        use, skip, drop, _ = self.mask
        parts = 128 // self.m
        place = column % (self.n // parts) + drop[column // (self.n // parts)]
        return place % (use + skip) >= use

    def expected(self, row, column):
        if self.disable:
            lane, _ = cell_of(self.layout, self.n, row, column)
            if self.disable[lane // 32] >> lane % 32 & 1:
                return 256.0  # what was there before
        a, shift = self.row_of_a(row), self.mask[3] if self.mask else 0
        total = 0.0
        for first in range(0, self.k, self.step):
            if self.scale_d is not None:
                total *= 2.0 ** -self.scale_d
            if not self.is_masked(column):
                total += (2 if self.reuse else 1) * sum(a[k] * self.whole_b.at(column + shift, k) for k in range(first, first + self.step))
        if self.scale_d is not None or self.disable:
            total += 256.0 * 2.0 ** -((self.scale_d or 0) * (self.k // self.step))
        return total

    def map(self, whole, part):
        """The tensor map of a matrix, whose box is what a CTA loads."""
        out = whole.tensor_map()
        out["tensor_map"]["box"] = [part.row, part.lines]
        return out

    @property
    def starts_full(self):
        """Whether D is added to what is there, 256 everywhere."""
        return self.disable is not None or self.scale_d is not None

    def text(self):
        text, size = self.text_of_floats()
        # D is the only f32 of a kernel of integers.
        return text.replace("xf32", "xi32").replace("dense<256.0>", "dense<256>") if self.kind in INTEGERS else text, size

    def text_of_floats(self):
        group = " cta_group 2" if self.ctas == 2 else ""
        acc = f"!tcgen05.tmem<{64 if self.layout in 'CF' else 128}x{self.columns}xf32, {self.layout}>"
        window = acc.replace("<128x", "<32x").replace("<64x", "<16x")
        views, loads, size = load_slabs((self.a, self.b))
        # A CTA of a pair has its half of the rows of A and of the columns of B.
        loads = [load.replace("mapA[%c0", "mapA[%firstA").replace("mapB[%c0", "mapB[%firstB") for load in loads]
        bars = align_up(size, 8)
        width = self.a.bits
        work, regions, a, a_type = [], [], "%A", self.a.tile_type
        if self.tmem_a:
            end = f"x{self.a.element}, {self.layout}{', packed' * (width < 32)}>"
            a_type, piece = f"!tcgen05.tmem<128x{self.a.k}{end}", f"!tcgen05.tmem<128x{256 // width}{end}"
            regions.append(f"%TA = tcgen05.reserve : {a_type}")
            for part in range(self.a.k * width // 256):
                work += [f"%t{part} = tcgen05.slice %TA[{8 * part}] : {a_type} to {piece}",
                         f"tcgen05.cp %A, %t{part} shape \"128x256b\"{group} {{k = {part * 256 // width} : i64}} : {self.a.tile_type}, {piece}"]
            a = "%TA"
        meta, meta_type = "", f"!tcgen05.tmem<128x4xi32, metadata{width}>"
        stores = []
        if self.sparse:
            regions.append(f"%e = tcgen05.reserve : {meta_type}")
            stores = [f"%mineE = tcgen05.warp_window %e : {meta_type}",
                      f"%cells = vector.load %meta[%row, %c0] : memref<{128 * self.ctas}x4xi32>, vector<4xi32>",
                      f"tcgen05.st %cells, %mineE : vector<4xi32> to {meta_type.replace('<128x', '<32x')}",
                      "tcgen05.wait st"]
        if self.starts_full:
            # Of 16 lanes, two threads have the cells of a lane.
            half = self.layout in "CF"
            count = self.columns // 2 if half else self.columns
            shape = ' shape "16x64b"' if half else ""
            stores += [f"%before = arith.constant dense<256.0> : vector<{count}xf32>",
                       f"tcgen05.st %before, %mine{shape} : vector<{count}xf32> to {window}",
                       "tcgen05.wait st"]
        mask = ""
        if self.mask:
            use, skip, drop, shift = self.mask
            work.append(f"%mask = tcgen05.column_mask use {use} skip {skip} shift {shift} drop {list(drop)}")
            mask = " mask(%mask)"
        disable = ""
        if self.disable:
            signed = [word - (1 << 32) if word >> 31 else word for word in self.disable]
            work.append(f"%lanes = arith.constant dense<{signed}> : vector<4xi32>")
            disable = " disable(%lanes : vector<4xi32>)"
        for step, k in enumerate(range(0, self.k, self.step)):
            attributes = [f"a_k = {k // 2 if self.sparse else k} : i64", f"b_k = {k} : i64"]
            if self.sparse and width > 8:
                attributes.append(f"selector = {step} : i32")
                meta = f" sparse(%e : {meta_type})"
            elif self.sparse:
                part = meta_type.replace("128x4x", "128x2x")
                work.append(f"%e{step} = tcgen05.slice %e[{2 * step}] : {meta_type} to {part}")
                meta = f" sparse(%e{step} : {part})"
            if self.ashift:
                attributes.append("ashift")
            if self.scale_d is not None:
                attributes.append(f"scale_d = {self.scale_d} : i32")
            if self.mask and self.mask[3]:
                attributes.append(f"max_shift = {self.mask[3]} : i64")
            more = "true" if step or self.starts_full else "false"
            for use, more in ((" collector_b fill", more), (" collector_b lastuse", "true")) if self.reuse else (("", more),):
                work.append(f"tcgen05.mma{'_ws' if self.form == 'ws' else ''} {self.kind}{group} %acc, {a}, %B{meta} accumulate(%{more}){mask}{disable}{use}"
                            f" {{{', '.join(attributes)}}} : {acc}, {a_type}, {self.b.tile_type}")
        work.append("tcgen05.commit %done multicast %both cta_group 2 : !sm90.mbarrier" if group
                    else "tcgen05.commit %done : !sm90.mbarrier")
        # Everything has arrived in both CTAs before one thread multiplies.
        meet = "sm90.cluster_arrive\n      sm90.cluster_wait" if group else "gpu.barrier"
        cluster = ", gpu.known_cluster_size = array<i32: 2, 1, 1>" if group else ""
        out = f"memref<{128 * self.ctas}x{self.columns}xf32>"
        reads = []
        for start, count in chunks(self.columns):
            part = window.replace(f"x{self.columns}xf32", f"x{count}xf32")
            reads += [f"%c_{start} = arith.constant {start} : index",
                      f"%p{start} = tcgen05.slice %mine[{start}] : {window} to {part}",
                      f"%v{start} = tcgen05.ld %p{start} : {part} to vector<{count}xf32>",
                      f"%w{start} = tcgen05.wait ld(%v{start} : vector<{count}xf32>)",
                      # Threads 16 to 31 of a warp have no lane of layout F.
                      "scf.if %holds {",
                      f"  vector.store %w{start}, %d[%row, %c_{start}] : {out}, vector<{count}xf32>",
                      "}"]
        newline = "\n      "
        return f"""
!smem = memref<{bars + 16}xi8, #gpu.address_space<workgroup>>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "{self.chip}", features = "+ptx{self.ptx}">] {{
    gpu.func @tile(%mapA: {self.a.map_type}, %mapB: {self.b.map_type}, %meta: memref<{128 * self.ctas}x4xi32>, %d: {out}) kernel
        attributes {{known_block_size = array<i32: 128, 1, 1>{cluster}}} {{
      %c0 = arith.constant 0 : index
      %c32 = arith.constant 32 : index
      %first = arith.constant 0 : i32
      %false = arith.constant false
      %true = arith.constant true
      %acc = tcgen05.reserve : {acc}
      {newline.join(regions)}
      %smem = sm90.dynamic_smem align {ALIGN} : !smem
      {newline.join(views)}
      %bars = sm90.mbarrier.view %smem[{bars}] : !smem to !sm90.mbarrier_array<2>
      %full = sm90.mbarrier.get %bars[0] : !sm90.mbarrier_array<2>
      %done = sm90.mbarrier.get %bars[1] : !sm90.mbarrier_array<2>
      %tid = gpu.thread_id x
      %both = arith.constant 3 : i16
      %block = gpu.block_id x
      %rank = {'arith.addi %block, %c0 : index' if group else 'arith.constant 0 : index'}
      %c128 = arith.constant 128 : index
      %rowsA = arith.constant {self.m // self.ctas} : index
      %rowsB = arith.constant {self.n // self.ctas} : index
      %firstA = arith.muli %rank, %rowsA : index
      %firstB = arith.muli %rank, %rowsB : index
      %firstRow = arith.muli %rank, %c128 : index
      %row = arith.addi %tid, %firstRow : index
      %mine = tcgen05.warp_window %acc : {acc}
      %warp = arith.divui %tid, %c32 : index
      %lanes32 = arith.remui %tid, %c32 : index
      %held = arith.constant {16 if self.layout in "CF" else 32} : index
      %holds = arith.cmpi ult, %lanes32, %held : index
      %isFirst = arith.cmpi eq, %warp, %c0 : index
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.init %full, 1 : !sm90.mbarrier
          sm90.mbarrier.init %done, 1 : !sm90.mbarrier
          sm90.fence_mbarrier_init
        }}
      }}
      {newline.join(stores)}
      tcgen05.fence before
      {meet}
      tcgen05.fence after
      scf.if %isFirst {{
        %leader = sm90.elect
        scf.if %leader {{
          sm90.mbarrier.arrive_expect_tx %full, {self.a.bytes + self.b.bytes} : !sm90.mbarrier
          {newline.join(loads)}
        }}
      }}
      sm90.mbarrier.wait_parity %full, %first : !sm90.mbarrier
      {issue(meet, work)}
      {newline.join(reads)}
      gpu.return
    }}
  }}
}}
""", bars + 16


def run(tools, work, case):
    text, size = case.text()
    (work / "tile.mlir").write_text(text)
    (work / "meta.bin").write_bytes(b"".join(struct.pack("<4I", *cells) for cells in case.metadata()))
    buffers = {op.name: write_buffer(work, op) for op in (case.whole_a, case.whole_b)}
    buffers["E"] = {"dtype": "i32", "shape": [128 * case.ctas, 4], "file": "meta.bin"}
    buffers["D"] = {"dtype": "i32" if case.kind in INTEGERS else "f32", "shape": [128 * case.ctas, case.columns], "init": "zeros", "out": "D.bin"}
    (work / "launch.json").write_text(json.dumps({
        "entry": "tile", "grid": [case.ctas, 1, 1], "block": [128, 1, 1], "cluster": [case.ctas, 1, 1],
        "dynamic_smem": size + ALIGN - 16, "buffers": buffers,
        "params": [case.map(case.whole_a, case.a), case.map(case.whole_b, case.b), {"pointer": "E", "offset": 0}, {"pointer": "D", "offset": 0}]}))
    for command in ([tools[0], "tile.mlir", "-o", "tile.ptx"],
                    [tools[1], "tile.ptx", "--launch", "launch.json", "--schedule=eager,lazy", "--seeds=2", "--races=strict"]):
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        said = done.stdout + done.stderr
        if done.returncode != 0:
            return None if case.refused and case.refused in said else f"{command[0]} gave {done.returncode}: {said}"
    if case.refused:
        return f"expected to be refused with '{case.refused}'"
    values = struct.unpack(f"<{128 * case.ctas * case.columns}{'i' if case.kind in INTEGERS else 'f'}", (work / "D.bin").read_bytes())
    for row in range(case.m):
        for column in range(case.n):
            lane, at = cell_of(case.layout, case.n, row, column)
            expected = case.expected(row, column)
            if values[lane * case.columns + at] != expected:
                return f"D[{row}, {column}]: expected {expected}, got {values[lane * case.columns + at]}"
    return None


def cases():
    yield Case("tf32", kind="tf32", k=16, n=48)
    yield Case("tf32, pair", kind="tf32", form="pair", m=256, n=64, k=16)
    yield Case("e4m3", kind="f8f6f4", k=64, n=48)
    yield Case("A in Tensor Memory", tmem_a=True)
    yield Case("A in Tensor Memory, e4m3", kind="f8f6f4", k=64, n=48, tmem_a=True)
    yield Case("A in Tensor Memory, tf32", kind="tf32", k=16, n=32, tmem_a=True)
    yield Case("shifted A", tmem_a=True, ashift=True, n=32)
    yield Case("disabled lanes", disable=(0x80000001, 0xFFFF, 0, 0x12345678))
    yield Case("scaled D", scale_d=3)
    yield Case("64 rows, scaled D", m=64, scale_d=1)
    yield Case("sparse", sparse=True, k=64)
    yield Case("sparse, no swizzle", sparse=True, k=32, layouts=("none", "none"), n=40)
    yield Case("sparse, tf32", kind="tf32", sparse=True, k=32)
    yield Case("sparse, e4m3", kind="f8f6f4", sparse=True, k=128, n=72)
    yield Case("sparse, A in Tensor Memory", sparse=True, k=64, tmem_a=True)
    yield Case("weight-stationary", form="ws", n=64)
    yield Case("weight-stationary, 64 rows", form="ws", m=64, n=128)
    yield Case("weight-stationary, 32 rows", form="ws", m=32, n=256)
    yield Case("weight-stationary, A in Tensor Memory", form="ws", tmem_a=True)
    yield Case("zero columns", form="ws", m=32, n=64, mask=(3, 2, (5, 0, 1, 0), 8))
    yield Case("zero columns, 128 rows", form="ws", n=128, mask=(4, 1, (2,), 32))
    yield Case("pair", form="pair", m=256, n=96)
    yield Case("pair of 64 rows", form="pair", m=128, n=64)
    yield Case("pair, A in Tensor Memory", form="pair", m=256, n=64, tmem_a=True, ashift=True)
    yield Case("pair, sparse", form="pair", m=256, n=64, sparse=True, k=64)
    yield Case("pair of 64 rows, sparse", form="pair", m=128, n=64, sparse=True, k=64)
    yield Case("pair of 64 rows, sparse, e4m3", kind="f8f6f4", form="pair", m=128, n=96, sparse=True, k=128)
    yield Case("pair of 64 rows, sparse, scaled D", form="pair", m=128, n=32, sparse=True, k=32, scale_d=2)
    yield Case("integers", kind="i8", k=64)
    yield Case("integers, pair", kind="i8", form="pair", m=256, n=96, k=64)
    yield Case("integers, A in Tensor Memory", kind="i8", k=64, n=48, tmem_a=True)
    # 16 bits of a sign and a magnitude, on sm_107f.
    yield Case("sign and magnitude", kind="ti16", n=48)
    yield Case("sign and magnitude, 64 rows", kind="ti16", m=64, n=24)
    yield Case("sign and magnitude, pair", kind="ti16", form="pair", m=256, n=96)
    yield Case("sign and magnitude, pair of 64 rows", kind="ti16", form="pair", m=128, n=64)
    yield Case("sign and magnitude, A in Tensor Memory, shifted", kind="ti16", n=32, tmem_a=True, ashift=True)
    yield Case("sign and magnitude, disabled lanes", kind="ti16", disable=(0x80000001, 0xFFFF, 0, 0x12345678))
    yield Case("sign and magnitude, sparse, pair", kind="ti16", form="pair", m=256, n=64, sparse=True, k=64)
    yield Case("sign and magnitude, zero columns", kind="ti16", form="ws", m=32, n=64, mask=(3, 2, (5, 0, 1, 0), 8))
    yield Case("sign and magnitude, B reused", kind="ti16", n=48, reuse=True)
    for kind, k in (("f16", 64), ("tf32", 32), ("f8f6f4", 128), ("i8", 128), ("ti16", 64)):
        yield Case(f"sparse, 64 rows, {kind}", kind=kind, sparse=True, m=64, k=k, n=48)
        for m in (128, 64, 32):
            yield Case(f"weight-stationary sparse, {m} rows, {kind}", kind=kind, form="ws", sparse=True, m=m, k=k, n=128)
    yield Case("weight-stationary sparse, copies that differ", form="ws", sparse=True, m=64, n=64, bad_copy=True,
               refused="sp-meta: expected the same code in every copy of the rows, got 4 at lane 0, column 32 and 14 at lane 64, column 32")
    yield Case("weight-stationary sparse, zero columns", form="ws", sparse=True, m=32, n=64, k=64,
               mask=(3, 2, (5, 0, 1, 0), 8))


if __name__ == "__main__":
    sys.exit(main(run, cases()))
