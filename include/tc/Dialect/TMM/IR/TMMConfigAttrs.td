//===- TMMConfigAttrs.td - configurations as attributes ----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attribute for each part of the configuration of a matmul, and one for the
// whole, made from the records of tc/Schedule/MatmulConfig.td.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMCONFIGATTRS_TD
#define TC_DIALECT_TMM_IR_TMMCONFIGATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Schedule/MatmulConfig.td"

def TMM_CacheHintAttr : EnumAttr<TMM_Dialect, TC_CacheHint, "cache_hint"> {
  let cppNamespace = "::tc::tmm";
}

/// The rows of a table of `part`'s fields.
class TMM_FieldTable<ConfigPart part> {
  string text = !interleave(!foreach(f, part.fields,
      "| `" # f.name # "` | " # f.meaning # " |"), "\n");
}

/// A part: it holds the plain data, and its text lists the fields that are set.
class TMM_ConfigPartAttr<ConfigPart part>
    : AttrDef<TMM_Dialect, part.name # "Config"> {
  let mnemonic = part.word # "_config";
  let summary = part.summary;
  let description = "| field | meaning |\n|---|---|\n" #
                    TMM_FieldTable<part>.text # "\n";
  let parameters = !dag(
      ins, ["::tc::schedule::" # part.name # "Config"], ["value"]);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser &parser,
                                       ::mlir::Type) {
      return parsePartAttr<$cppClass>(parser);
    }
    void $cppClass::print(::mlir::AsmPrinter &printer) const {
      printPartAttr(printer, *this);
    }
    ::llvm::LogicalResult $cppClass::verify(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        PartOf<$cppClass> value) {
      return verifyPart(emitError, value);
    }
  }];
}

foreach part = TC_MatmulConfig.parts in
  def TMM_ # part.name # ConfigAttr : TMM_ConfigPartAttr<part>;

/// The getters of one field: one for each of its members.
class TMM_FieldGetters<ConfigField row> {
  string text = !interleave(!foreach(member, row.members,
      "/// " # row.meaning # "\n"
      "::std::optional<" # row.kind.cppType # "> get" #
      !toupper(!substr(member, 0, 1)) # !substr(member, 1) #
      "() const { return getValues()." # member # "; }\n"), "");
}

class TMM_PartGetters<ConfigPart part> {
  string text = !interleave(
      !foreach(f, part.fields, TMM_FieldGetters<f>.text), "");
}

def TMM_ConfigAttr : AttrDef<TMM_Dialect, "Config"> {
  let mnemonic = "config";
  let summary = "how a matrix multiplication is computed";
  let description = [{
    A part for each concern, and in each part fields. Every field is optional;
    those that are not set are chosen by `tmm-choose-config`. The command line
    writes the same fields without parts, as `tile=128x256x64 stages=4`.
    `docs/Configuration.md` lists them.

    Example:

    ```mlir
    #tmm.config<tile = <shape = 128x256x64, cta_group = 1>, ring = <stages = 4, swizzle = 128B>>
    ```
  }];
  let parameters = !dag(ins,
      !foreach(part, TC_MatmulConfig.parts,
               OptionalParameter<"::tc::tmm::" # part.name # "ConfigAttr",
                                 part.summary>),
      !foreach(part, TC_MatmulConfig.parts, part.word # "Part"));
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// The configuration of these fields.
    static ConfigAttr get(::mlir::MLIRContext *context,
                          const ::tc::schedule::MatmulConfig &values);
    /// All fields as plain data.
    ::tc::schedule::MatmulConfig getValues() const;
    /// M, N and K of the tile, and the CTAs of the cluster along M and N; empty
    /// where they are not set.
    ::llvm::SmallVector<int64_t> getTile() const;
    ::llvm::SmallVector<int64_t> getCluster() const;
  }] # !interleave(!foreach(part, TC_MatmulConfig.parts,
                            TMM_PartGetters<part>.text), "");
  let extraClassDefinition = [{
    $cppClass $cppClass::get(::mlir::MLIRContext *context,
                             const ::tc::schedule::MatmulConfig &values) {
      return get(context}] # !interleave(!foreach(part, TC_MatmulConfig.parts,
          ", getPart<" # part.name # "ConfigAttr>(context, values)"), "") # [{);
    }
    ::tc::schedule::MatmulConfig $cppClass::getValues() const {
      ::tc::schedule::MatmulConfig values;
    }] # !interleave(!foreach(part, TC_MatmulConfig.parts,
          "  setPart(values, get" # part.name # "Part());\n"), "") # [{
      return values;
    }
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMCONFIGATTRS_TD
