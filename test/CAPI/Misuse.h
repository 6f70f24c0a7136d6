/*===- Misuse.h - calls that are wrong
-------------------------------------===*\
|*
|* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for license information.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#ifndef TC_TEST_CAPI_MISUSE_H
#define TC_TEST_CAPI_MISUSE_H

#include <stdio.h>
#include <stdlib.h>

/* A call of `function` went as the header says: covered.py reads its name. */
#define EXPECT(function, condition)                                            \
  do {                                                                         \
    (void)function;                                                            \
    if (!(condition)) {                                                        \
      printf("%s:%d: %s: expected %s\n", __FILE__, __LINE__, #function,        \
             #condition);                                                      \
      exit(1);                                                                 \
    }                                                                          \
    printf("%s\n", #function);                                                 \
    fflush(stdout);                                                            \
  } while (0)

/* The same of a call that returns nothing: it comes back. */
#define CALL(function, ...)                                                    \
  do {                                                                         \
    function(__VA_ARGS__);                                                     \
    printf("%s\n", #function);                                                 \
    fflush(stdout);                                                            \
  } while (0)

#endif /* TC_TEST_CAPI_MISUSE_H */
