#!/usr/bin/env python3
"""Fails where the middle of the compiler names a chip or a part of one.

The passes that make, deepen, cut and lower pipelines and roles ask interfaces
(include/tc/Support/Pipelining.td). They name no chip, unit, engine, memory space
of tiles, scheduler or payload, and include no header of a back end; that of sm90
is what pipelines and roles are lowered to, mbarriers and elect, and of its names
the ops alone are allowed. Every file of FOLDERS is checked, a new one included,
but for EXCEPT, which gives the reason for each file. Those that make, cut and lower
pipelines (PIPELINES) name ops and attributes of a list alone. No file but those of
KNOWS names an op that becomes a kernel: passes and tools ask its family.
--self-test checks that each rule finds its breach and that a new file is checked.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

PIPELINE = "lib/Dialect/TMM/Pipeline/"
LOWERING = "lib/Conversion/TMMToSM90/"
DIALECT = "lib/Dialect/TMM/IR/"
INTERFACE = "include/tc/Dialect/TMM/IR/"
FOLDERS = (PIPELINE, LOWERING, DIALECT, INTERFACE)

# An op to which a folder here attaches the interface of families is named there and in the rest of KNOWS alone.
FAMILIES = "lib/Kernels/"
# What defines these ops, what makes them of upstream's, and what configures and fuses one that a schedule names.
KNOWS = (FAMILIES, DIALECT, INTERFACE, "lib/Conversion/LinalgToRows/", "include/tc/Conversion/LinalgToTMM/",
         "lib/Conversion/LinalgToTMM/", "lib/Conversion/RowsToAttention/", "lib/TransformOps/")

# Files of FOLDERS that are not of the middle -> why they may name parts of a chip.
EXCEPT = {
    LOWERING + "KernelInterface.cpp": "makes parameters of matrices, by the ops that access them",
    LOWERING + "TensorMaps.cpp": "makes tensor maps for the ops that TMA executes",
    LOWERING + "WindowMaps.cpp": "makes tensor maps for the ops that TMA executes",
    LOWERING + "TmaChecks.cpp": "checks what TMA asks of matrices",
    DIALECT + "TMMAgents.cpp": "defines the engine of threads",
    DIALECT + "TMMAttrs.cpp": "defines the attributes of configurations",
    INTERFACE + "KernelFamily.h": "what families of kernels are asked, for a chip",
    INTERFACE + "TMMAttrs.h": "defines the attributes of configurations",
    INTERFACE + "MatrixUnit.h": "what a matrix unit says of tiles and of configurations",
    DIALECT + "MatrixUnit.cpp": "says which matrix units a chip has",
    DIALECT + "TMMProblemTiling.cpp": "makes tile ops of a problem",
    DIALECT + "TMMSchedulerAttrs.cpp": "defines the static schedulers",
    DIALECT + "TMMRegisterOps.cpp": "defines the ops on register tiles",
    DIALECT + "TMMTileOps.cpp": "defines the tile ops",
    DIALECT + "TMMWorkOps.cpp": "defines the ops on work items",
}

# What a rule is about -> the pattern of its breaches.
NAMES = {
    "a chip": r"\bsm_\d+|hasTcgen05|\bchip\b|[Bb]lackwell|[Hh]opper",
    "a matrix unit": r"[Tt]cgen05|[Ww]gmma|mma\.sync|\bMmaOp\b",
    "an engine": r"\bTma\w*Attr\b|\bMmaAttr\b|\bCpAttr\b|\bClcAttr\b|\bCounterAttr\b|\bThreadsAttr\b|\btma\b|\bTMA\b|"
                 r"\b(?:Load|Unload|Stage|Read|Fetch|Store|Copy|Write)Op\b",
    "a memory space": r"\bSmemAttr\b|\bTmemAttr\b|\bScalesAttr\b|\bSwizzle\w*|\btmem\b|[Tt]ensor [Mm]emory",
    "a scheduler": r"\b(?:Static|Grouped)Scheduler\w*|\bclc\b|cluster launch control|Scheduler::counter\b|\braster\b",
    "a payload": r"\bRequestWorkOp\b|\bQueryWorkOp\b",
    "a role, a dialect or an op by its text": r'"(?:load|mma|epilogue|sm80|sm90|tcgen05)\b|"tmm\.\w+"',
}
HEADERS = re.compile(r'^\s*#\s*include\s*["<]((?:\.\./)+[^">]*|'
                     r'tc/(?:Dialect/(?!TMM/)|Conversion/(?!Passes\.h|TMMToSM90/)|Target|Schedule|Units)[^">]*)[">]', re.M)
# Allowed there: what pipelines and roles become.
LOWERED = {"tc/Dialect/SM90/IR/SM90.h", "tc/Conversion/TMMTiles/ClusterTables.h"}


# Where passes that make, deepen, cut and lower pipelines are, and what those share:
# they name the protocol, roles, upstream's control flow, and what is listed here.
PIPELINES = (PIPELINE, LOWERING, DIALECT + "Pipeline", DIALECT + "TMMPipelineOps", INTERFACE + "PipelineEnds")
PROTOCOL = {
    "AllocOp", "PipelineOp", "PipelineStartOp", "ProducerAcquireOp", "ProducerCommitOp", "ProducerInspectOp",
    "ProducerTailOp",
    "ConsumerWaitOp", "ConsumerReleaseOp", "SkipOp", "HoldOp", "ReleaseHeldOp", "HeldSlotType", "SlotOp", "RoleOp",
    "LoopOp", "ResumeOp", "DeferOp", "WarpSpecializeOp", "TakeTurnOp", "PassTurnOp", "TurnAttr", "IssueOp", "AwaitOp", "YieldOp",
    "StorageOp", "TileSlotOp",
    # Of MLIR.
    "ModuleOp", "GPUFuncOp", "DictionaryAttr", "StringAttr", "UnitAttr",
}
UPSTREAM = {"mlir", "arith", "scf", "gpu", "ub", "tmm"}
# What pipelines and roles become.
BECOME = {"MBarrierSignalAttr", "ClusterArriveOp", "ClusterWaitOp", "ElectOp", "NamedBarrierOp", "SetMaxRegistersOp",
          "SmemAllocOp"}
# File -> what it names besides, because that is what it is about.
BESIDES = {
    PIPELINE + "LowerScheduler.cpp": r"SchedulerOp|(?:First|Next)WorkOp|Work(?:At|Count|Valid|Tile|End|Batch)Op",
    LOWERING + "KernelInterface.h": r"ExtractStridedMetadataOp",
}
NAMED = re.compile(r"(?:\b(\w+)::)?\b([A-Z]\w*(?:Op|Attr))\b")


def unlisted(path: str, text: str):
    """Yields the ops and attributes that a pass on pipelines names without leave."""
    if not path.startswith(PIPELINES):
        return
    for number, line in enumerate(strip_comments(text).splitlines(), 1):
        for space, name in NAMED.findall(line):
            if re.fullmatch(BESIDES.get(path, "$"), name):
                continue
            allowed = BECOME if space == "sm90" else PROTOCOL if space in ("", "tmm", "mlir") else None
            if space not in UPSTREAM | {"", "sm90"} or (allowed is not None and name not in allowed):
                yield (f"{path}:{number}: names {space + '::' if space else ''}{name}, which is not on the list of what "
                       "passes on pipelines may name")


def family_ops(texts) -> set:
    """The ops that become kernels, by the sources of their families."""
    return {name for text in texts for name in re.findall(r"\b(\w+Op)::attachInterface<", text)}


def families(path: str, text: str, ops: set):
    """Yields the ops of families that a pass or a tool names."""
    if path.startswith(KNOWS):
        return
    for number, line in enumerate(strip_comments(text).splitlines(), 1):
        for space, name in NAMED.findall(line):
            if name in ops and space in ("", "tmm"):
                yield f"{path}:{number}: names {name}, which its family of kernels alone may know"


def middle(files, exceptions) -> tuple:
    """The files to check among `files`, and the errors of the list of exceptions."""
    sources = [path for path in files if path.endswith((".cpp", ".h"))]
    errors = [f"{path}: expected a file that is excepted, got none" for path in exceptions if path not in sources]
    return sorted(path for path in sources if path not in exceptions), errors


def strip_comments(text: str) -> str:
    # A string may hold what looks like a comment.
    return re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*', lambda found: found.group(1) or "", text)


def breaches(path: str, text: str):
    """Yields what the file `path`, with `text`, breaks."""
    for header in HEADERS.findall(text):
        if not (path.startswith(LOWERING) and header in LOWERED):
            yield f"{path}: includes {header}, the header of a back end"
    for number, line in enumerate(strip_comments(text).splitlines(), 1):
        for what, pattern in NAMES.items():
            if found := re.search(pattern, line):
                yield f"{path}:{number}: names {what}, {found.group(0)}"
    yield from unlisted(path, text)


def superfluous(path: str, text: str) -> list:
    """An error where an excepted file breaks no rule, and so should be checked."""
    return [] if list(breaches(path, text)) else [f"{path}: excepted, but it breaks no rule"]


def self_test() -> list:
    """A line of each kind that must be found, and lines that must not."""
    bad = ['if (chip == "sm_100a")', "isa<tcgen05::MmaOp>(op)", "isa<sm90::TmaAttr>(engine)", "dyn_cast<LoadOp>(op)",
           "isa<sm90::SmemAttr>(space)", "isa<StaticSchedulerAttr>(rule)", "isa<QueryWorkOp>(op)",
           "isa<sm90::CounterAttr>(engine)",
           "NVVM::Tcgen05MmaOp op;", "isa<tmm::CopyOp>(op)", "sm90::SwizzleAttr swizzle;", 'if (name == "mma")',
           'getNamespace() == "sm90"', 'getStringRef() == "tmm.load"', 'url("https://x", isa<LoadOp>(op))',
           "#include <tc/Dialect/TCGen05/IR/TCGen05.h>", '#include "../TCGen05/Rows.h"',
           '#include "tc/Dialect/TCGen05/IR/TCGen05.h"', '#include "tc/Units/TCGen05.h"']
    good = ["sm90::NamedBarrierOp::create(b, loc)", '#include "tc/Dialect/SM90/IR/SM90.h"', "// TMA and tcgen05",
            '#include "tc/Dialect/TMM/IR/TMMOps.h"', "engine.getCompletion().isOfIssuer()",
            '"expected an operand of tmm.pipeline, got "']
    errors = [f"not found: {line}" for line in bad if not list(breaches(LOWERING + "Roles.cpp", line))]
    errors += [f"found: {line}" for line in good if list(breaches(LOWERING + "Roles.cpp", line))]
    for line in ("isa<CountRequestOp>(op)", "isa<PrefetchOp>(op)", "sm90::MBarrierArriveOp::create(b, loc)",
                 "isa<tcgen09::AnyOp>(op)", "isa<test_unit::MoverAttr>(engine)"):
        if not list(unlisted(LOWERING + "Pipelines.cpp", line)):
            errors.append(f"not found in a pass on pipelines: {line}")
    for line in ("isa<ProducerAcquireOp>(op)", "sm90::NamedBarrierOp::create(b, loc)", "dyn_cast<scf::ForOp>(op)"):
        if list(unlisted(LOWERING + "Pipelines.cpp", line)):
            errors.append(f"found in a pass on pipelines: {line}")
    ops = family_ops(["MatmulOp::attachInterface<MatmulFamily>(*context);"])
    for path, line, count in (("lib/Dialect/TMM/Configure/New.cpp", "walk([&](MatmulOp op) {})", 1),
                              ("tools/tc-tune/Tune.cpp", "using tc::tmm::MatmulOp;", 1),
                              ("tools/tc-tune/Tune.cpp", "walk([&](KernelFamilyOpInterface op) {}) // MatmulOp", 0),
                              ("lib/Transforms/New.cpp", "isa<linalg::MatmulOp>(op)", 0),
                              (DIALECT + "TMMProblemOps.cpp", "MatmulOp::verify()", 0),
                              (FAMILIES + "Matmul/Matmul.cpp", "cast<MatmulOp>(op)", 0)):
        if len(list(families(path, line, ops))) != count:
            errors.append(f"expected {count} ops of a family in {path}: {line}")
    if not list(breaches(PIPELINE + "Pipeline.cpp", good[1])):
        errors.append("not found: sm90 in a pass of tmm")
    new, gone, kept = PIPELINE + "New.cpp", PIPELINE + "Gone.cpp", PIPELINE + "Kept.cpp"
    if middle([new, kept, PIPELINE + "CMakeLists.txt"], {kept: "why"}) != ([new], []):
        errors.append("not found: a new file, and no other")
    if len(middle([new], {gone: "why"})[1]) != 1:
        errors.append("not found: an exception without a file")
    if len(superfluous(new, good[0])) != 1 or superfluous(new, bad[0]):
        errors.append("not found: an exception that breaks no rule, and no other")
    return errors


def main() -> int:
    if "--self-test" in sys.argv[1:]:
        errors = self_test()
    else:
        read = lambda path: (ROOT / path).read_text()
        files = [str(file.relative_to(ROOT)) for folder in FOLDERS for file in (ROOT / folder).rglob("*")]
        checked, errors = middle(files, EXCEPT)
        for path in checked:
            errors += breaches(path, read(path))
        for path in set(EXCEPT) & set(files):
            errors += superfluous(path, read(path))
        sources = lambda folder: [file for file in (ROOT / folder).rglob("*") if file.suffix in (".cpp", ".h")]
        ops = family_ops(file.read_text() for file in sources(FAMILIES))
        if not ops:
            errors.append(f"{FAMILIES}: expected families of kernels, got none")
        for file in (file for folder in ("include", "lib", "tools") for file in sources(folder)):
            errors += families(str(file.relative_to(ROOT)), file.read_text(), ops)
    for error in errors:
        print(f"check-middle: {error}", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
