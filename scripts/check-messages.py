#!/usr/bin/env python3
"""Fails where a message of the compiler is in no test.

Every piece of text of a diagnostic (what is between two values that are printed) that has at least three words is looked for in
the files of test/ and unittests/, where white space counts as one blank. UNREACHABLE names the pieces that no input shows, each
with the reason. --self-test checks that an untested message is found.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

FOLDERS = ("lib/Compiler", "lib/Conversion", "lib/Dialect", "lib/Kernels", "lib/Schedule", "lib/Support", "lib/Target", "lib/TransformOps",
           "lib/Transforms", "lib/Units")
TESTS = ("test", "unittests")
SUFFIXES = {".mlir", ".test", ".cpp", ".py", ".c", ".ptx", ".md", ".json"}

# A piece of a message -> why no input of the compiler shows it.
UNREACHABLE = {
    "it is no convolution with a filter": "a remark asks for the reason of convolutions alone",
    "expected one reduction dimension, K, got": "NormalizeContractions makes one of several",
    "collapse those that are adjacent": "NormalizeContractions makes one of several",
    "expected an output along every loop but the reduction, got indexing map": "linalg refuses maps without a loop, and contractions have no other",
    "expected a matrix along": "NormalizeContractions brings M, N and K to the end",
    "and K in the last two dimensions, got indexing map": "NormalizeContractions brings M, N and K to the end",
    "expected two inputs and one output, got": "contractions have two and one",
    "expected strides that allow a dimension of size 1, got": "MLIR finds strides for all that a strided layout can be expanded to",
    "no operand is a product": "for --debug",
    "expected element types that tcgen05.mma multiplies, got": "the verifier of tmm.matmul refuses the types",
    "cannot be described: expected a buffer that is an argument or an allocation of the function, or a constant":
        "what has block arguments of memrefs is refused as control flow before",
    "expected inline PTX for the op, got none": "upstream has inline PTX for all ops of the interface",
}

# A statement that gives a message to somebody who writes a module, a configuration or a command.
GIVES = re.compile(r"\b(?:emit(?:OpError|Error|Warning|Remark)|attachNote|fail|refuse|error|diag|diagnostic|remark)\b\s*(?:\(|<<|=)|"
                   r"<<\s*\"|return\s+(?:\(|std::string\(|Twine\()?\s*\"|reason|obstacle|expected", re.I)
# A statement whose text is for developers, or no message.
OTHER = re.compile(r"\bassert\(|llvm_unreachable|report_fatal_error|notifyMatchFailure|LLVM_DEBUG|json|\bos\s*<<|\bprinter\s*<<|static_assert")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*.*?\*/|[;{}]|[^"\'/;{}]+|.', re.S)


def statements(text):
    """(line, statement) of C++, without comments."""
    statement, line, start = "", 1, 1
    for token in TOKEN.findall(text):
        if token in ";{}":
            yield start, statement
            statement = ""
        elif not token.startswith(("//", "/*")):
            if not statement.strip():
                start = line + token[:len(token) - len(token.lstrip())].count("\n")
            statement += token
        line += token.count("\n")


def pieces(statement):
    """The texts of a statement, adjacent literals as one."""
    joined = re.sub(r'"\s*"', "", statement)
    for literal in LITERAL.findall(joined):
        text = literal.replace('\\"', '"').replace("\\n", " ").replace("\\'", "'")
        for part in re.split(r"\{\d[^}]*\}", text):
            part = " ".join(part.split()).strip(" ,.:;()'")
            if len(re.findall(r"[A-Za-z]{2,}", part)) >= 3 and " " in part:
                yield part


def messages(text):
    for line, statement in statements(text):
        if GIVES.search(statement) and not OTHER.search(statement):
            for piece in pieces(statement):
                yield line, piece


def corpus(root):
    texts = []
    for folder in TESTS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                texts.append(path.read_text(errors="replace"))
    return " ".join(re.sub(r"[\s\\]+", " ", text) for text in texts)


def untested(sources, tests):
    """(file, line, piece) of each message that `tests` does not have."""
    for name, text in sources:
        for line, piece in messages(text):
            if piece not in tests and piece not in UNREACHABLE:
                yield name, line, piece


def self_test():
    source = 'void f() {\n  op.emitOpError() << "expected no such "\n      "thing at all, got " << x;\n  assert(x && "it is never like this");\n}\n'
    assert list(untested([("f", source)], "")) == [("f", 2, "expected no such thing at all, got")], list(untested([("f", source)], ""))
    assert not list(untested([("f", source)], "// expected-error {{expected no such thing at all, got 3}}"))


def main():
    if "--self-test" in sys.argv[1:]:
        self_test()
        return 0
    sources = [(str(path.relative_to(ROOT)), path.read_text()) for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))
               if path.suffix in (".cpp", ".h")]
    tests = corpus(ROOT)
    found = list(untested(sources, tests))
    for name, line, piece in found:
        print(f"{name}:{line}: no test has the message '{piece}'")
    written = {piece for _, text in sources for _, piece in messages(text)}
    for piece in UNREACHABLE:
        if piece not in written or piece in tests:
            print(f"UNREACHABLE: '{piece}' is in {'a test' if piece in written else 'no message'}")
            found.append(piece)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
