//===- KernelDescription.cpp - how to launch what was compiled --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes what a host function does with its kernels as JSON.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/KernelDescription.h"

#include "Describer.h"

#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Schedule/UnitModel.h"
#include "tc/Support/Units.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tc;
using llvm::json::OStream;
using Kind = SizeExpression::Kind;

StringRef tc::nameOfElementType(Type type) {
  static const std::pair<TypeID, StringRef> floats[] = {
      {TypeID::get<Float64Type>(), "f64"},
      {TypeID::get<Float32Type>(), "f32"},
      {TypeID::get<Float16Type>(), "f16"},
      {TypeID::get<BFloat16Type>(), "bf16"},
      {TypeID::get<FloatTF32Type>(), "tf32"},
      {TypeID::get<Float8E4M3FNType>(), "e4m3"},
      {TypeID::get<Float8E5M2Type>(), "e5m2"},
      {TypeID::get<Float6E2M3FNType>(), "e2m3"},
      {TypeID::get<Float6E3M2FNType>(), "e3m2"},
      {TypeID::get<Float4E2M1FNType>(), "e2m1"},
      {TypeID::get<Float8E8M0FNUType>(), "ue8m0"}};
  for (auto [id, name] : floats)
    if (type.getTypeID() == id)
      return name;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return "";
  switch (integer.getWidth()) {
  case 1: // in memory a byte, 0 or 1
  case 8:
    return integer.isUnsigned() ? "u8" : "i8";
  case 16:
    return integer.isUnsigned() ? "u16" : "i16";
  case 32:
    return integer.isUnsigned() ? "u32" : "i32";
  case 64:
    return integer.isUnsigned() ? "u64" : "i64";
  default:
    return "";
  }
}

static StringRef nameOfSwizzle(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return "none";
  case Swizzle::B32:
    return "32B";
  case Swizzle::B64:
    return "64B";
  case Swizzle::B128:
    return "128B";
  case Swizzle::B128Atom32:
    return "128B_atom_32B";
  case Swizzle::B128Atom32Flip8:
    return "128B_atom_32B_flip_8B";
  case Swizzle::B128Atom64:
    return "128B_atom_64B";
  }
  llvm_unreachable("all swizzles are listed");
}

static StringRef nameOfPromotion(sm90::L2Promotion promotion) {
  switch (promotion) {
  case sm90::L2Promotion::None:
    return "none";
  case sm90::L2Promotion::L64B:
    return "64B";
  case sm90::L2Promotion::L128B:
    return "128B";
  case sm90::L2Promotion::L256B:
    return "256B";
  }
  llvm_unreachable("all promotions are listed");
}

/// The elements of a tensor map; those that are unpacked have the driver's
/// name.
static StringRef nameOfMapType(sm90::TensorMapType type) {
  if (!type.getUnpacked())
    return nameOfElementType(type.getElementType());
  return type.getElementType().getIntOrFloatBitWidth() == 4 ? "16u4_align16b"
                                                            : "16u6_align16b";
}

/// The bytes that `offset` elements of `type` take: what a pointer or a tensor
/// map starts at is a whole byte, also where elements share one.
static FailureOr<SizeExpression> bytesOf(SizeExpression offset, Type type,
                                         Value value) {
  if (!type.isIntOrFloat())
    return emitErrorAt(value)
           << "cannot be described: expected integers or floats, got " << type;
  int64_t bits = type.getIntOrFloatBitWidth();
  if (bits % 8 == 0)
    return offset * SizeExpression(bits / 8);
  return SizeExpression::get(Kind::FloorDiv, offset * SizeExpression(bits),
                             SizeExpression(8));
}

void tc::writeList(OStream &json, StringRef key,
                   ArrayRef<SizeExpression> values) {
  json.attributeArray(key, [&] {
    for (const SizeExpression &value : values)
      json.value(value.json());
  });
}

LogicalResult Describer::writeTensorMap(OStream &json,
                                        sm90::TensorMapEncodeOp map) {
  sm90::TensorMapType type = map.getResult().getType();
  FailureOr<HostView> view = reader.readView(map.getBuffer());
  if (failed(view))
    return failure();
  FailureOr<SizeExpression> start =
      bytesOf(view->offset, view->type.getElementType(), map.getBuffer());
  if (failed(start))
    return failure();
  SizeExpression offset = *start;
  if (OpFoldResult own = map.getMixedOffset()) {
    FailureOr<SizeExpression> value = reader.read(own);
    if (failed(value))
      return failure();
    offset = offset + *value;
  }

  // The op lists the slowest dimension first, launch files the fastest. The
  // driver refuses a size of 0: an empty dimension is encoded as one element,
  // which the kernel never loads.
  SmallVector<SizeExpression> dims, strides, box, steps;
  SmallVector<OpFoldResult> mixedDims = map.getMixedDims();
  SmallVector<OpFoldResult> mixedStrides = map.getMixedStrides();
  for (OpFoldResult value : llvm::reverse(mixedDims)) {
    FailureOr<SizeExpression> size = reader.read(value);
    if (failed(size))
      return failure();
    dims.push_back(SizeExpression::get(Kind::Max, *size, SizeExpression(1)));
  }
  for (OpFoldResult value : llvm::reverse(mixedStrides)) {
    FailureOr<SizeExpression> stride = reader.read(value);
    if (failed(stride))
      return failure();
    strides.push_back(*stride);
  }
  for (int64_t extent : llvm::reverse(type.getBox()))
    box.push_back(SizeExpression(extent));
  auto corner = [](std::optional<ArrayRef<int64_t>> values) {
    SmallVector<SizeExpression> corner;
    for (int64_t value : llvm::reverse(*values))
      corner.push_back(SizeExpression(value));
    return corner;
  };
  for (size_t i = 0, rank = dims.size(); i < rank; ++i) {
    std::optional<ArrayRef<int64_t>> own = map.getElementStrides();
    steps.push_back(SizeExpression(own ? (*own)[rank - 1 - i] : 1));
  }
  json.attributeObject("tensor_map", [&] {
    json.attribute("buffer", nameOf(view->root));
    json.attribute("offset", offset.json());
    json.attribute("dtype", nameOfMapType(type));
    writeList(json, "dims", dims);
    writeList(json, "strides", strides);
    if (type.isIm2col())
      json.attributeObject("im2col", [&] {
        writeList(json, "lower", corner(map.getLower()));
        writeList(json, "upper", corner(map.getUpper()));
        json.attribute("channels", box[0].json());
        json.attribute("pixels", box[1].json());
      });
    else
      writeList(json, "box", box);
    writeList(json, "element_strides", steps);
    json.attribute("swizzle", nameOfSwizzle(type.getSwizzle()));
    json.attribute("interleave", "none");
    json.attribute("oob_fill",
                   map.getOobFill() == sm90::OobFill::Zero ? "zero" : "nan");
    json.attribute("l2_promotion", nameOfPromotion(map.getL2Promotion()));
  });
  return success();
}

LogicalResult Describer::writeParameter(OStream &json,
                                        HostParameter &parameter) {
  LogicalResult result = success();
  json.object([&] {
    switch (parameter.kind) {
    case HostParameter::TensorMap:
      result = writeTensorMap(json, parameter.map);
      return;
    case HostParameter::Pointer: {
      HostView &view = parameter.view;
      FailureOr<SizeExpression> start =
          bytesOf(view.offset, view.type.getElementType(), view.root);
      if (failed(start)) {
        result = failure();
        return;
      }
      json.attribute("pointer", nameOf(view.root));
      json.attribute("offset", start->json());
      return;
    }
    case HostParameter::Integer:
      json.attribute(parameter.type, parameter.integer.json());
      return;
    case HostParameter::Float:
      if (parameter.scalar.empty())
        json.attribute(parameter.type, describeFloat(parameter.number));
      else
        json.attribute(parameter.type, parameter.scalar);
      return;
    }
  });
  return result;
}

/// The members that say which buffer, and which part of it, an operand is.
void Describer::writeOperand(OStream &json, const HostOperand &operand) {
  json.attribute("buffer", nameOf(operand.root));
  if (operand.isWhole)
    return;
  json.attribute("offset", operand.view.offset.json());
  tmm::WindowsAttr windows = operand.view.windows;
  using List = ArrayRef<SizeExpression>;
  writeList(json, "shape",
            windows ? List(operand.view.images) : List(operand.view.sizes));
  writeList(json, "strides",
            windows ? List(operand.view.pitches) : List(operand.view.strides));
  if (!windows)
    return;
  std::pair<StringRef, ArrayRef<int64_t>> lists[] = {
      {"output", windows.getOutput()},
      {"window", windows.getWindow()},
      {"strides", windows.getStrides()},
      {"dilations", windows.getDilations()},
      {"padding", windows.getPadding()}};
  json.attributeObject("windows", [&] {
    for (auto [key, values] : lists)
      writeList(json, key, llvm::map_to_vector(values, [](int64_t value) {
                  return SizeExpression(value);
                }));
  });
}

LogicalResult Describer::writeEpilogue(OStream &json, HostProblem &problem) {
  LogicalResult result = success();
  json.attributeArray("operands", [&] {
    for (auto [index, extra] : llvm::enumerate(problem.extras)) {
      if (!extra)
        continue;
      json.object([&, index = index, &extra = extra] {
        json.attribute("name", "x" + std::to_string(index));
        if (extra->operand.root) {
          writeOperand(json, extra->operand);
          if (!extra->along.empty())
            json.attribute("along", extra->along);
          return;
        }
        auto scalar = scalars.find(extra->scalar);
        if (scalar == scalars.end()) {
          result = problem.op.emitOpError("epilogue operand X")
                   << index
                   << " cannot be described: expected an f32 argument of the "
                      "function, got "
                   << extra->scalar;
          return;
        }
        json.attribute("scalar", scalar->second);
      });
    }
  });
  writeEpilogueSteps(json, problem.op);
  return result;
}

/// The formula of a problem, with the names of its buffers.
std::string Describer::writeFormula(HostProblem &problem) {
  bool isTf32 = problem.op.getKind() == MmaKindFacts::TF32;
  auto factor = [&](const HostOperand &matrix, unsigned index) {
    std::string name = nameOf(matrix.root).str();
    if (matrix.view.windows)
      name = "windows(" + name + ")";
    if (problem.metadata && index == 0)
      name =
          "sparse(" + name + ", " + nameOf(problem.metadata->root).str() + ")";
    if (isTf32)
      return "tf32(" + name + ")";
    if (problem.scales.empty())
      return name;
    return "scaled(" + name + ", " + nameOf(problem.scales[index].root).str() +
           ")";
  };
  std::string formula = factor(problem.a, 0) + " * " + factor(problem.b, 1);
  if (problem.op.getAccumulate())
    formula += (" + " + nameOf(problem.d.root)).str();
  if (problem.rows)
    formula = (Twine(problem.op.isStacked() ? "grouped(" : "counted(") +
               formula + ", " + nameOf(problem.rows->root) + ")")
                  .str();
  if (problem.op.hasEpilogue())
    formula = "epilogue(" + formula + ")";
  std::string outputs = nameOf(problem.d.root).str();
  for (const auto &output : {problem.scaleD, problem.amax})
    if (output)
      outputs += (", " + nameOf(output->root)).str();
  return outputs + " = " + formula;
}

LogicalResult Describer::writeProblem(OStream &json, HostProblem &problem) {
  const HostView &d = problem.d.view;
  ArrayRef<SizeExpression> batch =
      ArrayRef(d.sizes).take_front(problem.op.getMDimOfD());
  if (problem.op.isStacked())
    batch = problem.rows->view.sizes;
  // A sparse A has half of K.
  SizeExpression k = problem.metadata
                         ? problem.b.view.sizes[problem.op.getKDimOfB()]
                         : problem.a.view.sizes[problem.op.getKDimOfA()];
  bool isTf32 = problem.op.getKind() == MmaKindFacts::TF32;
  auto operand = [&](StringRef key, const HostOperand &operand,
                     bool transposed) {
    json.attributeObject(key, [&] {
      writeOperand(json, operand);
      // Integers of the function have no sign of their own.
      if (Type type = operand.view.type.getElementType();
          type != getElementTypeOrSelf(operand.root.getType()))
        json.attribute("dtype", nameOfElementType(type));
      json.attribute("transposed", transposed);
    });
  };
  auto units = MatrixUnits::get(problem.op->getContext())
                   .getRegistry()
                   .getUnitsOf(*getTarget(chip));
  LogicalResult result = success();
  json.object([&] {
    json.attribute("formula", writeFormula(problem));
    if (!batch.empty())
      writeList(json, "batch", batch);
    json.attribute("m", d.sizes[problem.op.getMDimOfD()].json());
    json.attribute("n", d.sizes[problem.op.getNDimOfD()].json());
    json.attribute("k", k.json());
    operand("a", problem.a, problem.op.getTransposeA());
    operand("b", problem.b, problem.op.getTransposeB());
    if (!problem.scales.empty()) {
      operand("scale_a", problem.scales[0], false);
      operand("scale_b", problem.scales[1], false);
      json.attribute("scale_block", problem.op.getBlockOfScales());
      // Of factors in a plain matrix.
      if (problem.op.getPromotedK())
        json.attribute("scale_columns", problem.op.getColumnsOfScales());
    }
    if (problem.metadata)
      operand("metadata", *problem.metadata, false);
    if (problem.rows)
      operand(nameOfRows(problem.op), *problem.rows, false);
    if (problem.op.getAccumulate())
      operand("c", problem.d, false);
    else
      json.attribute("c", nullptr);
    operand("d", problem.d, false);
    if (problem.scaleD) {
      operand("scale_d", *problem.scaleD, false);
      json.attribute("scale_block_d", problem.op.getScaleBlockOfD());
    }
    if (problem.amax)
      operand("amax", *problem.amax, false);
    json.attribute("accumulator",
                   nameOfElementType(problem.op.getAccumulatorType()));
    // A tool without the units knows no other precision.
    int64_t bits =
        units.empty() ? kSumFractionBits
                      : units.front()->getSumFractionBits(problem.op.getKind());
    if (bits != kSumFractionBits)
      json.attribute("accumulator_bits", bits);
    if (isTf32)
      json.attribute("multiply_as", "tf32");
    if (!problem.op.isEmpty())
      json.attribute("launch", problem.number);
    if (problem.op.hasEpilogue())
      json.attributeObject("epilogue",
                           [&] { result = writeEpilogue(json, problem); });
  });
  return result;
}

LogicalResult Describer::write(llvm::raw_ostream &os) {
  bool ok = true;
  OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attribute("chip", chip);
    json.attribute("function", function.getName());
    json.attributeArray("sizes", [&] {
      for (const std::string &name : reader.sizeNames())
        json.value(name);
    });
    json.attributeArray("arguments", [&] {
      for (auto &[root, buffer] : reader.getBuffers())
        if (isa<BlockArgument>(root))
          json.value(buffer.name);
    });
    if (!results.empty())
      json.attributeArray("results", [&] {
        for (const HostOperand &result : results)
          json.object([&] { writeOperand(json, result); });
      });
    for (auto &[value, name] : reader.getScalars())
      scalars[value] = name;
    if (!scalars.empty())
      json.attributeArray("scalars", [&] {
        for (auto &[value, name] : scalars)
          json.object([&, &value = value, &name = name] {
            json.attribute("name", name);
            json.attribute("dtype", value.getType().isF32()         ? "f32"
                                    : value.getType().isInteger(32) ? "i32"
                                                                    : "i64");
          });
      });
    json.attributeArray("constraints", [&] {
      for (const auto &[check, message] : reader.getScalarChecks())
        json.object([&, &check = check, &message = message] {
          json.attribute("check", check.json());
          json.attribute("message", message);
        });
      for (HostConstraint &constraint : constraints)
        json.object([&] {
          json.attribute("check", constraint.check.json());
          json.attribute("message", constraint.message);
          if (constraint.multiple) {
            json.attribute("value", constraint.multiple->first.json());
            json.attribute("multiple_of", constraint.multiple->second);
          }
        });
    });
    json.attributeObject("buffers", [&] {
      for (auto &[root, buffer] : reader.getBuffers())
        ok &= succeeded(writeBuffer(json, root));
    });
    json.attributeArray("kernels", [&] {
      for (HostKernel &kernel : kernels)
        json.object([&] {
          json.attribute("entry", kernel.symbol.getLeafReference().strref());
          writeList(json, "block", kernel.block);
          writeList(json, "cluster", kernel.cluster);
          json.attribute("dynamic_smem", kernel.dynamicSmem.json());
          if (kernel.programmaticLaunch)
            json.attribute("programmatic_launch", true);
        });
    });
    json.attributeArray("launches", [&] {
      for (HostLaunch &launch : launches)
        json.object([&] {
          json.attribute("kernel", launch.kernel);
          writeList(json, "grid", launch.grid);
          if (launch.when.constant() != 1)
            json.attribute("when", launch.when.json());
          json.attributeArray("params", [&] {
            for (HostParameter &parameter : launch.parameters)
              ok &= succeeded(writeParameter(json, parameter));
          });
        });
    });
    json.attributeArray("problems", [&] {
      for (HostProblem &problem : problems)
        ok &= succeeded(writeProblem(json, problem));
    });
    if (!rows.empty())
      json.attributeArray("rows", [&] {
        for (HostRows &each : rows)
          writeRows(json, each);
      });
  });
  os << "\n";
  return success(ok);
}

SmallVector<func::FuncOp> tc::findHostFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions, definitions;
  for (auto function : module.getOps<func::FuncOp>()) {
    WalkResult result = function.walk(
        [](gpu::LaunchFuncOp) { return WalkResult::interrupt(); });
    if (result.wasInterrupted())
      functions.push_back(function);
    if (!function.isDeclaration())
      definitions.push_back(function);
  }
  // A function whose outputs are known to be empty launches nothing, which is
  // worth a description too. Kernels without a launch have no host function.
  WalkResult hasKernel = module.walk([](FunctionOpInterface function) {
    return function->getParentOfType<gpu::GPUModuleOp>()
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (functions.empty() && definitions.size() == 1 &&
      !hasKernel.wasInterrupted())
    return definitions;
  return functions;
}

FailureOr<std::string> tc::describeKernels(func::FuncOp function,
                                           StringRef chip) {
  Describer describer(function, chip);
  if (failed(describer.collect()))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  if (failed(describer.write(os)))
    return failure();
  return text;
}
