//===- HeaderTest.cpp - the first lines of PTX ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written into the text that LLVM printed for another chip, and what is
// refused: a text that is not as expected.
//
//===----------------------------------------------------------------------===//

#include "Target/PTX/LLVMModule.h"
#include "tc/Target/PTX/Ptxas.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace tc;

namespace {

struct HeaderTest : ::testing::Test {
  HeaderTest() {
    context.loadDialect<gpu::GPUDialect>();
    OpBuilder builder(&context);
    module =
        gpu::GPUModuleOp::create(builder, builder.getUnknownLoc(), "kernels");
  }

  /// The text with the header of sm_107a, or the error.
  std::string rewrite(std::string text) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
    PTXHeader header{94, "sm_107a", "sm_100a"};
    return succeeded(rewriteHeader(*module, header, text)) ? text : message;
  }

  MLIRContext context;
  OwningOpRef<gpu::GPUModuleOp> module;
};

TEST_F(HeaderTest, Rewrites) {
  EXPECT_EQ(rewrite("//\n.version 9.0\n.target sm_100a\n.address_size 64\n"),
            "//\n.version 9.4\n.target sm_107a\n.address_size 64\n");
  EXPECT_EQ(rewrite("//\n.version 9.0\n.target sm_100a, debug\n"),
            "//\n.version 9.4\n.target sm_107a, debug\n");
}

TEST_F(HeaderTest, RefusesAnotherText) {
  EXPECT_EQ(rewrite("//\n.version 8.8\n.target sm_100a\n"),
            "'gpu.module' op expected LLVM to print one line '.version 9.0' "
            "for the chip 'sm_107a', got '.version 8.8'");
  EXPECT_EQ(rewrite("//\n.version 9.0\n.target sm_100f\n"),
            "'gpu.module' op expected LLVM to print one line '.target sm_100a' "
            "for the chip 'sm_107a', got '.target sm_100f'");
  EXPECT_EQ(rewrite("//\n.version 9.0\n.version 9.0\n.target sm_100a\n"),
            "'gpu.module' op expected LLVM to print one line '.version 9.0' "
            "for the chip 'sm_107a', got ''");
}

TEST(Ptxas, VersionsOfReleases) {
  EXPECT_EQ(getPtxVersionOfRelease(124), 84u);
  EXPECT_EQ(getPtxVersionOfRelease(126), 85u);
  EXPECT_EQ(getPtxVersionOfRelease(129), 88u);
  EXPECT_EQ(getPtxVersionOfRelease(130), 90u);
  EXPECT_EQ(getPtxVersionOfRelease(135), 95u);
}

} // namespace
