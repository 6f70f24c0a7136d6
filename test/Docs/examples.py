"""The examples in the descriptions of operations, types, attributes and passes are parsed and verified.

An example is a block of ```mlir after a line that starts with "Example" in a .td file. It
is the body of a function: values that it uses and does not define are defined before it,
with the types that the parser asks for. Lines that are types or attributes are put into an
operation that has them. Where an example needs a kernel around it, the line before the
block says "in a kernel". What an example may use besides is in Inputs/context.mlir.

    examples.py SOURCE_ROOT WORK_FOLDER [DIALECT...]
"""
import pathlib
import re
import subprocess
import sys
import textwrap

FOLDERS = ("Dialect/TCGen05", "Dialect/SM90", "Dialect/SM80", "Dialect/TMM", "TransformOps")
TOP_LEVEL = re.compile(r"\s*(func\.func|gpu\.module|module)\b", re.M)
ROUNDS = 60


class Example:
    def __init__(self, where, owner, text):
        self.where, self.owner = where, owner
        self.types = {}  # of values that are used and not defined
        self.error = None
        lines, self.aliases, bare = [], [], 0
        # A type over several lines.
        text = re.sub(r"^(\s*(?:memref|vector|tensor)<[^\n]*),\s*\n\s*", r"\1, ", text, flags=re.M)
        for line in textwrap.dedent(text).splitlines():
            code = line.split("//")[0].rstrip()
            if re.match(r"[!#][\w]+ = ", code):
                self.aliases.append(code)
            elif re.match(r"![\w.]+(<.*>)?$", code):
                lines.append(f'"test.use"() {{t = {code}}} : () -> ()')
            elif re.match(r"#[\w.]+(<.*>)?$", code):
                lines.append(f'"test.use"() {{a = {code}}} : () -> ()')
            elif re.match(r"(memref|vector|tensor)<.*>$", code):
                lines.append(f'"test.use"() {{t = {code}}} : () -> ()')
            else:
                lines.append(line)
        self.body = "\n".join(lines)

    def add_context(self, path, context):
        """Puts before the example what `context` has for its file and its definition."""
        for names, types, operations in context:
            if path.name in names or self.owner in names:
                self.aliases = types + self.aliases
                self.body = "\n".join(operations + [self.body])

    def text(self):
        aliases = "\n".join(self.aliases)
        if TOP_LEVEL.match(self.body):
            return f"{aliases}\n{self.body}\n"
        defined = "\n".join(f'  {names} = "test.def"() : () -> ({kind})' for names, kind in self.types.items())
        body = textwrap.indent(self.body, "  ")
        if self.kernel:
            return f"""{aliases}
gpu.module @m {{
gpu.func @example() kernel attributes {{known_block_size = array<i32: 128, 1, 1>}} {{
{defined}
{body}
  gpu.return
}}
}}
"""
        return f"""{aliases}
func.func @example() {{
{defined}
{body}
  return
}}
"""

    kernel = False

    def definitions(self):
        for name, kind in self.types.items():
            found = re.fullmatch(r"(%\w+)#(\d+)", name)
            yield name, kind

    def learn(self, message):
        """Takes a type from what the parser says; whether there was something to learn."""
        if found := re.search(r"use of undeclared SSA value name", message):
            return False
        if found := re.search(r"use of value '(%[\w#]+)' expects different type than prior uses: '(.*)' vs '(.*?)'$", message, re.M):
            name, wanted = found.group(1), found.group(2)
            if name not in self.types or self.types[name] == wanted:
                return False
            self.types[name] = wanted
            return True
        return False


def undefined(body):
    """Names that are used and that nothing in the text defines."""
    body = re.sub(r"//.*", "", body)
    used = dict.fromkeys(re.findall(r"%[A-Za-z_]\w*", body))
    defined = set()
    for line in body.splitlines():
        if found := re.match(r"\s*((?:%\w+(?::\d+)?,?\s*)+)=\s", line):
            defined |= set(re.findall(r"%\w+", found.group(1)))
        for group in re.findall(r"\^\w+\(([^)]*)\)|\(((?:%\w+: [^,()]+(?:, )?)+)\)", line):
            defined |= set(re.findall(r"(%\w+)\s*:", group[0] or group[1]))
        for name in re.findall(r"\b(?:for|iter_args\()\s*\(?(%\w+)", line):
            defined.add(name)
        for name in re.findall(r"epilogue\((%\w+)", line):
            defined.add(name)
        for name in re.findall(r"(%\w+) = ", line):
            defined.add(name)
    return [name for name in used if name not in defined]


def read_context():
    """The sections of Inputs/context.mlir: names, aliases of types, operations."""
    sections = []
    for line in (pathlib.Path(__file__).parent / "Inputs/context.mlir").read_text().splitlines():
        if line.startswith("// FOR "):
            sections.append((line.split()[2:], [], []))
        elif line.startswith("!"):
            sections[-1][1].append(line)
        elif line.strip() and not line.startswith("//"):
            sections[-1][2].append(line)
    return sections


def examples_in(path, context):
    text = path.read_text()
    owner = "?"
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if found := re.match(r"def (\w+)", line):
            owner = found.group(1)
        if line.strip() != "```mlir":
            continue
        # The paragraph before the block.
        before = number - 1
        while before > 0 and not lines[before].strip():
            before -= 1
        head = before
        while head > 0 and lines[head].strip():
            head -= 1
        introduction = " ".join(lines[head + 1:before + 1]).strip()
        if not introduction.startswith("Example"):
            continue
        end = next(i for i in range(number + 1, len(lines)) if lines[i].strip() == "```")
        example = Example(f"{path.name}:{number + 2}", owner, "\n".join(lines[number + 1:end]))
        example.kernel = "in a kernel" in introduction
        example.add_context(path, context)
        yield example


def parse(examples, work):
    """Sets the error of each example, all of them in one run."""
    separator = "// -----\n"
    texts, starts, line = [], [], 1
    for example in examples:
        text = example.text()
        starts.append(line)
        texts.append(text)
        line += text.count("\n") + 1
        example.error = None
    (work / "examples.mlir").write_text(separator.join(texts))
    done = subprocess.run(["tc-opt", "--allow-unregistered-dialect", "--split-input-file", "--mlir-print-op-on-diagnostic=false",
                           "examples.mlir", "-o", "/dev/null"], cwd=work, capture_output=True, text=True)
    for found in re.finditer(r"examples\.mlir:(\d+):\d+: error: (.*)", done.stderr):
        at = int(found.group(1))
        index = max(i for i, start in enumerate(starts) if start <= at)
        if examples[index].error is None:
            examples[index].error = found.group(2)
    if done.returncode and not any(example.error for example in examples):
        sys.exit(f"examples: tc-opt failed: {done.stderr[:2000]}")


def settle(examples, work):
    """Finds the types of what examples use and do not define, and sets the error of each."""
    for example in examples:
        example.types = {name: "none" for name in undefined(example.body)}
    for _ in range(ROUNDS):
        parse(examples, work)
        if not [example for example in examples if example.error and example.learn(example.error)]:
            break


def main():
    root, work = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    examples, context = [], read_context()
    folders = [f"Dialect/{dialect}" for dialect in sys.argv[3:]] or FOLDERS
    for folder in folders:
        for path in sorted((root / "include/tc" / folder).rglob("*.td")):
            examples += examples_in(path, context)
    settle(examples, work)
    bad = [example for example in examples if example.error]
    for example in bad:
        print(f"{example.where}: {example.owner}: {example.error}")
    print(f"{len(examples)} examples, {len(bad)} that do not parse or verify")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
