"""Kernels that load and store Tensor Memory with every shape, run on the emulator.

A case is one tcgen05.ld from cells that tcgen05.st.32x32b wrote (st-run.mlir), or one
tcgen05.st into cells that tcgen05.ld.32x32b reads. The maps below are written by hand
from the figures of the ISA; nothing of the compiler computes them.

    access_shapes.py WORK_FOLDER [tc-compile [tc-run]]
"""
import array
import pathlib
import shutil
import subprocess
import sys

# name: (lanes, columns, registers of one repetition, largest repetition)
SHAPES = {"32x32b": (32, 1, 1, 128), "16x64b": (16, 2, 1, 128), "16x128b": (16, 4, 2, 64),
          "16x256b": (16, 8, 4, 32), "16x32bx2": (16, 1, 1, 128)}
JUNK = 0x5A5A0000  # in the high half of the cells of 16-bit elements


def cell(shape, t, r, offset):
    """Lane and column of register r of thread t."""
    return {"32x32b": lambda: (t, r),
            "16x64b": lambda: (t // 4 + 8 * (t % 2), t // 2 % 2 + 2 * r),
            "16x128b": lambda: (t // 4 + 8 * (r % 2), t % 4 + 4 * (r // 2)),
            "16x256b": lambda: (t // 4 + 8 * (r // 2 % 2), 2 * (t % 4) + r % 2 + 8 * (r // 4)),
            "16x32bx2": lambda: (t % 16, r + (offset if t >= 16 else 0))}[shape]()


class Case:
    def __init__(self, shape, half, load, repetition, lane):
        self.shape, self.half, self.load, self.lane = shape, half, load, lane
        lanes, columns, registers, _ = SHAPES[shape]
        self.registers = repetition * registers
        wide = 2 if half else 1
        self.offset = min(repetition * wide + 3, 512 - repetition * wide) if shape == "16x32bx2" else 0
        self.columns = self.offset + repetition * columns * wide

    def cells(self, t, r):
        """The cells (lane in the window, column) of register r of thread t."""
        if not self.half:
            lane, column = cell(self.shape, t, r, self.offset)
            return [(self.lane + lane, column)]
        # The offset of the second half counts cells, the map counts pairs of them.
        lane, column = cell(self.shape, t, r, 0)
        first = 2 * column + (self.offset if t >= 16 else 0)
        return [(self.lane + lane, first), (self.lane + lane, first + 1)]

    def filled(self, thread, column):
        """What the cells hold before: of lane `thread`."""
        value = 512 * thread % 65536 + column if self.half else 512 * thread + column
        return value | JUNK if self.half else value

    def stored(self, thread, register):
        return 256 * thread + register + (thread << 22 if self.half else 0)

    def expected(self):
        out = []
        for thread in range(128):
            base = thread // 32 * 32
            if self.load:
                row = []
                for r in range(self.registers):
                    cells = self.cells(thread % 32, r)
                    values = [self.filled(base + lane, column) for lane, column in cells]
                    row.append(values[0] & 0xFFFF | (values[1] & 0xFFFF) << 16 if self.half else values[0])
            else:
                row = [self.filled(thread, column) for column in range(self.columns)]
            out.append(row)
        if not self.load:
            for thread in range(128):
                for r in range(self.registers):
                    value = self.stored(thread, r)
                    halves = [value & 0xFFFF, value >> 16] if self.half else [value]
                    for (lane, column), half in zip(self.cells(thread % 32, r), halves):
                        out[thread // 32 * 32 + lane][column] = half
        return out

    def text(self, n):
        """The operations of the case, whose results are rows 128n on of D."""
        element = "f16" if self.half else "i32"
        window = f"!tcgen05.tmem<32x512x{element}, D>"
        region = f"!tcgen05.tmem<32x{self.columns}x{element}, D>"
        lines = [f"%r{n} = tcgen05.slice %mine[0] : {window} to {region}"]
        for start, width in chunks(self.columns):
            part = f"!tcgen05.tmem<32x{width}x{element}, D>"
            values = [self.filled(0, column) for column in range(start, start + width)]
            lines += [f"%f{n}_{start} = tcgen05.slice %mine[{start}] : {window} to {part}",
                      f"%k{n}_{start} = arith.constant dense<[{', '.join(map(str, values))}]> : vector<{width}xi32>",
                      f"%b{n}_{start} = vector.broadcast %row : i32 to vector<{width}xi32>",
                      f"%x{n}_{start} = arith.addi %k{n}_{start}, %b{n}_{start} : vector<{width}xi32>",
                      f"tcgen05.st %x{n}_{start}, %f{n}_{start} : vector<{width}xi32> to {part}"]
        lines.append("tcgen05.wait st")
        count = self.registers * (2 if self.half else 1)
        registers = f"vector<{self.registers}xi32>"
        vector = f"vector<{count}x{element}>"
        form = f' shape "{self.shape}"' if self.shape != "32x32b" else ""
        form += f" offset {self.offset}" if self.shape == "16x32bx2" else ""
        attribute = f" {{lane = {self.lane} : i64}}" if self.lane else ""
        if self.load:
            lines += [f"%p{n} = tcgen05.ld %r{n}{form}{' pack' * self.half}{attribute} : {region} to {vector}",
                      f"%v{n} = tcgen05.wait ld(%p{n} : {vector})"]
            result = f"%v{n}"
            if self.half:
                lines.append(f"%i{n} = vector.bitcast %v{n} : {vector} to {registers}")
                result = f"%i{n}"
            lines += self.store(n, 0, result, self.registers)
            return lines
        values = [self.stored(0, r) for r in range(self.registers)]
        lines += [f"%n{n} = arith.constant dense<[{', '.join(map(str, values))}]> : {registers}",
                  f"%o{n} = vector.broadcast %own : i32 to {registers}",
                  f"%s{n} = arith.addi %n{n}, %o{n} : {registers}"]
        value = f"%s{n}"
        if self.half:
            lines.append(f"%h{n} = vector.bitcast %s{n} : {registers} to {vector}")
            value = f"%h{n}"
        lines += [f"tcgen05.st {value}, %r{n}{form}{' unpack' * self.half}{attribute} : {vector} to {region}",
                  "tcgen05.wait st"]
        for start, width in chunks(self.columns):
            part = f"!tcgen05.tmem<32x{width}x{element}, D>"
            lines += [f"%q{n}_{start} = tcgen05.ld %f{n}_{start} : {part} to vector<{width}xi32>",
                      f"%w{n}_{start} = tcgen05.wait ld(%q{n}_{start} : vector<{width}xi32>)"]
            lines += self.store(f"{n}_{start}", start, f"%w{n}_{start}", width, n)
        return lines

    @staticmethod
    def store(name, column, value, width, n=None):
        first = 128 * (name if n is None else n)
        return [f"%row{name} = arith.constant {first} : index",
                f"%at{name} = arith.addi %tid, %row{name} : index",
                f"%col{name} = arith.constant {column} : index",
                f"vector.store {value}, %d[%at{name}, %col{name}] : !out, vector<{width}xi32>"]


def chunks(columns):
    """Columns in powers of two of at most 128."""
    start = 0
    while start < columns:
        width = 128
        while width > columns - start:
            width //= 2
        yield start, width
        start += width


def kernel(cases):
    half = cases[0].half
    body = [line for n, case in enumerate(cases) for line in case.text(n)]
    newline = "\n      "
    # Lanes differ in bits that the 16-bit elements keep.
    return f"""
!out = memref<{128 * len(cases)}x512xi32>
module attributes {{gpu.container_module}} {{
  gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {{
    gpu.func @k(%d: !out) kernel attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
      %tid = gpu.thread_id x
      %t = arith.index_cast %tid : index to i32
      %c512 = arith.constant 512 : i32
      %step = arith.constant {256 + (1 << 22) * half} : i32
      %row = arith.muli %t, %c512 : i32
      %own = arith.muli %t, %step : i32
      %all = tcgen05.reserve : !tcgen05.tmem<128x512x{'f16' if half else 'i32'}, D>
      %mine = tcgen05.warp_window %all : !tcgen05.tmem<128x512x{'f16' if half else 'i32'}, D>
      {newline.join(body)}
      gpu.return
    }}
  }}
  func.func @host(%d: !out) {{
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : !out)
    return
  }}
}}
"""


def run(tools, work, shape, half):
    lanes, _, _, largest = SHAPES[shape]
    cases = []
    for load in (True, False):
        for repetition in (1, 4, largest):
            cases.append(Case(shape, half, load, repetition, 0))
        if lanes == 16:
            cases.append(Case(shape, half, load, 2, 16))
    (work / "k.mlir").write_text(kernel(cases))
    commands = [[tools[0], "k.mlir", "-o", "k.ptx"],
                [tools[1], "k.ptx", "--schedule=eager,lazy,random:1", "--races=strict", "--out=arg0=d.bin"]]
    if shutil.which("ptxas"):
        commands.append(["ptxas", "-arch=sm_100a", "k.ptx", "-o", "k.cubin"])
    for command in commands:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            return f"{command[0]} gave {done.returncode}: {done.stdout}{done.stderr}"
    text = (work / "k.ptx").read_text()
    name = f".sync.aligned.{shape}.x{largest}" + (".{}pack::16b" if half else "") + ".b32"
    for op, prefix in (("ld", ""), ("st", "un")):
        if "tcgen05." + op + name.format(prefix) not in text:
            return f"no tcgen05.{op}{name.format(prefix)}"
    found = array.array("I", (work / "d.bin").read_bytes())
    for n, case in enumerate(cases):
        for thread, row in enumerate(case.expected()):
            at = (128 * n + thread) * 512
            if found[at:at + len(row)].tolist() != row:
                return (f"{'ld' if case.load else 'st'} of {case.registers} registers, lane {case.lane}, thread {thread}: "
                        f"expected {row[:8]}, got {found[at:at + 8].tolist()}")
    return None


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    tools = (sys.argv[2:] + ["tc-compile", "tc-run"][len(sys.argv) - 2:])[:2]
    failures = count = 0
    for shape in SHAPES:
        for half in (False, True):
            count += 1
            error = run(tools, work, shape, half)
            if error:
                failures += 1
                print(f"{shape}{' pack' * half}: {error}")
    print(f"{count - failures} of {count} kernels right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
