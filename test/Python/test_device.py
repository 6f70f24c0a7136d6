"""Launches on arrays that are on a GPU: here the emulator's CUDA driver stands in for one."""
import json
import os
import pathlib
import subprocess
import sys

import tc

HERE = pathlib.Path(__file__).resolve().parent
# The folder with the emulator's libcuda.so.1.
DRIVER = pathlib.Path(os.environ.get("TC_CUDA_LIBRARIES", HERE.parents[1] / "build" / "lib" / "cuda"))


def test_arrays_on_a_gpu(tmp_path):
    kernel = tc.matmul(None, None, None, a="f16", d="f32")
    ptx, description = tmp_path / "kernel.ptx", tmp_path / "kernel.json"
    ptx.write_bytes(kernel.code)
    description.write_text(json.dumps(kernel.description))
    assert (DRIVER / "libcuda.so.1").exists(), f"expected the emulator's driver in {DRIVER} (TC_CUDA_LIBRARIES)"
    done = subprocess.run([sys.executable, HERE / "device_program.py", ptx, description], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(DRIVER)})
    assert done.returncode == 0 and "done" in done.stdout, done.stdout + done.stderr


def test_chip_of_this_machine():
    """chip="native" asks the driver: the emulator's is an sm_100a."""
    program = ("import tc\n"
               "text = 'func.func @f(%a: memref<64x64xbf16>, %d: memref<64x64xf32>) { tmm.matmul ins(%a, %a : memref<64x64xbf16>, "
               "memref<64x64xbf16>) outs(%d : memref<64x64xf32>) return }'\n"
               "assert '.target sm_100a' in tc.compile(text, chip='native').ptx\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(DRIVER)})
    assert done.returncode == 0, done.stdout + done.stderr
