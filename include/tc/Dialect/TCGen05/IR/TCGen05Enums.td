//===- TCGen05Enums.td - enums of the tcgen05 dialect ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kinds, layouts and modifiers of the tcgen05 instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05ENUMS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05ENUMS_TD

include "mlir/IR/EnumAttr.td"

class TCGen05_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tc::tcgen05";
}

// The organisation of a matrix in lanes and columns (PTX ISA, "Data Path Layout
// Organization"). Raw: an allocation that holds no matrix yet. Scales, ScalesSplit:
// factors of blocks (PTX ISA, "Block Scaling"). Metadata32 to Metadata4: which elements
// a sparse A of as many bits keeps (PTX ISA, "Sparse Matrices").
def TCGen05_DataPath : TCGen05_Enum<"DataPath", "data path layout", [
  I32EnumAttrCase<"A", 0>, I32EnumAttrCase<"B", 1>, I32EnumAttrCase<"C", 2>,
  I32EnumAttrCase<"D", 3>, I32EnumAttrCase<"E", 4>, I32EnumAttrCase<"F", 5>,
  I32EnumAttrCase<"G", 6>, I32EnumAttrCase<"Raw", 7, "raw">,
  I32EnumAttrCase<"Scales", 8, "scales">,
  I32EnumAttrCase<"ScalesSplit", 9, "scales_split">,
  I32EnumAttrCase<"Metadata32", 10, "metadata32">,
  I32EnumAttrCase<"Metadata16", 11, "metadata16">,
  I32EnumAttrCase<"Metadata8", 12, "metadata8">,
  I32EnumAttrCase<"Metadata4", 13, "metadata4">]>;

def TCGen05_MmaKind : TCGen05_Enum<"MmaKind", "kind of tcgen05.mma", [
  I32EnumAttrCase<"F16", 0, "f16">, I32EnumAttrCase<"TF32", 1, "tf32">,
  I32EnumAttrCase<"F8F6F4", 2, "f8f6f4">, I32EnumAttrCase<"I8", 3, "i8">,
  I32EnumAttrCase<"MXF8F6F4", 4, "mxf8f6f4">,
  I32EnumAttrCase<"MXF4", 5, "mxf4">,
  I32EnumAttrCase<"MXF4NVF4", 6, "mxf4nvf4">,
  I32EnumAttrCase<"TI16", 7, "ti16">]>;

def TCGen05_Collector : TCGen05_Enum<"Collector", "use of a collector", [
  I32EnumAttrCase<"Discard", 0, "discard">,
  I32EnumAttrCase<"LastUse", 1, "lastuse">, I32EnumAttrCase<"Fill", 2, "fill">,
  I32EnumAttrCase<"Use", 3, "use">]>;

// In the order of TmemAccessShape (TmemShapes.h).
def TCGen05_AccessShape : TCGen05_Enum<"AccessShape", "shape of tcgen05.ld and st", [
  I32EnumAttrCase<"L32x32b", 0, "32x32b">, I32EnumAttrCase<"L16x64b", 1, "16x64b">,
  I32EnumAttrCase<"L16x128b", 2, "16x128b">,
  I32EnumAttrCase<"L16x256b", 3, "16x256b">,
  I32EnumAttrCase<"L16x32bx2", 4, "16x32bx2">]>;

// In the order of TmemCopyShape (TmemShapes.h).
def TCGen05_CopyShape : TCGen05_Enum<"CopyShape", "shape and multicast of tcgen05.cp", [
  I32EnumAttrCase<"R128x256b", 0, "128x256b">,
  I32EnumAttrCase<"R4x256b", 1, "4x256b">,
  I32EnumAttrCase<"R128x128b", 2, "128x128b">,
  I32EnumAttrCase<"R64x128bWarps02And13", 3, "64x128b.warpx2::02_13">,
  I32EnumAttrCase<"R64x128bWarps01And23", 4, "64x128b.warpx2::01_23">,
  I32EnumAttrCase<"R32x128bWarpx4", 5, "32x128b.warpx4">]>;

def TCGen05_CopyFormat : TCGen05_Enum<"CopyFormat", "what tcgen05.cp decompresses", [
  I32EnumAttrCase<"B4x16P64", 0, "b4x16_p64">,
  I32EnumAttrCase<"B6x16P32", 1, "b6x16_p32">]>;

def TCGen05_Reduction : TCGen05_Enum<"Reduction", "reduction of tcgen05.ld.red", [
  I32EnumAttrCase<"Min", 0, "min">, I32EnumAttrCase<"Max", 1, "max">,
  I32EnumAttrCase<"UMin", 2, "umin">, I32EnumAttrCase<"UMax", 3, "umax">]>;

def TCGen05_WaitKind : TCGen05_Enum<"WaitKind", "what tcgen05.wait waits for", [
  I32EnumAttrCase<"Ld", 0, "ld">, I32EnumAttrCase<"St", 1, "st">]>;

def TCGen05_FenceKind : TCGen05_Enum<"FenceKind", "side of tcgen05.fence", [
  I32EnumAttrCase<"Before", 0, "before">, I32EnumAttrCase<"After", 1, "after">]>;

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05ENUMS_TD
