"""The labels of constraints: what a description states, a verifier enforces and a test shows broken.

A description (.td) lists rules of an operation, type, attribute or pass as "* C1: ...".
Rule C1 of operation `mma` of the dialect tcgen05 has the label tcgen05_mma_c1. The
label is in a comment of the code that enforces it, and in the name of a function, module
or type of a test that expects an error. What lacks either is listed.

    labels.py SOURCE_ROOT [DIALECT...]
"""
import pathlib
import re
import sys

PREFIX = {"TCGen05": "tcgen05", "SM90": "sm90", "SM80": "sm80", "TMM": "tmm"}
# A pass whose rules are about kernels, not about its name.
RENAMED = {"tcgen05_verify_kernels": "tcgen05_kernel"}


def labels_of(path, dialect):
    """The labels that a .td file states, with their lines."""
    text = path.read_text()
    for found in re.finditer(r"^def (\w+)(.*?)(?=^def |\Z)", text, re.M | re.S):
        body = found.group(2)
        head = body[:body.find("{")]
        # The name of a class of C++ may come before the mnemonic.
        quoted = re.search(r'"([a-z0-9_.\-]+)"', head)
        mnemonic = re.search(r'let mnemonic = "([\w.]+)"', body)
        name = mnemonic.group(1) if mnemonic else quoted.group(1) if quoted else found.group(1)
        name = re.sub(r"[.\-]", "_", name)
        if not name.startswith(dialect + "_"):
            name = f"{dialect}_{name}"
        name = RENAMED.get(name, name)
        for rule in re.finditer(r"^\s*\* (C\d+[\dC, to]*):", body, re.M):
            line = text.count("\n", 0, found.start(2) + rule.start(1)) + 1
            for first, last in re.findall(r"C(\d+)(?: to C(\d+))?", rule.group(1)):
                for number in range(int(first), int(last or first) + 1):
                    yield f"{name}_c{number}", f"{path.name}:{line}"


def main():
    root = pathlib.Path(sys.argv[1])
    dialects = sys.argv[2:] or list(PREFIX)
    code = "".join(path.read_text() for path in sorted((root / "lib").rglob("*.cpp")) + sorted((root / "include").rglob("*.td")))
    enforced = set(re.findall(r"//.*?\b(\w+_c\d+)\b", code)) | set(re.findall(r"\b((?:tcgen05|sm90|sm80|tmm)_\w+_c\d+)\b", code))
    tests = set()
    for path in sorted((root / "test").rglob("*.mlir")):
        text = path.read_text()
        if "expected-error" not in text and "not tc-" not in text:
            continue
        for name in re.findall(r"[@!#%](\w+_c\d+\w*)", text) + re.findall(r"//.*?\b(\w+_c\d+\w*)", text):
            tests.add(name)
    missing = count = 0
    for dialect in dialects:
        folder = root / "include/tc/Dialect" / dialect
        for path in sorted(folder.rglob("*.td")):
            for label, where in labels_of(path, PREFIX[dialect]):
                count += 1
                if label not in enforced:
                    missing += 1
                    print(f"{where}: {label}: expected code that enforces it, with the label in a comment")
                if not any(re.match(rf"{label}(?!\d)", test) for test in tests):
                    missing += 1
                    print(f"{where}: {label}: expected a test that breaks it, with a name that starts with the label")
    print(f"{count} labels, {missing} without code or test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
