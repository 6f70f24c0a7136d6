//===- Device.h - Where kernels run -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime needs of a device: memory, tensor maps, a module and its
// launches. The emulator is one; anything with these calls can be another.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DEVICE_H
#define TC_RUNTIME_DEVICE_H

#include "tc/Emulator/Variables.h"
#include "tc/Runtime/Error.h"

#include <array>
#include <memory>

namespace tc::runtime {

/// The arguments of one tensor map with all values known: `dims`, `box` and
/// `elementStrides` run from the fastest dimension and have one entry per
/// dimension, `strides` (bytes) has one fewer. Names as in launch files.
struct TensorMapArguments {
  uint64_t address = 0;
  std::string type, swizzle, interleave, oobFill, l2Promotion;
  std::vector<uint64_t> dims, strides, box, elementStrides;
  /// An im2col map has no box but two corners of rank - 2 entries (dimensions
  /// 1 to rank - 2), channels per pixel and pixels per column.
  bool isIm2col = false;
  std::vector<int64_t> lower, upper;
  uint64_t channels = 0, pixels = 0;
};

/// How launches are timed.
struct TimingOptions {
  enum Mode {
    /// Each sample after `idle`, with a cold L2: what one call costs at a clock
    /// that power does not bound.
    Burst,
    /// Back to back for `duration`: what a long run costs.
    Sustained
  };
  Mode mode = Burst;
  unsigned samples = 9;  ///< Burst
  double idle = 0.022;   ///< seconds, Burst
  double duration = 1.0; ///< seconds, Sustained
};

/// Seconds on the device, of all launches together.
struct Timing {
  std::vector<double> samples; ///< in ascending order
  std::string device;          ///< the GPU's name
  unsigned clockMHz = 0; ///< of the multiprocessors, after the last sample
  double watts = 0;      ///< 0: the driver does not say
  /// Operations per second on elements of 16 bits at the highest clock; 0: not
  /// known of the GPU.
  double peak = 0;
  double median() const { return samples[samples.size() / 2]; }
};

class Device {
public:
  virtual ~Device();

  /// Makes the kernels of a PTX text launchable; a GPU takes a cubin, too.
  virtual Status load(std::string_view ptx, const std::string &fileName) = 0;
  /// The same with module variables at given addresses.
  virtual Status loadAt(std::string_view ptx, const std::string &fileName,
                        const emu::VariablePlaces &places);
  /// Module variables that the host can read and write; a device that has none
  /// takes no launch file that names some.
  virtual const std::vector<emu::VariableInfo> &variables() const;
  /// The kernels of the loaded text.
  virtual const std::vector<emu::KernelInfo> &kernels() const = 0;

  /// Global memory of at least one byte, at `address` if that is not 0. `name`
  /// appears in reports.
  virtual Expected<uint64_t> allocate(uint64_t bytes, uint64_t address,
                                      const std::string &name) = 0;
  virtual Status write(uint64_t address, const std::vector<uint8_t> &data) = 0;
  virtual Status read(uint64_t address, std::vector<uint8_t> &data) = 0;
  /// Asks for writes of kernels to this allocation to be reported; a device
  /// that cannot tell ignores it.
  virtual Status setReadOnly(uint64_t address) { return {}; }

  /// The 128 bytes of a tensor map; errors name the argument.
  virtual Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &map) = 0;

  /// Runs one grid to its end.
  virtual emu::RunResult launch(const emu::LaunchConfig &config,
                                const emu::RunOptions &options) = 0;

  /// Hands one grid to a stream of the device (a CUstream; null: the legacy
  /// default one) and returns at once. A device without streams refuses.
  virtual Status enqueue(const emu::LaunchConfig &config, void *stream);
  /// Puts `data`, written to `source` before, into `address` once the stream
  /// comes to it. Zeros need no source.
  virtual Status enqueueCopy(uint64_t address, uint64_t source, uint64_t bytes,
                             void *stream);

  /// Times grids that run one after another; a device that has no clock of its
  /// own refuses.
  virtual Expected<Timing> measure(const std::vector<emu::LaunchConfig> &grids,
                                   const TimingOptions &options);
};

/// The CPU emulator as a device.
std::unique_ptr<Device> createEmulatorDevice();

/// A GPU by its number, through the CUDA driver (12.4 or later), which is
/// looked for at run time. Fails with the reason where there is none. Loads
/// cubins, too.
Expected<std::unique_ptr<Device>> createCudaDevice(unsigned number = 0);

} // namespace tc::runtime

#endif // TC_RUNTIME_DEVICE_H
