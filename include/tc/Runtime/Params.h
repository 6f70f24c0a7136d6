//===- Params.h - Parameter blocks of kernels -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From parameter specifications to the bytes that a kernel reads in its
// parameter space.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_PARAMS_H
#define TC_RUNTIME_PARAMS_H

#include "tc/Runtime/Description.h"
#include "tc/Runtime/Device.h"

namespace tc::runtime {

/// What parameters refer to.
/// Where a buffer is in the memory of a device, in bytes.
struct BufferPlace {
  uint64_t address; ///< of the first element
  uint64_t bytes;   ///< from there on
  uint64_t lead;    ///< before it, where pointers may point too
};

class ParamResolver {
public:
  virtual ~ParamResolver();
  virtual const Sizes &sizes() const = 0;
  /// The value of a scalar, which exists.
  virtual double scalar(const std::string &name) const = 0;
  /// Where a buffer is, which exists.
  virtual BufferPlace locate(const std::string &buffer) const = 0;
  virtual Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &map) const = 0;
};

/// An error where `params` are not as many as the kernel has; `where` starts
/// it.
Status checkParamCount(const std::vector<ParamSpec> &params,
                       const emu::KernelInfo &kernel, const std::string &where);

/// Packs `params` for `kernel`: each one at the offset that the PTX gives it,
/// with a size check. Without a kernel the layout is the natural one of C:
/// scalars and pointers aligned to their size, tensor maps to 64 bytes, structs
/// to their most aligned field. `where` starts the error of a wrong count.
Expected<std::vector<uint8_t>> packParams(const std::vector<ParamSpec> &params,
                                          const ParamResolver &resolver,
                                          const emu::KernelInfo *kernel,
                                          const std::string &where = "");

/// Writes values at offsets of `bytes`, which they have to fit into.
Status packInto(std::vector<uint8_t> &bytes,
                const std::vector<std::pair<uint64_t, ParamSpec>> &fields,
                const ParamResolver &resolver);

/// Evaluates a tensor map. A dimension of size 0 becomes 1, because a tensor
/// map cannot be empty and a kernel never loads from such a dimension.
Expected<TensorMapArguments> resolveTensorMap(const TensorMapSpec &map,
                                              const ParamResolver &resolver,
                                              const std::string &where);

/// Evaluates an expression that has to be in [low, high]. `where` and `what`
/// start the error.
Expected<int64_t> evaluateInRange(const Expression &expression,
                                  const Sizes &sizes, int64_t low, int64_t high,
                                  const std::string &where,
                                  const std::string &what);

/// Extents or strides, at least 0; `what` names them in errors ("shape").
Expected<std::vector<int64_t>>
evaluateShape(const std::vector<Expression> &expressions, const Sizes &sizes,
              const std::string &where, const char *what);

} // namespace tc::runtime

#endif // TC_RUNTIME_PARAMS_H
