//===- StandardOutput.h - No output is lost unseen --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool whose standard output is closed or full says so in one line and exits
// with status 1. Without LLVM; tools with it use LLVMOutput.h.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_COMMON_STANDARDOUTPUT_H
#define TC_TOOLS_COMMON_STANDARDOUTPUT_H

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tc::tools {

struct OutputWatch {
  const char *tool;
  /// Writes what another buffer holds; an errno or 0.
  int (*flush)();
  /// Why the first write of `stdout` failed, an errno, or 0.
  int error;
};
inline OutputWatch outputWatch;

/// What `stdout` writes with: a stream itself keeps no reason for a write that
/// failed in the middle of others.
inline ssize_t writeStandardOutput(void *, const char *data, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t more = write(STDOUT_FILENO, data + done, size - done);
    if (more >= 0) {
      done += static_cast<size_t>(more);
    } else if (errno != EINTR) {
      if (!outputWatch.error)
        outputWatch.error = errno;
      return 0;
    }
  }
  return static_cast<ssize_t>(size);
}

/// Writes what is buffered; an errno or 0.
inline int flushStandardOutput() {
  std::fflush(stdout);
  if (outputWatch.error)
    return outputWatch.error;
  return outputWatch.flush ? outputWatch.flush() : 0;
}

inline void checkStandardOutput() {
  const int error = flushStandardOutput();
  if (!error)
    return;
  std::fprintf(stderr, "%s: error: cannot write standard output: %s\n",
               outputWatch.tool, std::strerror(error));
  // The status of an exit that has begun changes in no other way.
  _exit(1);
}

/// To be called first in `main`. The check runs when the program exits, before
/// streams are destroyed that exist now.
inline void watchStandardOutput(const char *tool, int (*flush)() = nullptr) {
  // Where it is closed, the next file that is opened would get its number. This
  // one refuses what is written as a closed one does.
  if (fcntl(STDOUT_FILENO, F_GETFD) == -1) {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file != STDOUT_FILENO && file != -1) {
      dup3(file, STDOUT_FILENO, O_CLOEXEC);
      close(file);
    }
  }
  outputWatch = {tool, flush, 0};
  const cookie_io_functions_t functions = {nullptr, writeStandardOutput,
                                           nullptr, nullptr};
  if (std::FILE *stream = fopencookie(nullptr, "w", functions)) {
    setvbuf(stream, nullptr, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    stdout = stream;
  }
  std::atexit(checkStandardOutput);
}

} // namespace tc::tools

#endif // TC_TOOLS_COMMON_STANDARDOUTPUT_H
