//===- CudaLibrary.h - The CUDA driver's library ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds libcuda.so.1 with dlopen, so that what asks for it builds without CUDA
// and starts on machines without a GPU. A header alone: the compiler asks for
// the chip of a machine without a library of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_CUDALIBRARY_H
#define TC_RUNTIME_CUDALIBRARY_H

#include <string>

#include <dlfcn.h>

namespace tc::runtime::cuda {

/// libcuda.so.1, which stays loaded: threads of the driver outlive any object
/// of ours.
class Library {
public:
  static const Library &get() {
    static const Library library;
    return library;
  }

  /// Why there is none; empty: it is there.
  const std::string &getError() const { return error; }

  /// Its function `name`, or null.
  void *find(const char *name) const {
    return handle ? dlsym(handle, name) : nullptr;
  }

  /// Calls its function `name`, which returns a CUresult, with `args` of just
  /// the types that it takes. Says what went wrong; empty: nothing did.
  template <typename... Args>
  std::string call(const char *name, Args... args) const {
    auto *function = reinterpret_cast<int (*)(Args...)>(find(name));
    if (!function)
      return error.empty() ? "the driver has no " + std::string(name) : error;
    return explain(name, function(args...));
  }

  /// "cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)", of
  /// the CUresult of a call; empty for success.
  std::string explain(const char *call, int result) const {
    if (result == 0)
      return "";
    std::string name = describe("cuGetErrorName", result);
    std::string text = describe("cuGetErrorString", result);
    return std::string(call) + ": " +
           (name.empty() ? "an unknown error" : name) +
           (text.empty() ? "" : " (" + text + ")");
  }

private:
  Library() : handle(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (handle)
      return;
    const char *why = dlerror();
    error = "no CUDA driver on this machine (" +
            std::string(why ? why : "libcuda.so.1 not found") + ")";
  }

  std::string describe(const char *function, int result) const {
    auto *get = reinterpret_cast<int (*)(int, const char **)>(find(function));
    const char *text = nullptr;
    return get && get(result, &text) == 0 && text ? text : "";
  }

  void *handle;
  std::string error;
};

/// A compute capability, as 9.0.
struct Capability {
  int major = 0, minor = 0;
};

/// That of the first device that the driver shows (CUDA_VISIBLE_DEVICES).
/// Returns why there is none; empty: there is.
inline std::string findCapability(Capability &capability) {
  // CUdevice_attribute.
  constexpr int kMajor = 75, kMinor = 76;
  const Library &library = Library::get();
  int device = 0;
  std::string error = library.call("cuInit", 0u);
  if (error.empty())
    error = library.call("cuDeviceGet", &device, 0);
  if (error.empty())
    error =
        library.call("cuDeviceGetAttribute", &capability.major, kMajor, device);
  if (error.empty())
    error =
        library.call("cuDeviceGetAttribute", &capability.minor, kMinor, device);
  return error;
}

} // namespace tc::runtime::cuda

#endif // TC_RUNTIME_CUDALIBRARY_H
