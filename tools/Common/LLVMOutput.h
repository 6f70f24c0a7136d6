//===- LLVMOutput.h - No output of LLVM's streams is lost -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StandardOutput.h for tools that print through llvm::outs(). That stream ends
// a program whose output failed as a fatal error of LLVM; here the check comes
// first.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_COMMON_LLVMOUTPUT_H
#define TC_TOOLS_COMMON_LLVMOUTPUT_H

#include "Common/StandardOutput.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

namespace tc::tools {

inline int flushLLVMOutput() {
  llvm::raw_fd_ostream &os = llvm::outs();
  os.flush();
  const int error = os.error().value();
  os.clear_error();
  return error;
}

/// Other files that cannot be written are fatal errors of LLVM, too, and no
/// crashes: the tool says what it was.
inline void reportFatalError(void *tool, const char *reason, bool isCrash) {
  std::fprintf(stderr, "%s%s%s\n",
               isCrash ? "LLVM ERROR" : static_cast<const char *>(tool),
               isCrash ? ": " : ": error: ", reason);
}

/// To be called first in `main`.
inline void watchOutput(const char *tool) {
  llvm::outs(); // is destroyed after the check
  watchStandardOutput(tool, flushLLVMOutput);
  llvm::install_fatal_error_handler(reportFatalError, const_cast<char *>(tool));
}

} // namespace tc::tools

#endif // TC_TOOLS_COMMON_LLVMOUTPUT_H
