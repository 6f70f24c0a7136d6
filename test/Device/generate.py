#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the micro-kernels as PTX, launch files and inputs into a folder.

usage: generate.py FOLDER [--only TEXT] [--assemble] [--list]

The same files on every machine and every day. With --assemble, ptxas has to
accept each of them for sm_90a."""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

import micro


def assemble(ptxas, path):
    result = subprocess.run([ptxas, "-arch=sm_90a", "-o", os.devnull, path],
                            capture_output=True, text=True, check=False)
    return result.returncode == 0, (result.stderr + result.stdout).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", default="", help="kernels whose name holds this text")
    parser.add_argument("--assemble", action="store_true", help="run ptxas on each")
    parser.add_argument("--list", action="store_true", help="print names and families")
    arguments = parser.parse_args()
    kernels = [kernel for kernel in micro.all_kernels() if arguments.only in kernel.name]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for kernel in kernels:
        for name, data in kernel.files().items():
            (arguments.folder / name).write_bytes(data)
        if arguments.list:
            print(f"{kernel.family:16} {kernel.name}")
    failed = 0
    if arguments.assemble:
        ptxas = shutil.which("ptxas")
        if not ptxas:
            sys.exit("generate.py: --assemble: no ptxas on PATH")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            paths = [arguments.folder / f"{kernel.name}.ptx" for kernel in kernels]
            for kernel, (ok, text) in zip(kernels, pool.map(lambda p: assemble(ptxas, p), paths)):
                if not ok:
                    failed += 1
                    print(f"{kernel.name}: {text}", file=sys.stderr)
    print(f"{len(kernels)} micro-kernels" + (f", {failed} refused by ptxas" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
