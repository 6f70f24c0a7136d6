// What the tests of emulator and runtime include. Compiled once (tc_pch_tests);
// no file may rely on it: each includes what it uses.
#include "TCPrecompiledPlain.h"

#include <gtest/gtest.h>
