#!/usr/bin/env python3
"""Fails on an include that the folders' dependency rules forbid.

The rules are those of docs/Architecture.md, as data: what a folder may include,
and for folders that are layers of one library, their order. --self-test checks
that a forbidden include is found. A folder of lib without a README, or with one
of more than README_LINES lines, fails too.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folder (below lib/ and include/tc/) -> prefixes that it may include. The
# folder itself, the standard library and system headers are always allowed.
LLVM = ["llvm/", "mlir/"]
ALLOWED = {
    "Support": LLVM,
    "Schedule": ["llvm/", "tc/Support/"],
    "Dialect/TMM": LLVM + ["tc/Support/", "tc/Schedule/"],
    "Dialect/TCGen05": LLVM + ["tc/Support/"],
    "Dialect/SM90": LLVM + ["tc/Support/", "tc/Dialect/SM80/"],
    "Dialect/SM80": LLVM + ["tc/Support/"],
    "Kernels/Matmul": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/TMM/", "tc/Kernels/Matmul.h"],
    "Kernels/Formats": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/TMM/", "tc/Kernels/Formats.h"],
    "Conversion/LinalgToRows": LLVM + ["tc/Support/", "tc/Dialect/TMM/", "tc/Conversion/"],
    "Conversion/LinalgToTMM": LLVM + ["tc/Support/", "tc/Dialect/TMM/", "tc/Conversion/"],
    # Pipelines and roles, and what all units do with tiles: mbarriers, and no unit.
    "Conversion/TMMTiles": LLVM + ["tc/Support/", "tc/Dialect/TMM/", "tc/Dialect/SM80/", "tc/Dialect/SM90/", "tc/Conversion/"],
    "Conversion/TMMToSM90": LLVM + ["tc/Support/", "tc/Dialect/TMM/", "tc/Dialect/SM80/", "tc/Dialect/SM90/", "tc/Conversion/"],
    # A folder for each matrix unit. They do not know each other.
    "Units": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/TMM/", "tc/Dialect/SM90/",
                     "tc/Conversion/TMMTiles/"],
    "Units/TCGen05": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/TMM/", "tc/Dialect/TCGen05/",
                             "tc/Dialect/SM90/", "tc/Conversion/TMMTiles/", "tc/Units/TCGen05.h"],
    "Units/MMASync": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/TMM/", "tc/Dialect/SM80/", "tc/Dialect/SM90/",
                             "tc/Conversion/TMMTiles/", "tc/Units/MMASync.h"],
    "Units/WGMMA": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/TMM/", "tc/Dialect/SM90/",
                           "tc/Conversion/TMMTiles/", "tc/Units/WGMMA.h"],
    "Conversion/TCGen05ToNVVM": LLVM + ["tc/Support/", "tc/Dialect/TCGen05/", "tc/Conversion/"],
    "Conversion/SM90HostToLLVM": LLVM + ["tc/Dialect/SM90/", "tc/Conversion/"],
    "Conversion/SM80ToNVVM": LLVM + ["tc/Support/", "tc/Dialect/SM80/", "tc/Conversion/"],
    "Conversion/SM90ToNVVM": LLVM + ["tc/Support/", "tc/Dialect/SM90/", "tc/Conversion/"],
    # Of a unit what its sums are, which the description of a kernel says.
    "Target": LLVM + ["tc/Support/", "tc/Schedule/UnitModel.h", "tc/Dialect/"],
    # Of the runtime a header alone: which GPU this machine has.
    "Transforms": LLVM + ["tc/Support/", "tc/Dialect/TMM/IR/"],
    "TransformOps": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/", "tc/Conversion/"],
    "Compiler": LLVM + ["tc/Support/", "tc/Schedule/", "tc/Dialect/", "tc/Conversion/", "tc/Kernels/", "tc/Target/", "tc/Transforms/",
                        "tc/Units/", "tc/Runtime/CudaLibrary.h"],
    "Plugin": LLVM + ["tc/InitAll.h", "tc/Support/"],
    "Emulator": ["nlohmann/", "tc/Emulator/"],
    "Runtime": ["nlohmann/", "tc/Emulator/", "tc/Runtime/"],
    "CAPI/Emulator": ["tc/Emulator/", "tc/Runtime/"],
    "CAPI/Compiler": LLVM + ["tc/"],
    "HostRuntime": [],
    "CudaRuntime": ["tc/Emulator/", "tc/Runtime/"],
}
# The oracle must not share a line with the compiler.
NEVER = {folder: ["llvm/", "mlir/"] for folder in ("Emulator", "Runtime", "CudaRuntime", "HostRuntime", "CAPI/Emulator")}
# Folder -> its layers from the bottom up. What is in a layer may include its own
# folder and those of layers below; folders of one layer do not know each other.
# Quoted includes are relative to the folder, or to the one above it.
LAYERS = {
    "Emulator": [["Numerics", "Text"],
                 ["State"],
                 ["Engines/TMA", "Engines/TCGen05"],
                 ["Exec/Decode"],
                 ["Exec/Arithmetic", "Exec/AsyncCopy", "Exec/Control", "Exec/Data", "Exec/Logic", "Exec/Mma",
                  "Exec/Sync", "Exec/TCGen05"],
                 ["Sched", "Check", "Certify", "Debug"],
                 ["Launch"]],
    "Runtime": [["Description"], ["Device", "Reference", "Tuning"], ["Session"]],
    "CudaRuntime": [["Core", "Cudart", "Audit"], ["Driver"]],
}
README_LINES = 15
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def folder_of(path: str):
    for folder in sorted(ALLOWED, key=len, reverse=True):
        if path.startswith(folder + "/"):
            return folder
    return None


def layer_of(library: str, path: str):
    """(number of its layer, folder) of a path relative to the library."""
    for number, layer in enumerate(LAYERS[library]):
        for folder in layer:
            if path.startswith(folder + "/"):
                return number, folder
    return None


def layer_errors_of(path: str, text: str):
    """Yields (include, folder) for each include of a layer that is not below."""
    library, _, inner = path.partition("/")
    if library not in LAYERS:
        return
    here = layer_of(library, inner)
    if here is None:
        # Its public headers know no layer, and every source is in one.
        here = -1, library
    for bracket, name in INCLUDE.findall(text):
        there = layer_of(library, name.removeprefix(library + "/")) if bracket == '"' else None
        if there and there[1] != here[1] and there[0] >= here[0]:
            yield name, f"{library}/{here[1]}" if here[0] >= 0 else library
    if here[0] < 0 and path.endswith(".cpp"):
        yield "anything: it is in no layer of LAYERS", path


def errors_of(path: str, text: str):
    """Yields (include, folder) for each forbidden include of the file `path`,
    given relative to lib/ or include/tc/."""
    folder = folder_of(path)
    if folder is None:
        return
    yield from layer_errors_of(path, text)
    for bracket, name in INCLUDE.findall(text):
        if name.startswith(f"tc/{folder}/"):
            continue
        project = name.startswith(("tc/", "llvm/", "mlir/", "nlohmann/"))
        if not project:
            continue  # the same folder (quoted) or a system header
        if any(name.startswith(p) for p in ALLOWED[folder]) and not any(
                name.startswith(p) for p in NEVER.get(folder, [])):
            continue
        yield name, folder


def readme_errors(folders):
    """`folders`: path to the lines of its README, None where there is none."""
    for folder, lines in folders.items():
        if lines is None:
            yield f"{folder}: expected a README.md, got none"
        elif lines > README_LINES:
            yield f"{folder}/README.md: expected at most {README_LINES} lines, got {lines}"


def main():
    if "--self-test" in sys.argv:
        cases = [("Emulator/Exec/Mma/X.cpp", '#include "mlir/IR/Value.h"\n', 1),
                 ("Emulator/Exec/Mma/X.cpp", '#include "tc/Dialect/TCGen05/IR/TCGen05.h"\n', 1),
                 ("Emulator/Exec/Mma/X.cpp", '#include "tc/Emulator/Emulator.h"\n', 0),
                 ("Emulator/State/X.cpp", '#include "Sched/Scheduler.h"\n', 1),
                 ("Emulator/State/X.cpp", '#include "Text/Ast.h"\n#include "State/Machine.h"\n', 0),
                 ("Emulator/Sched/X.cpp", '#include "Check/RaceChecker.h"\n', 1),
                 ("Emulator/Exec/Mma/X.cpp", '#include "Exec/Data/Convert.h"\n', 1),
                 ("Emulator/Exec/Mma/X.h", '#include "Exec/Decode/Lanes.h"\n', 0),
                 ("Emulator/Exec/X.cpp", '#include "State/Machine.h"\n', 2),
                 ("Emulator/Trace.h", '#include "State/Machine.h"\n', 1),
                 ("Dialect/TMM/IR/X.cpp", '#include "tc/Dialect/SM90/IR/SM90.h"\n', 1),
                 ("Dialect/TMM/IR/X.cpp", '#include "mlir/IR/Value.h"\n', 0),
                 ("Dialect/SM80/IR/X.cpp", '#include "tc/Dialect/SM90/IR/SM90.h"\n', 1),
                 ("Dialect/SM90/IR/X.cpp", '#include "tc/Dialect/SM80/IR/SM80.h"\n', 0),
                 ("Units/WGMMA/X.cpp", '#include "tc/Units/TCGen05.h"\n', 1),
                 ("CAPI/Emulator/X.cpp", '#include "tc/Compiler/Pipelines.h"\n', 1),
                 ("CAPI/Compiler/X.cpp", '#include "tc/Compiler/Pipelines.h"\n', 0),
                 ("Runtime/Device/X.cpp", '#include "Runtime/Reference/Quantization.h"\n', 1),
                 ("Runtime/Session/X.cpp", '#include <llvm/Support/JSON.h>\n', 1)]
        for path, text, count in cases:
            found = list(errors_of(path, text))
            assert len(found) == count, (path, text, found)
        assert len(list(readme_errors({"lib/A": None, "lib/B": README_LINES + 1, "lib/C": README_LINES}))) == 2
        print("check-includes: self-test passed")
        return 0
    bad = 0
    for base in (ROOT / "lib", ROOT / "include" / "tc"):
        for file in sorted(base.rglob("*")):
            if file.suffix not in (".h", ".cpp", ".inc", ".def"):
                continue
            for name, folder in errors_of(str(file.relative_to(base)), file.read_text()):
                print(f"{file.relative_to(ROOT)}: {folder} may not include {name}")
                bad += 1
    readmes = {str(folder.relative_to(ROOT)): folder / "README.md" for folder in sorted((ROOT / "lib").rglob("*"))
               if folder.is_dir() and not folder.name.startswith(".")}
    for error in readme_errors({folder: len(file.read_text().splitlines()) if file.exists() else None
                                for folder, file in readmes.items()}):
        print(error)
        bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
