//===- checks.h - What programs of tests expect -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program ends with the first check that fails, and counts the others.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_CUDARUNTIME_CHECKS_H
#define TC_TEST_CUDARUNTIME_CHECKS_H

#include <cstdio>
#include <cstdlib>

static int checks = 0;
#define EXPECT(CONDITION)                                                      \
  do {                                                                         \
    ++checks;                                                                  \
    if (!(CONDITION)) {                                                        \
      std::printf("failed: %s, line %d (%s)\n", #CONDITION, __LINE__,          \
                  cudaGetErrorName(cudaPeekAtLastError()));                    \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)
#define OK(CALL) EXPECT((CALL) == cudaSuccess)

#endif // TC_TEST_CUDARUNTIME_CHECKS_H
