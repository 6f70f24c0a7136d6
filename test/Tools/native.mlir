// --chip=native: the chip of the first GPU, by the compute capability that the driver
// says.
// RUN: rm -rf %t && mkdir -p %t/driver %t/broken
// RUN: %cxx -shared -fPIC -nostartfiles %S/Inputs/driver.cpp -o %t/driver/libcuda.so.1
// RUN: env LD_LIBRARY_PATH=%t/driver CAPABILITY=9.0 tc-compile %s --chip=native -o - | FileCheck %s --check-prefix=HOPPER
// RUN: env LD_LIBRARY_PATH=%t/driver CAPABILITY=10.0 tc-compile %s --chip=native -o - | FileCheck %s --check-prefix=BLACKWELL
// RUN: env LD_LIBRARY_PATH=%t/driver CAPABILITY=8.6 tc-compile %s --chip=native -o - | FileCheck %s --check-prefix=AMPERE
// RUN: env LD_LIBRARY_PATH=%t/driver CAPABILITY=12.1 tc-compile %s --chip=native -o - | FileCheck %s --check-prefix=GB10
// HOPPER: .target sm_90a
// BLACKWELL: .target sm_100a
// AMPERE: .target sm_86
// GB10: .target sm_121a

// Kernels that there are already have to be for it, and a folder of candidates says it.
// RUN: tc-compile %s --chip=sm_90a --emit=tiles -o %t/tiles.mlir
// RUN: env LD_LIBRARY_PATH=%t/driver CAPABILITY=9.0 tc-compile %t/tiles.mlir --chip=native -o - | FileCheck %s --check-prefix=HOPPER
// RUN: not env LD_LIBRARY_PATH=%t/driver CAPABILITY=10.0 tc-compile %t/tiles.mlir --chip=native -o - 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: env LD_LIBRARY_PATH=%t/driver CAPABILITY=9.0 tc-tune %s --chip=native --candidates=1 --emit=ptx -o %t/tuning
// RUN: FileCheck %s --check-prefix=INDEX < %t/tuning/index.json
// OTHER: error: expected --chip=sm_90a, the target of the kernels, got --chip=sm_100a
// INDEX: "chip": "sm_90a"

// What no kernels are compiled for, no GPU, and no driver.
// RUN: not env LD_LIBRARY_PATH=%t/driver CAPABILITY=8.7 tc-compile %s --chip=native -o - 2>&1 | FileCheck %s --check-prefix=CAPABILITY
// RUN: not env LD_LIBRARY_PATH=%t/driver CAPABILITY= tc-compile %s --chip=native -o - 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not env LD_LIBRARY_PATH=%t/driver CAPABILITY= tc-tune %s --chip=native --list 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: touch %t/broken/libcuda.so.1
// RUN: not env LD_LIBRARY_PATH=%t/broken tc-compile %s --chip=native -o - 2>&1 | FileCheck %s --check-prefix=DRIVER
// CAPABILITY: error: --chip: expected a GPU for 'native' that is one of sm_100a, {{.*}}sm_89, got one of compute capability 8.7
// DEVICE: error: --chip: expected a GPU for 'native', got none: cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)
// DRIVER: error: --chip: expected a GPU for 'native', got none: no CUDA driver on this machine ({{.*}}libcuda.so.1: file too short)
func.func @matmul(%a: memref<256x128xbf16>, %b: memref<512x128xbf16>, %d: memref<256x512xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x128xbf16>, memref<512x128xbf16>) outs(%d : memref<256x512xf32>)
  return
}
