# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches kernels on the first GPU through libcuda, many in one process: the
start of a process takes longer than a small program."""

import ctypes

# CUtensorMapDataType, ...Swizzle, ...FloatOOBfill
TYPES = {"u8": 0, "u16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8,
         "bf16": 9, "f32_ftz": 10, "tf32": 11, "tf32_ftz": 12}
SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
FILLS = {"zero": 0, "nan": 1}
MAX_DYNAMIC_SHARED_SIZE = 8  # CUfunction_attribute


class GpuError(Exception):
    pass


class Gpu:
    """A context and a buffer per parameter, reused from launch to launch."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.buffers = {}

    def call(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        if result:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(result, ctypes.byref(text))
            raise GpuError(f"{name}: {(text.value or b'').decode()}")

    def buffer(self, name, data):
        """The address of a buffer that holds `data`."""
        address, size = self.buffers.get(name, (None, 0))
        if size < len(data):
            if address:
                self.call("cuMemFree_v2", address)
            address = ctypes.c_uint64()
            self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(len(data)))
            self.buffers[name] = address, len(data)
        self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
        return address

    def tensor_map(self, tensor, address):
        image = (ctypes.c_uint64 * 32)()
        at = ctypes.addressof(image) + -ctypes.addressof(image) % 128
        rank = len(tensor["dims"])
        self.call("cuTensorMapEncodeTiled", ctypes.c_void_p(at), TYPES[tensor["dtype"]],
                  ctypes.c_uint32(rank), ctypes.c_void_p(address + tensor["offset"]),
                  (ctypes.c_uint64 * 5)(*tensor["dims"]),
                  (ctypes.c_uint64 * 5)(*tensor["strides"]),
                  (ctypes.c_uint32 * 5)(*tensor["box"]),
                  (ctypes.c_uint32 * 5)(*tensor["element_strides"]), 0,
                  SWIZZLES[tensor["swizzle"]], 0, FILLS[tensor["oob_fill"]])
        return ctypes.string_at(at, 128)

    def run(self, kernel):
        """The output of a kernel (micro.core.Kernel); raises GpuError."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), kernel.ptx().encode() + b"\0")
        try:
            self.call("cuModuleGetFunction", ctypes.byref(function), module, kernel.name.encode())
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE, kernel.smem)
            out = self.buffer("out", kernel.out_init)
            addresses = [out] + [self.buffer(f"in{i}", data)
                                 for i, data in enumerate(kernel.inputs)]
            names = ["out"] + [f"in{i}" for i in range(len(kernel.inputs))]
            parameters = [ctypes.c_uint64(address.value) for address in addresses]
            for tensor in kernel.maps:
                image = self.tensor_map(tensor, addresses[names.index(tensor["buffer"])].value)
                parameters.append((ctypes.c_char * 128).from_buffer_copy(image))
            pointers = (ctypes.c_void_p * len(parameters))(
                *[ctypes.addressof(parameter) for parameter in parameters])
            # The cluster's size is in the code (.reqnctapercluster).
            self.call("cuLaunchKernel", function, kernel.grid, 1, 1, kernel.block, 1, 1,
                      kernel.smem, None, pointers, None)
            self.call("cuCtxSynchronize")
            result = ctypes.create_string_buffer(kernel.out)
            self.call("cuMemcpyDtoH_v2", result, out, ctypes.c_size_t(kernel.out))
            return result.raw
        finally:
            self.cuda.cuModuleUnload(module)
