#!/usr/bin/env python3
# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver API through cuda-python (PyPI: cuda-bindings): loads PTX, launches it and prints what it wrote, and
what synchronising says after a kernel that has written where nothing is."""

import ctypes

from cuda.bindings import driver

PTX = b"""
.version 8.7
.target sm_100a
.address_size 64
.visible .entry triple(.param .u64 out, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r2, [n];
  mov.u32 %r1, %tid.x;
  setp.ge.u32 %p, %r1, %r2;
  @%p bra END;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  mul.lo.u32 %r3, %r1, 3;
  st.global.u32 [%rd3], %r3;
END:
  ret;
}
\0"""


def call(result):
    error, *values = result
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(error.name)
    return values[0] if len(values) == 1 else values


def launch(function, address, count):
    arguments = (ctypes.c_uint64(address), ctypes.c_uint32(count))
    pointers = (ctypes.c_void_p * 2)(*[ctypes.addressof(argument) for argument in arguments])
    call(driver.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, 0, ctypes.addressof(pointers), 0))
    call(driver.cuCtxSynchronize())


def main():
    call(driver.cuInit(0))
    device = call(driver.cuDeviceGet(0))
    call(driver.cuCtxSetCurrent(call(driver.cuDevicePrimaryCtxRetain(device))))
    function = call(driver.cuModuleGetFunction(call(driver.cuModuleLoadData(PTX)), b"triple"))
    memory = call(driver.cuMemAlloc(400))
    launch(function, int(memory), 100)
    words = (ctypes.c_uint32 * 100)()
    call(driver.cuMemcpyDtoH(ctypes.addressof(words), memory, 400))
    print("right" if list(words) == [3 * i for i in range(100)] else f"wrong: {list(words)}", flush=True)
    try:
        launch(function, 64, 100)
    except RuntimeError as error:
        print(error)


if __name__ == "__main__":
    main()
