//===- MemoryLimit.h - The end of memory is an error ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linux gives out more memory than there is and kills a process that uses it.
// A limit for data makes the allocation fail that would pass what the machine
// has, and the tool says so.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_COMMON_MEMORYLIMIT_H
#define TC_TOOLS_COMMON_MEMORYLIMIT_H

#include <cstdio>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TC_HAS_SHADOW_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TC_HAS_SHADOW_MEMORY 1
#endif
#endif

namespace tc::tools {

inline char memoryMessage[256];

/// To be called first in `main`, once. `advice`: what takes less memory.
inline void limitMemory(const char *tool, const char *advice) {
  struct sysinfo info;
  rlimit limit;
  if (sysinfo(&info) != 0 || getrlimit(RLIMIT_DATA, &limit) != 0)
    return;
  const rlim_t all = (rlim_t(info.totalram) + info.totalswap) * info.mem_unit;
// The shadow of a sanitizer is larger than any memory.
#ifndef TC_HAS_SHADOW_MEMORY
  if (limit.rlim_cur > all) {
    limit.rlim_cur = all;
    setrlimit(RLIMIT_DATA, &limit);
  }
#endif
  // Nothing can be allocated when it is printed.
  std::snprintf(memoryMessage, sizeof(memoryMessage),
                "%s: error: out of memory: expected at most %llu MiB; %s\n",
                tool,
                static_cast<unsigned long long>(
                    (limit.rlim_cur < all ? limit.rlim_cur : all) >> 20),
                advice);
  std::set_new_handler([] {
    (void)!write(STDERR_FILENO, memoryMessage, std::strlen(memoryMessage));
    _exit(2);
  });
}

} // namespace tc::tools

#endif // TC_TOOLS_COMMON_MEMORYLIMIT_H
