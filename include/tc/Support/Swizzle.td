//===- Swizzle.td - swizzle modes of shared memory ---------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzle modes that TMA writes and matrix instructions read, and the major
// dimension of a tile, shared by the dialects that name them. The functions are in Support/Swizzle.h.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SWIZZLE_TD
#define TC_SUPPORT_SWIZZLE_TD

include "mlir/IR/EnumAttr.td"

def TC_Swizzle : I32Enum<"Swizzle", "swizzle mode of a tile in shared memory", [
    I32EnumCase<"None", 0, "none">,
    I32EnumCase<"B32", 1, "b32">,
    I32EnumCase<"B64", 2, "b64">,
    I32EnumCase<"B128", 3, "b128">,
    I32EnumCase<"B128Atom32", 4, "b128_atom32">,
    I32EnumCase<"B128Atom32Flip8", 5, "b128_atom32_flip8">,
    I32EnumCase<"B128Atom64", 6, "b128_atom64">]> {
  let cppNamespace = "::tc";
}

// The dimension of a tile that is contiguous in shared memory.
def TC_Major : I32Enum<"Major", "major dimension of a tile", [
    I32EnumCase<"K", 0, "k_major">,
    I32EnumCase<"MN", 1, "mn_major">]> {
  let cppNamespace = "::tc";
}

#endif // TC_SUPPORT_SWIZZLE_TD
