//===- SM90Enums.td - enumerations of the sm90 dialect -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fields of a tensor map.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90ENUMS_TD
#define TC_DIALECT_SM90_IR_SM90ENUMS_TD

include "mlir/IR/EnumAttr.td"

class SM90_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tc::sm90";
}

def SM90_L2Promotion : SM90_Enum<"L2Promotion", "granularity of L2 fetches", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"L64B", 1, "l2_64b">,
  I32EnumAttrCase<"L128B", 2, "l2_128b">,
  I32EnumAttrCase<"L256B", 3, "l2_256b">]>;

def SM90_OobFill : SM90_Enum<"OobFill", "value of elements out of bounds", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NaN", 1, "nan">]>;

def SM90_FenceSpace : SM90_Enum<"FenceSpace", "state space of a proxy fence", [
  I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"SharedCTA", 1, "shared_cta">,
  I32EnumAttrCase<"SharedCluster", 2, "shared_cluster">,
  I32EnumAttrCase<"Global", 3, "global">]>;

def SM90_FenceOrder : SM90_Enum<"FenceOrder", "side of a synchronisation that a fence is", [
  I32EnumAttrCase<"Acquire", 0, "acquire">, I32EnumAttrCase<"Release", 1, "release">]>;

def SM90_EvictionPriority : SM90_Enum<"EvictionPriority", "what the L2 cache gives up first", [
  I32EnumAttrCase<"Normal", 0, "evict_normal">,
  I32EnumAttrCase<"First", 1, "evict_first">,
  I32EnumAttrCase<"Last", 2, "evict_last">]>;

def SM90_Report : SM90_Enum<"Report", "the value that a copy reports", [
  I32EnumAttrCase<"NegZero32", 0, "neg_zero32">,
  I32EnumAttrCase<"NegZero16", 1, "neg_zero16">,
  I32EnumAttrCase<"NegZero8", 2, "neg_zero8">,
  I32EnumAttrCase<"NegZero4", 3, "neg_zero4">,
  I32EnumAttrCase<"NaN8", 4, "nan8">]>;

def SM90_GridDependency : SM90_Enum<"GridDependency", "an action of griddepcontrol", [
  I32EnumAttrCase<"Wait", 0, "wait">,
  I32EnumAttrCase<"LaunchDependents", 1, "launch_dependents">]>;

def SM90_RegisterAction : SM90_Enum<"RegisterAction", "which way setmaxnreg goes", [
  I32EnumAttrCase<"Increase", 0, "increase">,
  I32EnumAttrCase<"Decrease", 1, "decrease">]>;

def SM90_Order : SM90_Enum<"Order", "which dimension of a tile in shared memory is contiguous", [
  I32EnumAttrCase<"KMajor", 0, "k_major">,
  I32EnumAttrCase<"MNMajor", 1, "mn_major">,
  I32EnumAttrCase<"NMajor", 2, "n_major">,
  I32EnumAttrCase<"Plain", 3, "plain">,
  I32EnumAttrCase<"Blocked", 4, "blocked">,
  I32EnumAttrCase<"KUnpacked", 5, "k_unpacked">]> {
  let description = [{
    `k_major`: the elements of one row of A (one column of B) are adjacent.
    `mn_major`: the elements of one K index are adjacent. `n_major`: the elements
    of one row of D are adjacent. `plain`: one row after the other, of what is no
    matrix. `blocked`: blocks of 128 rows and 4 columns of scale factors of a byte,
    one row of blocks after the other, each block as in global memory: factor
    (r, j) is byte (r mod 32) * 16 + (r / 32) * 4 + j. `k_unpacked`: `k_major` of
    elements of 4 and 6 bits, of which 16 take 16 bytes, the packed bits first.
  }];
}

#endif // TC_DIALECT_SM90_IR_SM90ENUMS_TD
