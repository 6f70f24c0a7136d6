"""Every module of the tests that a pass refuses, handed to tc-compile as a user would.

    refusals.py SOURCE_ROOT WORK

The modules are those with an expected-error in the tests of the passes from linalg and tmm down, each split part by
itself. tc-compile may compile one (an earlier pass makes another module of it); what it refuses has to name the place,
an operation, what was expected, and nothing that is not in the module. A tool that crashes or says nothing fails.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys

FOLDERS = ("Compiler", "Conversion/LinalgToTMM", "Conversion/LinalgToGPU", "Conversion/TMMTiles", "Conversion/TMMToSM90",
           "Dialect/TMM", "Units/MMASync", "Units/TCGen05", "Units/WGMMA")
ADVICE = re.compile(r"expected|must|has to|needs|at most|at least|is not (?:supported|linked)|leave |nearest")


def parts(root):
    for folder in FOLDERS:
        for path in sorted((root / "test" / folder).glob("*.mlir")):
            text = path.read_text()
            if "expected-error" not in text or "invalid" in path.name:  # verifiers: the text does not become a module
                continue
            chip = re.search(r"chip=(sm_\w+)", text)
            line = 0
            for number, part in enumerate(text.split("// -----")):
                if "expected-error" in part:
                    # Several folders have a test of this name.
                    yield f"{folder.replace(chr(47), chr(45))}-{path.stem}.{number}.mlir", "\n" * line + part, chip[1] if chip else "sm_100a"
                line += part.count("\n")


def verdict(name, text, chip, work):
    """("compiled" | "not a module" | "refused" | "FAILED", why)."""
    from tclib.refusals import INTERNAL, REFUSAL
    source = work / name
    source.write_text(text)
    done = subprocess.run(["tc-compile", str(source), "-o", str(source.with_suffix(".ptx")), f"--chip={chip}"],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return "compiled", ""
    if done.returncode == 2:
        return "not a module", ""
    error = next((line for line in done.stderr.splitlines() if ": error: " in line), "")
    said = f"status {done.returncode}: {error or done.stderr[:500] or 'nothing'}"
    if done.returncode != 1 or not error:
        return "FAILED", said
    if not REFUSAL.search(error):
        return "FAILED", f"no place, operation or reason: {said}"
    foreign = [word for word in INTERNAL.findall(error.split(": error: ", 1)[1]) if word.strip("'") not in text]
    if foreign:
        return "FAILED", f"names {foreign}, which is not in the module: {said}"
    if not ADVICE.search(error):
        return "FAILED", f"no advice: {said}"
    return "refused", ""


def main():
    root, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sys.path.insert(0, str(root / "test" / "Integration"))
    work.mkdir(parents=True, exist_ok=True)
    found = list(parts(root))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        verdicts = list(pool.map(lambda part: verdict(*part, work), found))
    for (name, _, _), (kind, why) in zip(found, verdicts):
        if kind == "FAILED":
            print(f"{name}: {why}")
    count = {kind: sum(kind == other for other, _ in verdicts) for kind in ("refused", "compiled", "not a module")}
    failures = len(verdicts) - sum(count.values())
    print(f"{len(found)} modules: {', '.join(f'{number} {kind}' for kind, number in count.items())}, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
