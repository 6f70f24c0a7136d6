//===- Tables.h - tables of what is legal -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc-explain tables: what the verifiers take, in Markdown, from the data that
// they use.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TC_EXPLAIN_TABLES_H
#define TC_TOOLS_TC_EXPLAIN_TABLES_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// Prints the tables of an op family; the exit status of the tool.
int printTables(llvm::StringRef family);

} // namespace tc

#endif // TC_TOOLS_TC_EXPLAIN_TABLES_H
