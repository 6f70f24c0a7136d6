//===- Litmus.h - pairs of a right and a wrong kernel -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pair is one kernel and one replacement in its text: as written nothing may
// be reported, with the replacement a race whose message names the edge. Or one
// kernel and an assumption without which the same text is such a race.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_EMULATORCHECK_LITMUS_H
#define TC_UNITTESTS_EMULATORCHECK_LITMUS_H

#include <string>
#include <vector>

namespace tc::emu::test {

/// What a body may rely on. Registers: %r<64>, %rd<32>, %p<8>, %v<32>, %h<4>;
/// %r0 is tid.x, %r1 the warp, %r2 the address of 16 KiB of shared memory, %rd0
/// a pointer to 64 KiB of global memory, with the tensor map of 64 words from
/// 16384 on, in boxes of four, at 32768, %p0 holds in thread 0, %p1 in warp 0,
/// %p4 in thread 32, %p7 in thread 96, %r3, %r4 and %r5 are the addresses of
/// three barriers.
enum class Setup {
  Plain, ///< nothing has happened
  /// Barriers with a count of one; meets at bar.sync.
  Barriers,
  /// Barriers; %r10: 32 columns of Tensor Memory, the bytes from %r2 on are
  /// zero and visible to the async proxy, %rd6 and %rd7 are descriptors of A
  /// (128 x 16 bf16 at %r2) and B (16 x 16 at %r2 + 4096), %r21 and %r22
  /// instruction descriptors with N = 16 and 32, %r12 the warp's lanes of %r10.
  Tensor,
  /// For sm_90a and 160 threads: barriers; 2,560 bytes from %r2 on are zero and
  /// visible to the async proxy, %rd6 and %rd7 are descriptors of A (64 x 16
  /// f16 at %r2) and B (16 x 8 at %r2 + 2048), %v0 to %v3 accumulators of
  /// zeros; %p5 holds in the first warpgroup, %p3 in thread 128.
  Wgmma
};

struct Litmus {
  std::string name;
  Setup setup;
  unsigned threads, cluster, grid;
  std::string body;
  std::string from, to;
  /// Part of the message.
  std::string edge;
  bool strict = false;
  /// The changed kernel also runs without this assumption ("-NAME"); the right
  /// one says that it was used.
  std::string without{};
  /// Of the PTX ISA, by title; only pairs of the table have one.
  std::string section{};
  std::string rule{}; ///< its sentence, in our words
};

/// The replaced text is gone.
constexpr const char *nothing = "";

std::vector<Litmus> genericLitmus();
std::vector<Litmus> asyncLitmus();
std::vector<Litmus> tensorLitmus();
std::vector<Litmus> lifetimeLitmus();
std::vector<Litmus> restrictedLitmus();
/// Of data/*.litmus.
std::vector<Litmus> tableLitmus();

/// Waits for a phase of the barrier in a register; `id` makes labels unique.
inline std::string waitFor(const std::string &barrier, unsigned parity,
                           const std::string &id,
                           const std::string &semantics = "") {
  return "W" + id + ":\nmbarrier.try_wait.parity" + semantics +
         ".shared::cta.b64 %p2, [" + barrier + "], " + std::to_string(parity) +
         ";\n@!%p2 bra W" + id + ";\n";
}

/// Runs `text` only in the threads where the predicate holds.
inline std::string only(const std::string &predicate, const std::string &id,
                        const std::string &text) {
  return "@!" + predicate + " bra E" + id + ";\n" + text + "E" + id + ":\n";
}

} // namespace tc::emu::test

#endif // TC_UNITTESTS_EMULATORCHECK_LITMUS_H
