//===- CudaDevice.cpp - A GPU as a device -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs kernels on the first GPU through the CUDA driver API. PTX goes through
// the driver's own compiler, cubins load as they are; the driver also names the
// kernels and places their parameters, so no PTX is parsed here. A kernel that
// fails poisons its context: everything after it reports the same error.
//
//===----------------------------------------------------------------------===//

#include "CudaDriver.h"
#include "TensorMapNames.h"

#include <chrono>
#include <vector>

using namespace tc;
using namespace tc::runtime;
using cuda::Driver;

namespace {

class CudaDevice final : public Device {
public:
  explicit CudaDevice(const Driver &driver) : driver(driver) {}
  ~CudaDevice() override;

  Status open();

  Status load(std::string_view image, const std::string &fileName) override;
  const std::vector<emu::KernelInfo> &kernels() const override { return infos; }

  Expected<uint64_t> allocate(uint64_t bytes, uint64_t address,
                              const std::string &name) override;
  Status write(uint64_t address, const std::vector<uint8_t> &data) override {
    return check("cuMemcpyHtoD",
                 driver.MemcpyHtoD(address, data.data(), data.size()));
  }
  Status read(uint64_t address, std::vector<uint8_t> &data) override {
    return check("cuMemcpyDtoH",
                 driver.MemcpyDtoH(data.data(), address, data.size()));
  }

  Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &map) override;

  emu::RunResult launch(const emu::LaunchConfig &config,
                        const emu::RunOptions &options) override;

private:
  Status check(const char *call, cuda::Result result) const {
    if (result == 0)
      return {};
    return driver.error(call, result);
  }
  Status addKernel(cuda::Function function);
  Status configure(cuda::Function function, const emu::KernelInfo &info,
                   const emu::LaunchConfig &config) const;

  const Driver &driver;
  cuda::DeviceId device = 0;
  bool isRetained = false;
  cuda::Module module = nullptr;
  std::vector<emu::KernelInfo> infos;
  std::vector<cuda::Function> functions; ///< parallel to infos
  std::vector<cuda::DevicePtr> allocations;
};

} // namespace

CudaDevice::~CudaDevice() {
  // Results do not matter here: after a failed kernel all of them fail.
  for (cuda::DevicePtr address : allocations)
    driver.MemFree(address);
  if (module)
    driver.ModuleUnload(module);
  if (isRetained)
    driver.DevicePrimaryCtxRelease(device);
}

Status CudaDevice::open() {
  if (Status status = check("cuDeviceGet", driver.DeviceGet(&device, 0));
      !status)
    return status;
  cuda::Context context = nullptr;
  if (Status status = check("cuDevicePrimaryCtxRetain",
                            driver.DevicePrimaryCtxRetain(&context, device));
      !status)
    return status;
  isRetained = true;
  return check("cuCtxSetCurrent", driver.CtxSetCurrent(context));
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Status CudaDevice::load(std::string_view image, const std::string &fileName) {
  // PTX text has to end in a zero; a cubin carries its own size.
  const std::string text(image);
  std::vector<char> log(16384);
  int options[] = {cuda::ErrorLogBuffer, cuda::ErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  if (cuda::Result result =
          driver.ModuleLoadDataEx(&module, text.c_str(), 2, options, values)) {
    module = nullptr;
    Error error = driver.error("cuModuleLoadDataEx", result);
    log.back() = 0;
    if (log.front())
      error.message += "; the driver says: " + std::string(log.data());
    return error;
  }
  unsigned count = 0;
  if (Status status = check("cuModuleGetFunctionCount",
                            driver.ModuleGetFunctionCount(&count, module));
      !status)
    return status;
  std::vector<cuda::Function> found(count);
  if (Status status =
          check("cuModuleEnumerateFunctions",
                driver.ModuleEnumerateFunctions(found.data(), count, module));
      !status)
    return status;
  for (cuda::Function function : found)
    if (Status status = addKernel(function); !status)
      return status;
  return {};
}

Status CudaDevice::addKernel(cuda::Function function) {
  emu::KernelInfo info;
  const char *name = nullptr;
  if (Status status =
          check("cuFuncGetName", driver.FuncGetName(&name, function));
      !status)
    return status;
  info.name = name;
  // The driver has no count: the first index that it refuses is the end.
  size_t offset = 0, size = 0;
  while (driver.FuncGetParamInfo(function, info.params.size(), &offset,
                                 &size) == 0) {
    emu::ParamInfo param;
    param.name = "parameter " + std::to_string(info.params.size());
    // Each parameter is passed by its own address, and the driver's offsets
    // count from a constant bank that does not start at a multiple of 64: the
    // block gets a layout of its own, fit for tensor maps.
    param.offset = (info.paramBytes + 63) / 64 * 64;
    param.size = static_cast<unsigned>(size);
    info.paramBytes = param.offset + param.size;
    info.params.push_back(std::move(param));
  }
  const int attributes[] = {cuda::RequiredClusterWidth,
                            cuda::RequiredClusterHeight,
                            cuda::RequiredClusterDepth};
  for (size_t i = 0; i < 3; ++i) {
    int value = 0;
    if (Status status =
            check("cuFuncGetAttribute",
                  driver.FuncGetAttribute(&value, attributes[i], function));
        !status)
      return status;
    info.reqnctapercluster[i] = static_cast<unsigned>(value);
  }
  infos.push_back(std::move(info));
  functions.push_back(function);
  return {};
}

//===----------------------------------------------------------------------===//
// Memory and tensor maps
//===----------------------------------------------------------------------===//

Expected<uint64_t> CudaDevice::allocate(uint64_t bytes, uint64_t address,
                                        const std::string &name) {
  if (address)
    return makeError("buffer '" + name +
                     "': fixed device addresses are not supported on device "
                     "cuda, expected no \"address\"");
  cuda::DevicePtr pointer = 0;
  if (Status status = check("cuMemAlloc", driver.MemAlloc(&pointer, bytes));
      !status)
    return status.takeError();
  allocations.push_back(pointer);
  if (Status status = check("cuMemsetD8", driver.MemsetD8(pointer, 0, bytes));
      !status)
    return status.takeError();
  return static_cast<uint64_t>(pointer);
}

Expected<std::array<uint8_t, 128>>
CudaDevice::encodeTensorMap(const TensorMapArguments &map) {
  Expected<emu::TensorMapDesc> found = describeTensorMap(map);
  if (!found)
    return found.takeError();
  const emu::TensorMapDesc &desc = *found;
  // The driver asks for an object at a multiple of 64 bytes.
  alignas(64) std::array<uint8_t, 128> image{};
  const int type = static_cast<int>(desc.dtype);
  const int interleave = static_cast<int>(desc.interleave);
  const int swizzle = static_cast<int>(desc.swizzle);
  const int promotion = static_cast<int>(desc.l2Promotion);
  const int fill = static_cast<int>(desc.oobFill);
  void *address = reinterpret_cast<void *>(desc.globalAddress);
  Status status;
  if (map.isIm2col) {
    std::vector<int> lower(map.lower.begin(), map.lower.end());
    std::vector<int> upper(map.upper.begin(), map.upper.end());
    status =
        check("cuTensorMapEncodeIm2col",
              driver.TensorMapEncodeIm2col(
                  image.data(), type, desc.rank, address, desc.dims.data(),
                  desc.strides.data(), lower.data(), upper.data(),
                  static_cast<uint32_t>(map.channels),
                  static_cast<uint32_t>(map.pixels), desc.elementStrides.data(),
                  interleave, swizzle, promotion, fill));
  } else {
    status = check(
        "cuTensorMapEncodeTiled",
        driver.TensorMapEncodeTiled(image.data(), type, desc.rank, address,
                                    desc.dims.data(), desc.strides.data(),
                                    desc.box.data(), desc.elementStrides.data(),
                                    interleave, swizzle, promotion, fill));
  }
  if (!status)
    return status.takeError();
  return image;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Raises what a function has to be allowed beyond the defaults.
Status CudaDevice::configure(cuda::Function function,
                             const emu::KernelInfo &info,
                             const emu::LaunchConfig &config) const {
  if (config.dynamicSmem)
    if (Status status = check(
            "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)",
            driver.FuncSetAttribute(function, cuda::MaxDynamicSharedSizeBytes,
                                    static_cast<int>(config.dynamicSmem)));
        !status)
      return status;
  const auto &cluster = config.cluster;
  if (cluster[0] * cluster[1] * cluster[2] > 8)
    return check("cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)",
                 driver.FuncSetAttribute(
                     function, cuda::NonPortableClusterSizeAllowed, 1));
  return {};
}

emu::RunResult CudaDevice::launch(const emu::LaunchConfig &config,
                                  const emu::RunOptions &options) {
  emu::RunResult result;
  auto fail = [&](emu::ReportKind kind, std::string message) {
    result.reports.push_back({kind, std::move(message), {}, {}});
    return result;
  };
  size_t index = 0;
  while (index < infos.size() && infos[index].name != config.entry)
    ++index;
  if (index == infos.size())
    return fail(emu::ReportKind::BadLaunch,
                "no kernel '" + config.entry + "' is loaded");
  const emu::KernelInfo &info = infos[index];
  if (Status status = configure(functions[index], info, config); !status)
    return fail(emu::ReportKind::BadLaunch, status.error().message);

  std::vector<uint8_t> block = config.params;
  std::vector<void *> params;
  for (const emu::ParamInfo &param : info.params)
    params.push_back(block.data() + param.offset);
  std::vector<cuda::LaunchAttribute> attributes;
  // A cluster size in the code may not be given again.
  if (config.cluster[0] != 0 && info.reqnctapercluster[0] == 0) {
    attributes.emplace_back().id = cuda::ClusterDimension;
    attributes.back().clusterDim = {config.cluster[0], config.cluster[1],
                                    config.cluster[2]};
  }
  if (config.programmaticLaunch) {
    attributes.emplace_back().id = cuda::ProgrammaticStreamSerialization;
    attributes.back().programmaticStreamSerializationAllowed = 1;
  }
  if (info.reqnctapercluster[0] != 0 && config.cluster[0] != 0 &&
      config.cluster != info.reqnctapercluster)
    return fail(emu::ReportKind::BadLaunch,
                "kernel '" + info.name +
                    "' requires another cluster size than the launch gives");
  const cuda::LaunchConfig launchConfig = {
      config.grid[0],
      config.grid[1],
      config.grid[2],
      config.block[0],
      config.block[1],
      config.block[2],
      config.dynamicSmem,
      /*stream=*/nullptr,
      attributes.data(),
      static_cast<unsigned>(attributes.size())};
  auto start = std::chrono::steady_clock::now();
  if (Status status =
          check("cuLaunchKernelEx",
                driver.LaunchKernelEx(&launchConfig, functions[index],
                                      params.data(), nullptr));
      !status)
    return fail(emu::ReportKind::BadLaunch, status.error().message);
  if (Status status = check("cuCtxSynchronize", driver.CtxSynchronize());
      !status)
    return fail(emu::ReportKind::Trap,
                "kernel '" + info.name + "': " + status.error().message);
  result.stats.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  result.ok = true;
  return result;
}

Expected<std::unique_ptr<Device>> runtime::createCudaDevice() {
  Expected<const Driver *> driver = Driver::get();
  if (!driver)
    return Error(driver.error());
  auto device = std::make_unique<CudaDevice>(**driver);
  if (Status status = device->open(); !status)
    return makeError("device cuda: " + status.error().message);
  return std::unique_ptr<Device>(std::move(device));
}
