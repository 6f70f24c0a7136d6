"""row_sum.py TC-RUN PTX MxN...: runs a kernel of row sums on matrices of small
integers, of which every order of sums is exact, under several schedules, and
compares with the sums of Python."""
import array
import json
import pathlib
import random
import subprocess
import sys

tool, ptx, *sizes = sys.argv[1:]
description = json.loads(pathlib.Path(ptx).with_suffix(".json").read_text())
source, target = description["arguments"]
names = description["buffers"][source]["shape"] + description["buffers"][target]["shape"][:1]
x_file, sums_file = pathlib.Path(ptx + ".x.bin"), pathlib.Path(ptx + ".sums.bin")
for size in sizes:
    m, n = map(int, size.split("x"))
    generator = random.Random(size)
    rows = [[generator.randint(-8, 8) for _ in range(n)] for _ in range(m)]
    x_file.write_bytes(array.array("f", [x for row in rows for x in row]).tobytes())
    sums_file.unlink(missing_ok=True)
    values = ",".join(f"{name}={value}" for name, value in dict(zip(names, (m, n, m))).items())
    run = subprocess.run([tool, ptx, "--size", values, "--buffer", f"{source}={x_file}", "--out", f"{target}={sums_file}",
                          "--schedule", "eager,lazy,random:1,random:2", "--races=strict"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{size}: {run.stdout}{run.stderr}")
    sums = array.array("f", sums_file.read_bytes()).tolist()
    wrong = [i for i, row in enumerate(rows) if sums[i] != sum(row)]
    if len(sums) != m or wrong:
        sys.exit(f"{size}: {len(sums)} sums, wrong in rows {wrong[:8]}")
print(f"{len(sizes)} sizes: all sums are right")
