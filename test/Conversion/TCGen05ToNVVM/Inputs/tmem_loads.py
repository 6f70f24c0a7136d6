"""What the tests of loads from Tensor Memory share that compute something of what they load: bits of floats, their order,
and a kernel on the emulator."""
import array
import subprocess
import sys

NAN = 0x7FFFFFFF
SPECIAL = [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFF800001, 1, 0x80000001]


def is_nan(bits):
    return bits & 0x7FFFFFFF > 0x7F800000


def order(bits):
    """A key with the order of floats, -0 below +0."""
    return -(bits & 0x7FFFFFFF) - 1 if bits >> 31 else bits


def reduce_floats(bits, op, absolute, nan):
    """The smallest or largest number; NaN where there is none, with `nan` where there is one NaN."""
    numbers = [x & 0x7FFFFFFF if absolute else x for x in bits if not is_nan(x)]
    if not numbers or (nan and len(numbers) < len(bits)):
        return NAN
    return (min if op == "min" else max)(numbers, key=order)


def run(work, tools, text, data, assembler):
    """The words that the kernel of module `text` makes of the rows `data`, under three schedules; it is assembled by the
    command `assembler`, if there is one."""
    work.mkdir(parents=True, exist_ok=True)
    (work / "in.bin").write_bytes(array.array("I", [bits for row in data for bits in row]).tobytes())
    (work / "k.mlir").write_text(text)
    commands = [[tools[0], "k.mlir", "-o", "k.ptx"],
                [tools[1], "k.ptx", "--schedule=eager,lazy,random:1", "--races=strict", "--buffer=arg0=in.bin", "--out=arg1=d.bin"]]
    if assembler:
        commands.append([*assembler, "k.ptx", "-o", "k.cubin"])
    for command in commands:
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{command[0]} gave {done.returncode}: {done.stdout}{done.stderr}")
    return array.array("I", (work / "d.bin").read_bytes())
