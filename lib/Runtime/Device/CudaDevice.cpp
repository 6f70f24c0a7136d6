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

#include "Runtime/Device/CudaDriver.h"
#include "Runtime/Device/CudaSensors.h"
#include "Runtime/Device/TensorMapNames.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

using namespace tc;
using namespace tc::runtime;
using cuda::Driver;

namespace {

class CudaDevice final : public Device {
public:
  explicit CudaDevice(const Driver &driver) : driver(driver) {}
  ~CudaDevice() override;

  Status open(unsigned number);

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
  Status enqueue(const emu::LaunchConfig &config, void *stream) override;
  Status enqueueCopy(uint64_t address, uint64_t source, uint64_t bytes,
                     void *stream) override;
  Expected<Timing> measure(const std::vector<emu::LaunchConfig> &grids,
                           const TimingOptions &options) override;

private:
  Status check(const char *call, cuda::Result result) const {
    if (result == 0)
      return {};
    return driver.error(call, result);
  }
  Status addKernel(cuda::Function function);
  Status configure(size_t index, const emu::LaunchConfig &config);

  const Driver &driver;
  cuda::DeviceId device = 0;
  cuda::Context context = nullptr;
  bool isRetained = false;
  cuda::Module module = nullptr;
  std::vector<emu::KernelInfo> infos;
  std::vector<cuda::Function> functions; ///< parallel to infos
  /// Parallel, too: the dynamic shared memory that each is allowed.
  std::vector<unsigned> allowedSmem;
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

Status CudaDevice::open(unsigned number) {
  if (Status status =
          check("cuDeviceGet", driver.DeviceGet(&device, int(number)));
      !status)
    return makeError("GPU " + std::to_string(number) + ": " +
                     status.error().message);
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
  // The driver refuses to enumerate none.
  if (count == 0)
    return {};
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
  allowedSmem.push_back(0);
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
Status CudaDevice::configure(size_t index, const emu::LaunchConfig &config) {
  const cuda::Function function = functions[index];
  if (config.dynamicSmem > allowedSmem[index]) {
    if (Status status =
            check("cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)",
                  driver.FuncSetAttribute(
                      function, cuda::MaxDynamicSharedSizeBytes,
                      static_cast<int>(std::min(config.dynamicSmem,
                                                cuda::kSmallSharedBytes))));
        !status)
      return status;
    allowedSmem[index] = config.dynamicSmem;
  }
  const auto &cluster = config.cluster;
  if (cluster[0] * cluster[1] * cluster[2] > 8)
    return check("cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)",
                 driver.FuncSetAttribute(
                     function, cuda::NonPortableClusterSizeAllowed, 1));
  return {};
}

Status CudaDevice::enqueueCopy(uint64_t address, uint64_t source,
                               uint64_t bytes, void *stream) {
  if (Status status = check("cuCtxSetCurrent", driver.CtxSetCurrent(context));
      !status)
    return status;
  cuda::Stream queue = static_cast<cuda::Stream>(stream);
  return source ? check("cuMemcpyDtoDAsync",
                        driver.MemcpyDtoDAsync(address, source, bytes, queue))
                : check("cuMemsetD8Async",
                        driver.MemsetD8Async(address, 0, bytes, queue));
}

Status CudaDevice::enqueue(const emu::LaunchConfig &config, void *stream) {
  // The thread of a framework may have another context, or none.
  if (Status status = check("cuCtxSetCurrent", driver.CtxSetCurrent(context));
      !status)
    return status;
  size_t index = 0;
  while (index < infos.size() && infos[index].name != config.entry)
    ++index;
  if (index == infos.size())
    return makeError("no kernel '" + config.entry + "' is loaded");
  const emu::KernelInfo &info = infos[index];
  if (Status status = configure(index, config); !status)
    return status;

  // The driver copies the parameters before it returns.
  std::vector<void *> params;
  params.reserve(info.params.size());
  for (const emu::ParamInfo &param : info.params)
    params.push_back(const_cast<uint8_t *>(config.params.data()) +
                     param.offset);
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
  if (config.dynamicSmem > cuda::kSmallSharedBytes) {
    attributes.emplace_back().id = cuda::SharedMemoryMode;
    attributes.back().sharedMemoryMode = cuda::kAllowOversized;
    attributes.emplace_back().id = cuda::ClusterSchedulingPolicy;
    attributes.back().clusterSchedulingPolicy = cuda::kClusterSpread;
  }
  if (info.reqnctapercluster[0] != 0 && config.cluster[0] != 0 &&
      config.cluster != info.reqnctapercluster)
    return makeError("kernel '" + info.name +
                     "' requires another cluster size than the launch gives");
  const cuda::LaunchConfig launchConfig = {
      config.grid[0],     config.grid[1],
      config.grid[2],     config.block[0],
      config.block[1],    config.block[2],
      config.dynamicSmem, static_cast<cuda::Stream>(stream),
      attributes.data(),  static_cast<unsigned>(attributes.size())};
  return check("cuLaunchKernelEx",
               driver.LaunchKernelEx(&launchConfig, functions[index],
                                     params.data(), nullptr));
}

emu::RunResult CudaDevice::launch(const emu::LaunchConfig &config,
                                  const emu::RunOptions &options) {
  emu::RunResult result;
  auto fail = [&](emu::ReportKind kind, std::string message) {
    result.reports.push_back({kind, std::move(message), {}, {}});
    return result;
  };
  auto start = std::chrono::steady_clock::now();
  if (Status status = enqueue(config, nullptr); !status)
    return fail(emu::ReportKind::BadLaunch, status.error().message);
  if (Status status = check("cuCtxSynchronize", driver.CtxSynchronize());
      !status)
    return fail(emu::ReportKind::Trap,
                "kernel '" + config.entry + "': " + status.error().message);
  result.stats.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  result.ok = true;
  return result;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

namespace {

/// A pair of events, which the device passes before and after its work.
class Stopwatch {
public:
  explicit Stopwatch(const Driver &driver) : driver(driver) {}
  ~Stopwatch() {
    for (cuda::Event event : events)
      if (event)
        driver.EventDestroy(event);
  }
  cuda::Result create() {
    for (cuda::Event &event : events)
      if (cuda::Result result = driver.EventCreate(&event, 0))
        return result;
    return 0;
  }
  cuda::Result mark(unsigned which) {
    return driver.EventRecord(events[which], nullptr);
  }
  /// Once the device has passed both.
  cuda::Result seconds(double &value) {
    float milliseconds = 0;
    cuda::Result result =
        driver.EventElapsedTime(&milliseconds, events[0], events[1]);
    value = milliseconds / 1e3;
    return result;
  }

private:
  const Driver &driver;
  cuda::Event events[2] = {};
};

} // namespace

/// Operations per second on elements of 16 bits at the highest clock, 0 where
/// those of a cycle are not known.
static double getPeak(const Driver &driver, int device) {
  struct Row {
    int major, minor;
    double perCycle; ///< of one multiprocessor
  };
  // NVIDIA H100 Tensor Core GPU Architecture: 989.4 TFLOP/s of 132
  // multiprocessors at 1830 MHz.
  constexpr Row rows[] = {{9, 0, 4096}};
  auto get = [&](cuda::DeviceAttribute attribute) {
    int value = 0;
    return driver.DeviceGetAttribute(&value, attribute, device) == 0 ? value
                                                                     : 0;
  };
  for (const Row &row : rows)
    if (row.major == get(cuda::CapabilityMajor) &&
        row.minor == get(cuda::CapabilityMinor))
      return row.perCycle * get(cuda::MultiprocessorCount) *
             get(cuda::ClockRate) * 1e3;
  return 0;
}

Expected<Timing>
CudaDevice::measure(const std::vector<emu::LaunchConfig> &grids,
                    const TimingOptions &options) {
  char name[256] = {}, bus[64] = {};
  int l2Bytes = 0;
  cuda::DevicePtr flushed = 0;
  Stopwatch watch(driver);
  Status status = check("cuDeviceGetName",
                        driver.DeviceGetName(name, sizeof(name), device));
  auto then = [&](const char *call, cuda::Result result) {
    if (status)
      status = check(call, result);
  };
  then("cuDeviceGetPCIBusId",
       driver.DeviceGetPCIBusId(bus, sizeof(bus), device));
  then("cuDeviceGetAttribute",
       driver.DeviceGetAttribute(&l2Bytes, cuda::L2CacheSize, device));
  then("cuEventCreate", watch.create());
  if (!status)
    return status.takeError();
  // Nothing of what was there before remains in the L2, and the host has handed
  // over the grids before that is done.
  const size_t flushBytes = 4 * size_t(l2Bytes);
  if (options.mode == TimingOptions::Burst && flushBytes) {
    then("cuMemAlloc", driver.MemAlloc(&flushed, flushBytes));
    if (!status)
      return status.takeError();
    allocations.push_back(flushed);
  }

  // Marks before and after `repeats` times all grids; seconds of one time.
  auto sample = [&](unsigned repeats) {
    double seconds = 0;
    then("cuEventRecord", watch.mark(0));
    for (unsigned i = 0; i < repeats; ++i)
      for (const emu::LaunchConfig &grid : grids)
        if (status)
          status = enqueue(grid, nullptr);
    then("cuEventRecord", watch.mark(1));
    then("cuCtxSynchronize", driver.CtxSynchronize());
    if (status)
      then("cuEventElapsedTime", watch.seconds(seconds));
    return seconds / repeats;
  };
  Timing timing;
  const double first = sample(1); // And what the driver loads only now.
  if (options.mode == TimingOptions::Burst) {
    for (unsigned i = 0; status && i < options.samples; ++i) {
      std::this_thread::sleep_for(std::chrono::duration<double>(options.idle));
      if (flushed)
        then("cuMemsetD8Async",
             driver.MemsetD8Async(flushed, i, flushBytes, nullptr));
      timing.samples.push_back(sample(1));
    }
  } else if (status) {
    const double repeats = options.duration / std::max(first, 1e-6);
    timing.samples.push_back(sample(unsigned(std::max(repeats, 1.0))));
  }
  if (!status)
    return status.takeError();
  std::sort(timing.samples.begin(), timing.samples.end());
  timing.device = name;
  timing.peak = getPeak(driver, device);
  cuda::readSensors(bus, timing.clockMHz, timing.watts);
  return timing;
}

Expected<std::unique_ptr<Device>> runtime::createCudaDevice(unsigned number) {
  Expected<const Driver *> driver = Driver::get();
  if (!driver)
    return Error(driver.error());
  auto device = std::make_unique<CudaDevice>(**driver);
  if (Status status = device->open(number); !status)
    return makeError("device cuda: " + status.error().message);
  return std::unique_ptr<Device>(std::move(device));
}
