#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of nvcc under tc-emulate: what they print, their exit status and
what is reported."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PTX = ["-gencode", "arch=compute_100a,code=compute_100a"]
RACE_LINE = 1 + (HERE / "faults.cu").read_text().split("cells[63", 1)[0].count("\n")
CLEAN = ("tc-emulate: 1 kernel, 1 launch, 1 run (eager; races: default): no reports; freedom from races: "
         "shown under this schedule\n")

failures = []


def build(work, name, *command):
    subprocess.run([*command, "-o", work / name], check=True)
    return work / name


def cuda_python(folder):
    """Where cuda-python's bindings of CUDA 13.0 are, from PyPI; None without a network."""
    target = folder / "cuda-python"
    if not (target / "cuda/bindings").exists():
        done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target,
                               "cuda-bindings==13.0.3", "cuda-pathfinder==1.3.3"], capture_output=True)
        if done.returncode:
            return None
    return target


def expect(what, result, status, out=(), err=(), lines=None):
    """One program that ran: exit status, texts on stdout and stderr, lines of stderr."""
    wrong = []
    if result.returncode != status:
        wrong.append(f"expected exit status {status}, got {result.returncode}")
    wrong += [f"expected '{text}' on stdout" for text in out if text not in result.stdout]
    wrong += [f"expected '{text}' on stderr" for text in err if text not in result.stderr]
    if lines is not None and len(result.stderr.splitlines()) != lines:
        wrong.append(f"expected {lines} lines on stderr")
    print(f"{'FAILED' if wrong else 'passed'}: {what}", flush=True)
    if wrong:
        failures.append(what)
        print("\n".join(wrong), result.stdout, result.stderr, sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=lambda path: pathlib.Path(path).resolve(), required=True)
    options = parser.parse_args()
    emulate = options.build / "bin/tc-emulate"
    if not emulate.exists():
        sys.exit(f"{emulate} does not exist: the build found no CUDA headers, zstd or LZ4")

    def run(program, *arguments, flags=(), tool=emulate):
        return subprocess.run([tool, *flags, program, *arguments], capture_output=True, text=True, timeout=300)

    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name in ("faults", "graphs", "heap", "programs", "runtime"):
            subprocess.run(["nvcc", *PTX, "-c", HERE / f"{name}.cu", "-o", work / f"{name}.o"], check=True)
        faults = build(work, "faults", "nvcc", "-cudart", "shared", work / "faults.o")
        lineinfo = build(work, "faults_lineinfo", "nvcc", *PTX, "-lineinfo", "-cudart", "shared", HERE / "faults.cu")
        static = build(work, "faults_static", "nvcc", work / "faults.o")
        stripped = build(work, "faults_stripped", "nvcc", "-Xlinker", "-s", work / "faults.o")
        runtime = build(work, "runtime", "nvcc", "-cudart", "shared", work / "runtime.o")
        runtime_static = build(work, "runtime_static", "nvcc", work / "runtime.o")
        programs = build(work, "programs", "nvcc", "-cudart", "shared", work / "programs.o")
        graphs = build(work, "graphs", "nvcc", "-cudart", "shared", work / "graphs.o")
        heap = build(work, "heap", "nvcc", work / "heap.o")
        wmma = build(work, "wmma", "nvcc", "-std=c++17", *PTX, HERE / "wmma.cu")
        devices = build(work, "devices", "nvcc", *[word for arch in ("80", "90", "90a", "100a", "103f") for word in
                                                   ("-gencode", f"arch=compute_{arch},code=compute_{arch}")],
                        HERE / "devices.cu")
        hopper = build(work, "hopper", "nvcc", "-gencode", "arch=compute_90a,code=compute_90a", HERE / "devices.cu")
        native = build(work, "native", "nvcc", "-cudart", "shared", "-gencode", "arch=compute_100a,code=sm_100a",
                       HERE / "faults.cu")
        plain = build(work, "plain", "nvcc", *PTX, "--no-compress", "-cudart", "shared", HERE / "faults.cu")
        cuda = pathlib.Path(subprocess.run(["which", "nvcc"], capture_output=True, text=True, check=True)
                            .stdout.strip()).resolve().parent.parent
        libraries = subprocess.run([emulate, "--libraries"], capture_output=True, text=True, check=True).stdout.strip()
        driver = build(work, "driver", "g++", f"-I{cuda}/include", HERE / "driver.cpp", f"{libraries}/libcuda.so.1")

        for what, program in (("shared", faults), ("static", static), ("uncompressed", plain)):
            expect(f"{what} runtime, clean", run(program, "clean"), 0,
                   ["clean: cudaSuccess", "copy: cudaSuccess, 298"], [CLEAN], lines=1)
        expect("quiet", run(faults, "clean", flags=["--quiet"]), 0, ["298"], lines=0)
        expect("race", run(faults, "race"), 1, ["race: cudaErrorLaunchFailure", "copy: cudaErrorLaunchFailure, -1"],
               ["kernel 'race' is 'race(int*)', entry _Z4racePi", "kernel 'race', launch 1", "race: module1.ptx:",
                "lines are those of module1.ptx, which --dump-ptx=DIR writes", "not shown: one schedule",
                "1 launch, 1 run (eager; races: default): 1 race; freedom from races: not shown"])
        # Lines of the report are those of a file, and --select takes names of C++.
        expect("race, PTX dumped",
               run(lineinfo, "race", flags=[f"--dump-ptx={work}", "--schedule=eager,lazy", "--select=race(int"]), 1, ["race: cudaErrorLaunchFailure"],
               [f"race: {work}/module1.ptx:", f": faults.cu:{RACE_LINE - 1}: ", f" is of {HERE}/faults.cu:{RACE_LINE}:",
                "not shown: 2 of 2 schedules end with the same results"])
        for how in ("_exit", "_Exit", "quick_exit"):
            for what, program in (("shared", faults), ("static", static)):
                said = ["quick"] if how == "quick_exit" else []
                done = run(program, "clean", how)
                expect(f"{what} runtime, clean, {how}", done, 3, ["298", *said], [CLEAN], lines=1)
                if "lost" in done.stdout:
                    failures.append(f"{how} wrote what the program had not flushed")
                expect(f"{what} runtime, race, {how}", run(program, "race", how), 1, said, ["1 race"])
        expect("_exit in the middle of a launch", run(faults, "slow", "alarm"), 5, [], ["no reports, the last launch is not finished"], lines=1)
        expect("deadlock", run(static, "deadlock"), 1, ["deadlock: cudaErrorLaunchTimeout"],
               ["waits for barrier 1: 32 of 64 threads have arrived", "1 deadlock"])
        expect("bad pointer", run(static, "pointer"), 1, ["pointer: cudaErrorIllegalAddress"],
               ["illegal write to address", "1 memory error"])
        expect("race, not looked for", run(faults, "race", flags=["--races=off"]), 0, ["race: cudaSuccess"],
               ["races: off): no reports; freedom from races: not shown, --races=off"])
        expect("race, kernel not selected", run(faults, "race", flags=["--select=clean"]), 0, ["race: cudaSuccess"],
               ["freedom from races: not shown for 1 kernel that --select leaves out"])
        expect("schedules", run(faults, "clean", flags=["--schedule=eager,lazy,random:3", "--minimize-assumptions"]), 0,
               ["298"], ["1 launch, 3 runs (eager, lazy, random:3; races: default): no reports; needed no choice; "
                         "freedom from races: shown under these schedules"])
        expect("order of the blocks", run(faults, "order", flags=["--schedule=eager,reverse", "--threads=1"]), 1,
               ["order: cudaErrorLaunchFailure"],
               ["the result under reverse differs from that under eager: 4 of the 400 bytes allocated at 0x7", ", first at 0x7",
                "1 launch with results that depend on the schedule"])
        # What Python loads later, as extension modules do.
        for kind in ("shared", "static"):
            library = build(work, f"libfaults_{kind}.so", "nvcc", *PTX, "-cudart", kind, "-shared", "-Xcompiler", "-fPIC",
                            HERE / "faults.cu")
            for name, status, said in (("clean", 0, "clean: cudaSuccess"), ("pointer", 1, "pointer: cudaErrorIllegalAddress")):
                script = f"import ctypes; ctypes.CDLL('{library}').main(2, (ctypes.c_char_p * 2)(b'', b'{name}'))"
                expect(f"{kind} runtime, a module of Python, {name}", run(sys.executable, "-c", script), status, [said])
        if bindings := cuda_python(options.build):
            environment = dict(os.environ, PYTHONPATH=str(bindings))
            expect("cuda-python", subprocess.run([emulate, sys.executable, HERE / "bindings.py"], capture_output=True,
                                                 text=True, env=environment), 1, ["right", "CUDA_ERROR_ILLEGAL_ADDRESS"],
                   ["illegal write to address 0x40", "1 kernel, 2 launches, 2 runs"])
        else:
            print("not run: cuda-python, which PyPI does not give")
        expect("machine code alone", run(native, "clean"), 1, [],
               ["expected PTX for sm_100a or older in the fat binary, got machine code for sm_100: rebuild with nvcc "
                "-gencode arch=compute_100a,code=compute_100a"])
        expect("static runtime without symbols", run(stripped, "clean"), 1, [],
               ["rebuild it with nvcc -cudart shared"])
        for what, program in (("shared", runtime), ("static", runtime_static)):
            expect(f"{what} runtime, calls", run(program), 0, ["passed 837 checks"],
                   ["threads that are not empty, got grid (1,1,1) and block (2048,1,1)", "no reports"])
        expect("driver", run(driver, HERE / "box.ptx", flags=["--schedule=eager,lazy,random:1"]), 0, ["passed"],
               ["expected a multiple of 16 bytes, got 7 (nearest: 16)", "1 launch, 3 runs"])
        # Launch files repeat what was recorded: the report, and every clean launch under other schedules.
        replay = options.build / "bin/tc-run"
        expect("record failures", run(faults, "pointer", flags=[f"--record-failures={work}/failed"]), 1, [],
               ["recorded as ", "failed/launch0001.json, with the PTX beside it: ", "failed/launch0001.ptx"])
        expect("replay of a failure", run(work / "failed/launch0001.ptx", tool=replay), 1, [],
               ["illegal write to address", "buffer 'm0x700000000'"])
        expect("record", run(runtime_static, flags=[f"--record={work}/all"]), 0, ["passed 837 checks"])
        recorded = sorted((work / "all").glob("*.ptx"))
        if len(recorded) != 16:
            failures.append(f"expected 16 recorded launches, got {len(recorded)}")
        for ptx in recorded:
            expect(f"replay of {ptx.name}", run(ptx, tool=replay, flags=["--schedule=eager,lazy"]), 0, [" ok"])

        expect("assertions that hold", run(programs, "assert0"), 0, ["assert0: 0 cudaSuccess, then cudaSuccess, 0 wrong"])
        for which, text in ((1, "i < 40"), (2, "value < 40"), (3, "never")):
            expect(f"assertion {which}", run(programs, f"assert{which}"), 1,
                   [f"assert{which}: 710 cudaErrorAssert, then cudaErrorAssert"],
                   [f"{text}", "1 launch, 1 run (eager; races: default): 1 assertion"])
        for name in ("virtual", "table", "argument"):
            expect(f"calls through pointers, {name}", run(programs, name, flags=["--schedule=all"]), 0,
                   [f"{name}: 0 cudaSuccess, then cudaSuccess, 0 wrong"])
        expect("calls through pointers, recursion", run(programs, "recursion"), 1, ["64 wrong"],
               ["recursion of '_Z9factorialii'", "1 unsupported"])
        # Rows of 48 bytes are what the text of the ISA does not allow, and CUDA's guide does.
        expect("wmma", run(wmma, flags=["--schedule=eager,lazy"]), 0, ["passed 2176 checks"],
               ["10 kernels, 10 launches, 20 runs", "assumed wmma-rows-of-16-bytes"])
        expect("wmma, strict", run(wmma, flags=["--races=strict"]), 1, ["padded: cudaErrorIllegalAddress"],
               ["stride: expected rows at a multiple of the 32 bytes of a fragment, got 48", "1 memory error"])
        expect("graphs", run(graphs), 0, ["passed 476 checks"])
        # Memory of kernels lasts and has the same addresses under every schedule.
        expect("malloc in kernels", run(heap, "run", flags=["--schedule=all"]), 0, ["run: cudaSuccess, 0 wrong"],
               ["4 kernels, 4 launches, 32 runs", "no reports"])
        expect("malloc in kernels, aligned", run(heap, "aligned", flags=["--schedule=all"]), 0,
               ["aligned: cudaSuccess, 0 wrong"])
        expect("malloc in kernels, limits", run(heap, "limit"), 0,
               ["limit: cudaSuccess, 8 and 8 of 8", "limit: cudaSuccess, 24 and 24 of 24"])
        for which, said in enumerate(("are in no allocation; the nearest is", "free of address 0x7",
                                      "expected an address that malloc has given", "4 bytes are in a block that line ",
                                      "of a block that line ")):
            expect(f"malloc in kernels, wrong {which}", run(heap, str(which)), 1, [f"{which}: cudaErrorIllegalAddress"], [said])
        expect("malloc in kernels, read by the host", run(heap, "leak"), 0, ["leak: cudaErrorInvalidValue"],
               ["expected memory that the host has allocated, got 0x800000000"])
        # Whoever waits for a block that has not started pauses ever differently, or longer.
        for name in ("wait", "wait-volatile", "wait-acquire", "wait-grows", "wait-backwards", "wait-volatile-grows-backwards",
                     "wait-meet"):
            expect(name, run(programs, name, flags=["--races=off", "--schedule=eager,reverse,skew:1,random:1,random:2",
                                                    "--max-instructions=200000000"]), 0, [f"{name}: cudaSuccess, 0 wrong"])
        for device, said in (("b200", "NVIDIA B200 (tc emulator): 10.0, 148 SMs, 232448 and"),
                             ("b300", "NVIDIA B300 (tc emulator): 10.3, 148 SMs, 232448 and"),
                             ("h100", "NVIDIA H100 80GB HBM3 (tc emulator): 9.0, 132 SMs, 232448 and 233472 bytes, 2048 threads, "
                                      "32 blocks, cluster 1, L2 52428800\nclock 1980000, bus 5120, 32 blocks, 1 0\n"
                                      "cudaSuccess: PTX for 900, 132 SMs"),
                             ("H200", "NVIDIA H200 (tc emulator): 9.0"), ("sm_90", "NVIDIA H100"), ("SM_90a", "NVIDIA H100"),
                             ("compute_103", "cudaSuccess: PTX for 1030"), ("sm_100f", "cudaSuccess: PTX for 1000"),
                             ("a100", "8.0, 108 SMs, 166912 and 167936 bytes, 2048 threads, 32 blocks, cluster 0"),
                             ("rtx5090", "12.0, 170 SMs, 101376 and 102400 bytes, 1536 threads, 24 blocks, cluster 1"),
                             ("rtx4090", "8.9, 128 SMs"), ("rtx3090", "cudaSuccess: PTX for 800, 82 SMs")):
            expect(f"device {device}", run(devices, flags=[f"--device={device}"]), 0, [said])
        expect("device, --sms", run(devices, flags=["--device=h100", "--sms=7"]), 0, ["9.0, 7 SMs", "PTX for 900, 7 SMs"])
        expect("Hopper on a B200", run(hopper), 1, [],
               ["expected PTX for sm_100a or older in the fat binary, got PTX for sm_90a: rebuild with nvcc -gencode "
                "arch=compute_100a,code=compute_100a, or run with --device=h100"])
        expect("Hopper", run(hopper, flags=["--device=h100", "--schedule=all"]), 0, ["cudaSuccess: PTX for 900, 132 SMs"])
        expect("unknown device", run(hopper, flags=["--device=h1000"]), 2, [],
               ["--device: expected b200, b300, h100, h200, a100, rtx5090, rtx4090 or rtx3090, or the target of one "
                "(sm_100), got 'h1000'"])
        for name in ("sm_", "sm_75", "sm_90b", "compute_1000"):
            expect(f"unknown device {name}", run(hopper, flags=[f"--device={name}"]), 2, [], [f"got '{name}'"])

        late = build(work, "late", "g++", f"-I{cuda}/include", HERE / "late.cpp", f"{libraries}/libcudart.so.13")
        expect("calls after main", run(late), 0, ["after main: 0 errors"])

        forwards = build(work, "libforwards.so", "g++", "-O2", "-fPIC", "-shared", "-s", "-fvisibility=hidden",
                         f"-I{cuda}/include", HERE / "forwards.cpp", "-Wl,--exclude-libs,ALL",
                         f"{cuda}/lib/libcudart_static.a", "-ldl", "-lrt", "-lpthread")
        ask = ("import ctypes, sys; count, device = ctypes.c_int(-1), ctypes.c_int(-1); "
               "library = ctypes.CDLL(sys.argv[1]); "
               "print('status', library._cudaGetDeviceCount(ctypes.byref(count)), 'count', count.value); "
               "print('status', library._cuDeviceGet(ctypes.byref(device), 0), 'device', device.value)")
        expect("a stripped runtime behind exports of other names",
               subprocess.run([emulate, sys.executable, "-c", ask, forwards], capture_output=True, text=True), 0,
               ["status 0 count 1", "status 0 device 0"])
        # Nothing of the emulator is loaded before the first call.
        maps = run("cat", "/proc/self/maps")
        expect("a program without calls", maps, 0, ["libcudart.so.13"], lines=0)
        if "libcuda.so.1" in maps.stdout:
            failures.append("a program without calls loads the driver")
        expect("unknown option", run(faults, flags=["--frob"]), 2, [], ["unknown option '--frob'"])
        expect("bad value", run(faults, flags=["--sms=none"]), 2, [],
               ["--sms: expected a number in [1, 1024], got 'none'"])
        expect("bad schedule", run(faults, flags=["--schedule=often"]), 2, [], ["--schedule: "])
        expect("no such program", run(work / "missing"), 2, [], ["No such file"])
        # Without the tool, as an installation on LD_LIBRARY_PATH.
        environment = dict(os.environ, LD_LIBRARY_PATH=libraries)
        expect("LD_LIBRARY_PATH alone",
               subprocess.run([faults, "clean"], capture_output=True, text=True, env=environment), 0, ["298"], [CLEAN])
    print(f"{len(failures)} failed" if failures else "all passed")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
