#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random programs on the GPU and records a hash of what each wrote.

usage: random_record.py [--count N] [--first SEED] [--out FILE] [--expected FILE --raw FILE]

Several processes share the GPU; one that ends or hangs is started again after
the program that it was at. Each program runs twice; results that differ are no
results. With --expected (hashes that random_replay.py --write made on the
emulator), --raw keeps the bytes of the programs that differ from them."""

import argparse
import json
import pathlib
import pickle
import subprocess
import sys
import time
import zlib

import random_programs
import record
from micro import runner

HERE = pathlib.Path(__file__).resolve().parent
RAW_BYTES = 14 << 20  # kept of programs that are not as expected
DEFAULT = HERE / "data" / "random_sm_90a.json"


def work(seeds):
    """Child: a line per program on stdout."""
    from random_programs.gpu import Gpu, GpuError
    gpu = Gpu()
    for seed in seeds:
        kernel = random_programs.random_program(seed)
        print(json.dumps({"start": seed}), flush=True)
        try:
            first, second = gpu.run(kernel), gpu.run(kernel)
        except GpuError as error:
            print(json.dumps({"seed": seed, "failed": str(error)}), flush=True)
            sys.exit(3)  # an error of a kernel ends the context
        if first != second:
            print(json.dumps({"seed": seed, "failed": "differs from run to run"}), flush=True)
            continue
        print(json.dumps({"seed": seed, "kernel": kernel.fingerprint(), "bytes": first.hex()}),
              flush=True)


class Child:
    """One process and what is left of its seeds."""

    def __init__(self, seeds, log):
        self.seeds, self.log, self.process = seeds, log, None
        self.lines, self.at, self.since = log.open("w+"), None, 0

    def start(self):
        self.lines.close()
        self.lines = self.log.open("w+")
        self.reader = self.log.open("r")
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", ",".join(map(str, self.seeds))],
            stdout=self.lines, stderr=subprocess.DEVNULL, cwd=HERE)
        self.since = time.time()

    def poll(self, timeout, results):
        """Reads what is there; True while there is something to do."""
        if self.process is None:
            if not self.seeds:
                return False
            self.start()
        ended = self.process.poll() is not None
        while line := self.reader.readline():
            if not line.endswith("\n"):
                break
            entry = json.loads(line)
            self.since = time.time()
            if "start" in entry:
                self.at = entry["start"]
                continue
            results[entry["seed"]] = entry
            self.seeds = [seed for seed in self.seeds if seed != entry["seed"]]
            self.at = None
        if not ended and time.time() - self.since > timeout:
            self.process.kill()
            self.process.wait()
            ended = True
        if ended:
            self.process = None
            if self.at is not None and self.at in self.seeds:
                results[self.at] = {"seed": self.at, "failed": "no end"}
                self.seeds = [seed for seed in self.seeds if seed != self.at]
                self.at = None
        return bool(self.seeds) or self.process is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--timeout", type=float, default=20, help="seconds per program")
    parser.add_argument("--limit", type=float, default=500, help="seconds in all")
    parser.add_argument("--out", type=pathlib.Path, default=DEFAULT)
    parser.add_argument("--expected", type=pathlib.Path)
    parser.add_argument("--raw", type=pathlib.Path)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work([int(seed) for seed in arguments.work.split(",")])
        return 0
    start, results = time.time(), {}
    seeds = list(range(arguments.first, arguments.first + arguments.count))
    logs = pathlib.Path(arguments.out.parent)
    children = [Child(seeds[i::arguments.jobs], logs / f".random-{i}.log")
                for i in range(arguments.jobs)]
    while any([child.poll(arguments.timeout, results) for child in children]):
        if time.time() - start > arguments.limit:
            break
        time.sleep(0.2)
    for child in children:
        if child.process:
            child.process.kill()
        child.log.unlink(missing_ok=True)
    expected = json.loads(arguments.expected.read_text()) if arguments.expected else {}
    lines, raw, raw_bytes, failed = {}, {}, 0, []
    for seed, entry in sorted(results.items()):
        if "failed" in entry:
            lines[seed] = "failed: " + entry["failed"]
            failed.append(f"{seed}: {entry['failed']}")
            continue
        data = bytes.fromhex(entry["bytes"])
        lines[seed] = f"{entry['kernel'][:8]} {runner.digest(data)[:16]}"
        if expected.get(str(seed)) != lines[seed] and raw_bytes < RAW_BYTES:
            raw[seed] = data
            raw_bytes += len(data)
    header = record.describe_gpu() | {"programs": len(lines)}
    text = json.dumps(header, indent=1)[:-2] + ',\n "results": {\n' + ",\n".join(
        f'  "{seed}": "{line}"' for seed, line in lines.items()) + "\n}}\n"
    arguments.out.write_text(text)
    if arguments.raw:
        arguments.raw.write_bytes(zlib.compress(pickle.dumps(raw)))
    for line in failed:
        print(line)
    print(f"{len(lines)} random programs, {len(failed)} without a result, "
          f"{len(raw) if expected else 0} not as expected, {time.time() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
