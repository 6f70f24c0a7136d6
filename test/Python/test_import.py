"""What is loaded when."""
import subprocess
import sys

# Prints the libraries that the process has mapped.
LOADED = "print('\\n'.join(sorted({line.split()[-1] for line in open('/proc/self/maps') if '.so' in line})))"


def loaded_after(code):
    result = subprocess.run([sys.executable, "-c", f"{code}\n{LOADED}"], capture_output=True, text=True, check=True)
    return result.stdout


def test_import_loads_neither_numpy_nor_llvm():
    libraries = loaded_after("import tc, sys\nassert 'numpy' not in sys.modules")
    assert "libTC" not in libraries and "LLVM" not in libraries


def test_emulating_needs_no_llvm(inputs):
    libraries = loaded_after("import tc, numpy\n"
                             f"kernel = tc.load({str(inputs / 'scale.ptx')!r}, {str(inputs / 'scale.json')!r})\n"
                             "kernel.emulate(numpy.ones(8, 'f4'), alpha=2)")
    assert "libTCEmulator-C" in libraries and "LLVM" not in libraries and "MLIR" not in libraries


def test_compiling_loads_llvm():
    libraries = loaded_after("import tc\ntc.matmul(64, 64, 64)")
    assert "libLLVM" in libraries and "libTC-C" in libraries
