//===- BundleWriter.h - the bytes of a bundle -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects kernels and lays them out as tc/Runtime/BundleFormat.h says.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCCOMPILE_BUNDLEWRITER_H
#define TC_TOOLS_TCCOMPILE_BUNDLEWRITER_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace tc {

class BundleWriter {
public:
  /// `sizes` is what the kernel was configured for ("M=64"), or empty.
  void add(llvm::StringRef name, llvm::StringRef chip, llvm::StringRef function,
           llvm::StringRef sizes, llvm::StringRef code,
           llvm::StringRef description);
  std::string write();

private:
  struct Kernel {
    std::string name, chip, function, sizes;
    uint32_t code, description;
  };
  uint32_t numberOf(llvm::StringRef content);

  std::vector<Kernel> kernels;
  std::vector<llvm::StringRef> blobs;
  llvm::StringMap<uint32_t> numbers; ///< contents, which live here
};

} // namespace tc

#endif // TC_TOOLS_TCCOMPILE_BUNDLEWRITER_H
