# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs micro-kernels with tc-run and reads and writes the recorded results."""

import base64
import concurrent.futures
import dataclasses
import hashlib
import json
import pathlib
import subprocess
import zlib

# Results whose compressed bytes are fewer are kept whole, the others as a hash.
KEEP_BYTES = 1024


@dataclasses.dataclass
class Outcome:
    """`output` is None where the run failed; `message` then says why."""
    name: str
    output: bytes | None
    message: str


def run_one(tc_run, kernel, folder, arguments, timeout, suffix):
    result = folder / f"{kernel.name}.{suffix}"
    command = [tc_run, f"{kernel.name}.ptx", "--out", f"out={result.name}", *arguments]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                              timeout=timeout, check=False, errors="replace")
    except subprocess.TimeoutExpired:
        return Outcome(kernel.name, None, f"no end after {timeout} s")
    if done.returncode == 0 and result.exists():
        data = result.read_bytes()
        result.unlink()
        return Outcome(kernel.name, data, "")
    text = done.stderr.strip() or done.stdout.strip()
    return Outcome(kernel.name, None, f"exit status {done.returncode}: {text}")


def run_all(tc_run, kernels, folder, arguments, *, jobs, timeout, suffix="result"):
    """Writes the kernels' files into `folder` and runs each; yields Outcomes in
    the order of the kernels."""
    folder = pathlib.Path(folder)
    tc_run = str(pathlib.Path(tc_run).resolve())
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        def work(kernel):
            for name, data in kernel.files().items():
                (folder / name).write_bytes(data)
            outcome = run_one(tc_run, kernel, folder, arguments, timeout, suffix)
            for name in kernel.files():
                (folder / name).unlink(missing_ok=True)
            return outcome
        yield from pool.map(work, kernels)


def digest(data):
    return hashlib.sha256(data).hexdigest()[:32]


def encode(kernel, outcome):
    entry = {"kernel": kernel.fingerprint()}
    if outcome.output is None:
        return entry | {"failed": outcome.message}
    entry |= {"bytes": len(outcome.output), "sha256": digest(outcome.output)}
    if kernel.parts:
        entry["parts"] = [digest(outcome.output[at:at + size])[:8]
                          for _, at, size in kernel.parts]
    packed = zlib.compress(outcome.output, 9)
    if len(packed) <= KEEP_BYTES:
        entry["data"] = base64.b85encode(packed).decode()
    return entry


def read_differences():
    """Opcodes whose results on the device are not those of the ISA, and why."""
    lines = (pathlib.Path(__file__).parent.parent / "data" / "differences.txt").read_text()
    rows = [line.split(" | ") for line in lines.splitlines() if not line.startswith("#")]
    return {opcode: f"{sentence}; the device {does}" for opcode, sentence, does in rows}


def differing_parts(kernel, entry, output):
    """Names of the parts of the output that are not those recorded."""
    return [name for (name, at, size), recorded in zip(kernel.parts, entry.get("parts", []))
            if digest(output[at:at + size])[:8] != recorded]


def decode(entry):
    """The recorded bytes, or None where only their hash was kept."""
    if "data" not in entry:
        return None
    return zlib.decompress(base64.b85decode(entry["data"]))


def write_results(path, header, entries):
    """One line per kernel, so that changes can be read."""
    lines = [f' {json.dumps(name)}: {json.dumps(entry)}' for name, entry in entries.items()]
    text = json.dumps(header, indent=1)[:-2] + ',\n "results": {\n' + ",\n".join(lines)
    pathlib.Path(path).write_text(text + "\n}}\n", encoding="utf-8")


def read_results(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
