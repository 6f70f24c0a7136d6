//===- ptx.cpp - Hands the emulator PTX for machine code ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What CuTe DSL compiles loads its kernel through this call, once attention.py
// has put it in place: the PTX that was kept of the kernel, the newest in the
// folder, takes the place of the machine code.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <string>
#include <sys/stat.h>

extern "C" int cudaLibraryLoadData(void *library, const void *code, void *,
                                   void *, unsigned, void *, void *, unsigned);

extern "C" int load(void *library, const void *, void *options, void *values,
                    unsigned count, void *libraryOptions, void *libraryValues,
                    unsigned libraryCount) {
  const std::string folder = std::getenv("CUTE_DSL_DUMP_DIR");
  std::string newest, text;
  struct timespec time = {};
  if (DIR *files = opendir(folder.c_str())) {
    while (const dirent *file = readdir(files)) {
      const std::string path = folder + "/" + file->d_name;
      struct stat status;
      if (path.size() < 4 || path.substr(path.size() - 4) != ".ptx" ||
          stat(path.c_str(), &status))
        continue;
      if (status.st_mtim.tv_sec < time.tv_sec ||
          (status.st_mtim.tv_sec == time.tv_sec &&
           status.st_mtim.tv_nsec < time.tv_nsec))
        continue;
      newest = path;
      time = status.st_mtim;
    }
    closedir(files);
  }
  if (FILE *file = std::fopen(newest.c_str(), "rb")) {
    for (int c; (c = std::fgetc(file)) > 0;)
      text += char(c);
    std::fclose(file);
  }
  return cudaLibraryLoadData(library, text.c_str(), options, values, count,
                             libraryOptions, libraryValues, libraryCount);
}
