//===- Legality.cpp - every combination through the verifiers ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc-legality [--every N] [--forms FILE]: all combinations of kind, element
// types, cta_group, layout of D, N, dense and sparse, location of A, layouts of
// A and B in shared memory and scale factors go through the verifiers, and what
// they say is compared with the oracle. Each legal one gets all collectors and
// is lowered. --every N takes one of N. --forms writes the instructions that
// differ in text as a module, one in a function. scripts/legality gives them to
// ptxas.
//
// Element types are taken by class: two types of a kind are in one class where
// the table of MmaTypes.h says the same of them.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "Subject.h"

#include "tc/Compiler/Pipelines.h"
#include "tc/Support/MmaTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

using namespace mlir;
using namespace tc;
using namespace tc::legality;

namespace {

/// What was found, by thread and then together.
struct Counts {
  uint64_t combinations = 0, legal = 0, wide = 0, lookups = 0, lanes = 0,
           collectors = 0, lowered = 0;
  std::map<std::string, uint64_t> refused;
  uint64_t disagreements = 0;
  std::vector<std::string> examples;

  void add(const Counts &other) {
    combinations += other.combinations;
    legal += other.legal;
    wide += other.wide;
    lookups += other.lookups;
    lanes += other.lanes;
    collectors += other.collectors;
    lowered += other.lowered;
    disagreements += other.disagreements;
    for (const auto &[label, count] : other.refused)
      refused[label] += count;
    for (const std::string &text : other.examples)
      if (examples.size() < 20)
        examples.push_back(text);
  }
};

/// Types of A, of B, and of D: what one thread takes at a time.
struct Piece {
  Form op;
  Kind kind;
  Element a, b, d;
};

} // namespace

static constexpr Kind kKinds[] = {Kind::F16,      Kind::TF32,     Kind::F8F6F4,
                                  Kind::I8,       Kind::MXF8F6F4, Kind::MXF4,
                                  Kind::MXF4NVF4, Kind::TI16};
static constexpr Element kElements[] = {
    Element::F16,  Element::BF16, Element::F32,  Element::E4M3,
    Element::E5M2, Element::E2M3, Element::E3M2, Element::E2M1,
    Element::S8,   Element::U8,   Element::S16};

static Type getType(MLIRContext &context, Element element) {
  Builder b(&context);
  Type types[] = {b.getF16Type(),
                  b.getBF16Type(),
                  b.getF32Type(),
                  Float8E4M3FNType::get(&context),
                  Float8E5M2Type::get(&context),
                  Float6E2M3FNType::get(&context),
                  Float6E3M2FNType::get(&context),
                  Float4E2M1FNType::get(&context),
                  b.getI8Type(),
                  b.getIntegerType(8, false),
                  b.getI32Type(),
                  b.getI16Type()};
  return types[static_cast<int>(element)];
}

/// One element type of each class of `kind`: what its table says of a type is
/// all that the verifier asks of it, and whether A and B are the same.
static std::vector<Element> getClasses(MLIRContext &context, Kind kind,
                                       llvm::raw_ostream *table) {
  auto facts = static_cast<MmaKindFacts>(kind);
  std::map<std::string, std::vector<Element>> classes;
  for (Element element : kElements) {
    Type type = getType(context, element);
    std::string key = "no input";
    if (isMmaInput(facts, type)) {
      key = std::to_string(getMmaSmemBits(facts, type)) + " bits in memory";
      key += ", width " + std::to_string(type.getIntOrFloatBitWidth() == 8
                                             ? 8
                                             : getMmaSmemBits(facts, type));
      key += hasMmaTranspose(facts, type) ? ", transposes" : ", K-major";
      key += hasMmaHalfSum(facts, type, type) ? ", sums in f16" : "";
      if (unsigned wide = getMmaSmemBits(facts, type, /*wide=*/true))
        key += ", wide " + std::to_string(wide) + "/" +
               std::to_string(getMmaTmemBits(facts, type, /*wide=*/true));
    }
    // Where the types of A and B must agree, no two are alike.
    if (isMmaInput(facts, type) && !isMmaMix(facts))
      key += ", " + std::to_string(static_cast<int>(element));
    classes[key].push_back(element);
  }
  std::vector<Element> first;
  for (const auto &[key, elements] : classes) {
    first.push_back(elements.front());
    if (!table)
      continue;
    *table << "  " << tc::getName(facts) << ":";
    for (Element element : elements)
      *table << " " << getType(context, element);
    *table << " (" << key << ")\n";
  }
  return first;
}

static std::vector<Piece> getPieces(MLIRContext &context) {
  std::vector<Piece> pieces;
  for (Kind kind : kKinds) {
    std::vector<Element> classes = getClasses(context, kind, &llvm::outs());
    // Two of a class, so that mixes within one are there.
    std::vector<Element> second = classes;
    for (Element element : {Element::E5M2, Element::U8, Element::BF16})
      if (isMmaInput(static_cast<MmaKindFacts>(kind),
                     getType(context, element)) &&
          !llvm::is_contained(second, element))
        second.push_back(element);
    for (Element a : classes)
      for (Element b : second)
        for (Element d : {Element::F32, Element::F16, Element::I32})
          for (Form op : {Form::Mma, Form::Scaled, Form::WeightStationary})
            pieces.push_back({op, kind, a, b, d});
  }
  return pieces;
}

static std::vector<Tile> getTiles() {
  std::vector<Tile> tiles;
  for (bool mnMajor : {false, true})
    for (auto swizzle : {legality::Swizzle::None, legality::Swizzle::B32,
                         legality::Swizzle::B64, legality::Swizzle::B128,
                         legality::Swizzle::Atom32})
      tiles.push_back({mnMajor, swizzle});
  return tiles;
}

namespace {

class Worker {
public:
  Worker(MLIRContext &context, uint64_t every)
      : subject(context), lowering(context), every(every) {}

  void run(const Piece &piece);
  Counts counts;

private:
  void tryOne(const Combination &c);
  void tryCollectors(Operation *op, const Combination &c);
  void tryCollectorsOfB(Operation *op, const Combination &c);
  void tryWide(Operation *op, const Combination &c);
  void tryLookup(Operation *op, const Combination &c);
  void tryLaneScales(Operation *op, const Combination &c);
  void check(Operation *op, const Combination &c, bool legal, const char *what,
             uint64_t &count);
  void disagree(const Combination &c, const std::string &what);

  Subject subject;
  Lowering lowering;
  uint64_t every, next = 0;
};

} // namespace

static std::string describe(const Combination &c) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << legality::getName(c.op) << " kind " << static_cast<int>(c.kind) << " a "
     << static_cast<int>(c.a) << " b " << static_cast<int>(c.b) << " d "
     << static_cast<int>(c.d) << " group " << c.group << " layout " << c.layout
     << " n " << c.n << (c.sparse ? " sparse" : "") << (c.tmemA ? " tmem" : "")
     << " a " << c.tileA.mnMajor << "/" << static_cast<int>(c.tileA.swizzle)
     << " b " << c.tileB.mnMajor << "/" << static_cast<int>(c.tileB.swizzle)
     << " block " << c.block;
  return text;
}

void Worker::disagree(const Combination &c, const std::string &what) {
  ++counts.disagreements;
  if (counts.examples.size() < 20)
    counts.examples.push_back(describe(c) + ": " + what);
}

/// Every use of the collectors, of B with every buffer, and one that does not
/// exist.
void Worker::tryCollectors(Operation *op, const Combination &c) {
  for (int use = 0; use < 4; ++use) {
    auto collector = static_cast<tcgen05::Collector>(use);
    if (auto ws = dyn_cast<tcgen05::MmaWsOp>(op)) {
      ws.setCollectorB(collector);
      for (int buffer = 0; buffer <= 4; ++buffer) {
        ws.setBuffer(buffer);
        ++counts.collectors;
        if ((subject.verify(op) == std::nullopt) != (buffer < 4))
          disagree(c, "buffer: " + subject.getMessage());
      }
      ws.setBuffer(0);
      ws.setCollectorB(tcgen05::Collector::Discard);
      continue;
    }
    auto mma = dyn_cast<tcgen05::MmaOp>(op);
    if (mma)
      mma.setCollectorA(collector);
    else
      cast<tcgen05::MmaBlockScaleOp>(op).setCollectorA(collector);
    for (bool shift : {false, true}) {
      if (shift && !mma)
        continue;
      if (mma)
        mma.setAshift(shift);
      // A in Tensor Memory, 128 rows, not kept.
      bool legal = !shift ||
                   (c.tmemA && (c.layout == 'A' || c.layout == 'D') && use < 2);
      ++counts.collectors;
      if ((subject.verify(op) == std::nullopt) != legal)
        disagree(c, "collector: " + subject.getMessage());
    }
    if (mma)
      mma.setAshift(false);
  }
  if (auto mma = dyn_cast<tcgen05::MmaOp>(op))
    mma.setCollectorA(tcgen05::Collector::Discard);
  else if (auto scaled = dyn_cast<tcgen05::MmaBlockScaleOp>(op))
    scaled.setCollectorA(tcgen05::Collector::Discard);
}

/// Every use of the one buffer of B, which integers do not have.
void Worker::tryCollectorsOfB(Operation *op, const Combination &c) {
  auto mma = dyn_cast<tcgen05::MmaOp>(op);
  auto scaled = dyn_cast<tcgen05::MmaBlockScaleOp>(op);
  if (!mma && !scaled)
    return;
  auto set = [&](tcgen05::Collector collector) {
    mma ? mma.setCollectorB(collector) : scaled.setCollectorB(collector);
  };
  for (int use = 0; use < 4; ++use) {
    auto collector = static_cast<tcgen05::Collector>(use);
    set(collector);
    ++counts.collectors;
    bool legal = collector == tcgen05::Collector::Discard || c.kind != Kind::I8;
    if ((subject.verify(op) == std::nullopt) != legal)
      disagree(c, "collector of b: " + subject.getMessage());
  }
  set(tcgen05::Collector::Discard);
}

/// Compares the verifier with `legal`, and lowers what is.
void Worker::check(Operation *op, const Combination &c, bool legal,
                   const char *what, uint64_t &count) {
  bool verifies = subject.verify(op) == std::nullopt;
  if (verifies != legal)
    disagree(c, what + (": " + subject.getMessage()));
  if (!verifies)
    return;
  ++count;
  if (std::string error = lowering.add(op); !error.empty())
    disagree(c, error);
}

/// The same with a K of 64 bytes of a row.
void Worker::tryWide(Operation *op, const Combination &c) {
  if (c.op == Form::WeightStationary)
    return;
  subject.setWide(op, c, true);
  check(op, c, isWide(c), "wide", counts.wide);
  tryLaneScales(op, c);
  tryLookup(op, c);
  subject.setWide(op, c, false);
  tryLaneScales(op, c);
}

/// The same with B as indices, which stand for numbers of one type.
void Worker::tryLookup(Operation *op, const Combination &c) {
  if (c.b != Element::E4M3 || !subject.setLookup(op, c, true))
    return;
  check(op, c, isLookup(c), "lookup", counts.lookups);
  subject.setLookup(op, c, false);
}

/// The same with a lane for each row of the factors of A, as the operation is
/// now: with a wide K, or without.
void Worker::tryLaneScales(Operation *op, const Combination &c) {
  auto scaled = dyn_cast<tcgen05::MmaBlockScaleOp>(op);
  if (!scaled)
    return;
  bool legal = !scaled.getWideK() || isWide(c);
  subject.setLaneScales(scaled, c, true);
  check(op, c, legal && (c.layout == 'A' || c.layout == 'D'), "scales in lanes",
        counts.lanes);
  subject.setLaneScales(scaled, c, false);
}

void Worker::tryOne(const Combination &c) {
  if (next++ % every != 0)
    return;
  ++counts.combinations;
  unsigned broken = findBroken(c);
  Operation *op = subject.set(c);
  if (!op) {
    // No layout says it: rows that do not fill 16 bytes, 4 bits along M or N.
    ++counts.refused["sm90.smem_layout"];
    if (broken == 0)
      disagree(c, "no layout in shared memory");
    return;
  }
  std::optional<Rule> rule = subject.verify(op);
  if (!rule) {
    ++counts.legal;
    if (broken != 0)
      return disagree(c, "verifies");
    tryCollectors(op, c);
    tryCollectorsOfB(op, c);
    if (std::string error = lowering.add(op); !error.empty())
      disagree(c, error);
    tryWide(op, c);
    return;
  }
  ++counts.refused[getLabel(c.op, *rule)];
  // Extents and A in Tensor Memory follow from the layout of D; a tile has
  // whole core matrices, also where the instruction cannot read it.
  unsigned follows = broken & (Accumulator | ColumnsN) ? Extents | MatrixA : 0;
  follows |= broken & Layouts ? Extents : 0;
  if (!((broken | follows) & *rule))
    disagree(c, "refused: " + subject.getMessage());
}

void Worker::run(const Piece &piece) {
  static const std::vector<Tile> tiles = getTiles();
  Combination c;
  c.op = piece.op;
  c.kind = piece.kind;
  c.a = piece.a;
  c.b = piece.b;
  c.d = piece.d;
  // Where the operation is not for the kind, factors say nothing.
  bool scales = c.op == Form::Scaled && c.kind >= Kind::MXF8F6F4 &&
                c.kind <= Kind::MXF4NVF4;
  for (char layout = 'A'; layout <= 'G'; ++layout)
    for (int group : {1, 2})
      for (int n = 8; n <= 264; n += 8)
        for (bool sparse : {false, true})
          for (size_t a = 0; a <= tiles.size(); ++a)
            for (const Tile &b : tiles)
              for (int factors = 0; factors < (scales ? 6 : 1); ++factors) {
                c.layout = layout;
                c.group = group;
                c.n = n;
                c.sparse = sparse;
                c.tmemA = a == tiles.size();
                c.tileA = c.tmemA ? Tile() : tiles[a];
                c.tileB = b;
                c.factor = static_cast<Factor>(factors % 3);
                c.block = factors >= 3 ? 16 : 32;
                tryOne(c);
              }
  if (std::string error = lowering.flush(); !error.empty())
    disagree(c, error);
  counts.lowered = lowering.getCount();
}

static int usage() {
  llvm::errs() << "usage: tc-legality [--every N] [--forms FILE]\n";
  return 2;
}

int main(int argc, char **argv) {
  uint64_t every = 1;
  std::string forms;
  for (int i = 1; i < argc; ++i) {
    StringRef name = argv[i];
    if (i + 1 == argc || (name != "--every" && name != "--forms"))
      return usage();
    StringRef value = argv[++i];
    if (name == "--forms")
      forms = value.str();
    else if (value.getAsInteger(10, every) || every == 0)
      return usage();
  }
  DialectRegistry registry;
  registerPipelineDialects(registry);
  auto makeContext = [&] {
    auto context = std::make_unique<MLIRContext>(
        registry, MLIRContext::Threading::DISABLED);
    context->printOpOnDiagnostic(false);
    context->loadAllAvailableDialects();
    return context;
  };
  auto context = makeContext();
  if (!forms.empty())
    return writeForms(*context, forms);

  llvm::outs() << "classes of element types, from the table of the kinds:\n";
  std::vector<Piece> pieces = getPieces(*context);
  std::atomic<size_t> taken = 0;
  std::mutex mutex;
  Counts all;
  auto work = [&] {
    auto own = makeContext();
    Worker worker(*own, every);
    for (size_t i = taken++; i < pieces.size(); i = taken++)
      worker.run(pieces[i]);
    std::lock_guard<std::mutex> lock(mutex);
    all.add(worker.counts);
  };
  std::thread second(work);
  work();
  second.join();

  llvm::outs() << all.combinations << " combinations: " << all.legal
               << " verify, " << all.combinations - all.legal
               << " are refused\n";
  for (const auto &[label, count] : all.refused)
    llvm::outs() << "  " << label << ": " << count << "\n";
  llvm::outs() << all.wide << " of those that verify do so with wide_k, too, "
               << all.lookups << " with B as indices\n"
               << all.lanes << " verify with factors of A in 128 lanes\n";
  llvm::outs() << all.collectors << " uses of collectors with what verifies\n"
               << all.lowered << " lowered to NVVM, with an instruction "
               << "descriptor of which every field is defined\n"
               << all.disagreements << " disagreements with the ISA's tables\n";
  for (const std::string &text : all.examples)
    llvm::outs() << "  " << text << "\n";
  uint64_t verified = all.legal + all.wide + all.lookups + all.lanes;
  return all.disagreements == 0 && all.lowered == verified ? 0 : 1;
}
