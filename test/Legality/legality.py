"""Every combination of tcgen05.mma through the verifiers, and every instruction text
through ptxas, for every target.

    legality.py --tool tc-legality --compile tc-compile --work FOLDER [--every N] [--targets sm_100a,...]

tc-legality compares the verifiers with the ISA's tables, written down apart from them,
and lowers what verifies. Then each instruction that differs in text, legal or not, is
assembled once for each target, all of one cta_group in one kernel. What the compiler
made of the legal ones must be the text that is written here by hand.
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Integration"))
from tclib.results import Results  # noqa: E402

TARGETS = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f")
PTXAS = os.environ.get("TC_PTXAS") or "ptxas"
SCALED = ("mxf8f6f4", "mxf4", "mxf4nvf4")
# What ptxas takes although the verifiers refuse it, by the beginning of the refusal.
EXPLAINED = {
    "expected no scale_vec with wide_k": "of .scale_vec with a K of 64 sources disagree; the size of a block says the same",
    "expected no scale_d for kind": "the ISA has scale-input-d for f16 and tf32 only; ptxas takes it with i8, too",
}
# What ptxas 13.5 fails of its own on (test/Ptxas/ti16-scaled-d.ptx): no kernel with one assembles.
FAILS = re.compile(r"\.kind::ti16.* p, \d+;$")
SINGLES = "metadata of 4-bit elements name single elements on sm_107a, which no operation has"


def has_rubin():
    """Whether ptxas is one of CUDA 13.4 or later, which knows sm_107."""
    found = re.search(r"release 13\.(\d+)", subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout)
    return bool(found) and int(found.group(1)) >= 4


def text_of(key):
    """The instruction of a form: operands are registers of one name for each role."""
    words = key.split()
    op, kind, group, density, place = words[0], words[1], words[2][3:], words[3], words[4]
    rest = words[5:]
    sparse, tmem = density == "sparse", place == "tmem"
    text = "tcgen05.mma" + (".ws" if op == "mma_ws" else "") + (".sp" if sparse else "")
    text += f".cta_group::{group}.kind::{kind}"
    if op == "mma_block_scale":
        block = int(rest[2][5:])
        k = {"mxf8f6f4": 32, "mxf4": 64, "mxf4nvf4": 64}.get(kind, 32)
        if "scale_vec" in rest:
            suffix = f".scale_vec::{k // block}X"
        else:
            suffix = "" if kind != "mxf4nvf4" and block == 32 else f".block{block}"
        text += ".block_scale" + suffix
    text += ".ashift" if "ashift" in rest else ""
    text += ".decompress::lut::b" if density == "lookup" else ""
    text += f".collector::{rest[0]}"
    if rest[-1].startswith("b::"):
        text += f".collector::{rest[-1]}"
    operands = ["[d]", "[a]" if tmem else "a", "b"] + (["[e]"] if sparse else []) + (["[t]"] if density == "lookup" else []) + ["i"]
    if op == "mma_block_scale":
        operands += ["[s]", "[s]"]
    for lanes in (4, 8):
        if f"disable{lanes}" in rest:
            operands.append("{" + ", ".join(["l"] * lanes) + "}")
    operands.append("p")
    operands += [word[5:] for word in rest if re.fullmatch(r"scale\d+", word)]
    if "mask" in rest:
        operands.append("m")
    return f"{text} {', '.join(operands)};"


def kind_in(text):
    """The kind in the text of an instruction, and whether A is sparse, or else in Tensor Memory."""
    kind = re.search(r"\.kind::(\w+)", text).group(1)
    return kind + (" sparse" if ".sp." in text else " tmem" * (", [a]," in text))


def lines_of(ptx):
    """The tcgen05.mma of each function of compiled PTX, registers without names."""
    out, name = {}, None
    for line in ptx.splitlines():
        if found := re.search(r"\.entry\s+f(\d+)\(", line):
            name = int(found.group(1))
        if "tcgen05.mma" in line:
            out[name] = line.strip()
    return out


def same(ours, expected):
    """Whether the compiler's line is the text, up to the names of registers."""
    name, operands = ours.split(None, 1)
    wanted_name, wanted = expected.split(None, 1)
    pattern = re.escape(wanted)
    for role in "[d]", "[a]", "[e]", "[s]", "[t]":
        pattern = pattern.replace(re.escape(role), r"\[%\w+(\+\d+)?\]")
    pattern = re.sub(r"(?<![\w\\%])([abipml])(?!\w)", r"(%\\w+|-?\\d+)", pattern)
    # LLVM 22 writes .ashift after the collector where no lanes are disabled; ptxas takes both.
    return sorted(name.split(".")) == sorted(wanted_name.split(".")) and re.fullmatch(pattern, operands) is not None


KERNEL = """.version {version}
.target {target}
.address_size 64
.visible .entry k() {{
  .reg .b32 d, e, i, s, t, l, at;
  .reg .b64 a, b, m;
  .reg .pred p;
"""


def assemble(work, target, texts):
    """Those of `texts`, of one cta_group, that ptxas takes, and how many runs it needed."""
    left, runs = [text for text in texts if not FAILS.search(text)], 0
    while left:
        head = KERNEL.format(target=target, version="9.4" if "sm_107" in target else "9.0")
        first = head.count("\n") + 1
        body = "".join(f"  {text.replace('[a]', '[at]')}\n" for text in left)
        (work / "forms.ptx").write_text(head + body + "  ret;\n}\n")
        done = subprocess.run([PTXAS, f"-arch={target}", "forms.ptx", "-o", "forms.cubin"], cwd=work, capture_output=True, text=True)
        runs += 1
        if done.returncode == 0:
            break
        bad = {int(line) - first for line in re.findall(r"line (\d+); error", done.stdout + done.stderr)}
        if not any(0 <= index < len(left) for index in bad):
            sys.exit(f"legality: ptxas failed without a line: {(done.stdout + done.stderr)[:2000]}")
        left = [text for index, text in enumerate(left) if index not in bad]
    return set(left), runs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--compile", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--every", default="1")
    parser.add_argument("--targets", default=",".join(TARGETS), help="those that are lowered to and assembled for")
    parser.add_argument("--build", help="the folder where results are recorded")
    options = parser.parse_args()
    work = pathlib.Path(options.work)
    chosen = options.targets.split(",")
    if not set(chosen) <= set(TARGETS):
        sys.exit(f"legality: expected targets of {', '.join(TARGETS)}, got {options.targets}")
    if not has_rubin():
        left = [target for target in chosen if "sm_107" in target]
        chosen = [target for target in chosen if target not in left]
        if left:
            print(f"left out for a ptxas before CUDA 13.4: {', '.join(left)}")
    work.mkdir(parents=True, exist_ok=True)

    status = subprocess.run([options.tool, "--every", options.every]).returncode
    subprocess.run([options.tool, "--forms", str(work)], check=True)
    forms = []
    for line in (work / "forms.txt").read_text().splitlines():
        index, key, said = line.split("\t")
        forms.append((int(index), text_of(key), set() if said.startswith("-") else set(said.split()),
                      said[2:] if said.startswith("-") else ""))
    texts = sorted({text for _, text, _, _ in forms})
    verified = {text for _, text, targets, _ in forms if targets}
    fails = sum(bool(FAILS.search(text)) for text in texts)
    print(f"{len(texts)} instruction texts, {len(verified)} of them verify; {fails} that ptxas fails of its own on are not given to it")

    wrong = 0
    record = Results()
    for index, text, targets, _ in forms:
        if targets:
            record.add(kind_in(text), "operation", "verified", 0 if status else 1, 1 if status else 0)
    for target in chosen:
        done = subprocess.run([str(pathlib.Path(options.compile).resolve()), f"{target}.mlir", "-o", f"{target}.ptx"], cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"legality: {options.compile} {target}.mlir: {done.stdout}{done.stderr}"[:3000])
        done = subprocess.run([PTXAS, f"-arch={target}", f"{target}.ptx", "-o", f"{target}.cubin"], cwd=work, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"legality: ptxas {target}.ptx: {done.stdout}{done.stderr}"[:3000])
        ours = lines_of((work / f"{target}.ptx").read_text())
        for index, text, targets, _ in forms:
            if target not in targets:
                continue
            right = same(ours.get(index, "none none"), text)
            record.add(kind_in(text), "operation", "lowered", int(right), int(not right))
            if not right:
                wrong += 1
                if wrong < 10:
                    print(f"  {target}: expected {text}, got {ours.get(index)}")
    print(f"{wrong} texts that the compiler writes otherwise; ptxas assembles what it writes, for {', '.join(chosen)}")

    rejected = 0
    refusals = collections.defaultdict(list)
    table = []
    for target in chosen:
        legal = {text for _, text, targets, _ in forms if target in targets}
        taken = set()
        runs = 0
        for group in "12":
            part = [text for text in texts if f"cta_group::{group}" in text]
            accepted, more = assemble(work, target, part)
            taken |= accepted
            runs += more
        for text in sorted(legal):
            record.add(kind_in(text), "operation", "assembled", int(text in taken), int(text not in taken))
        for text in sorted(legal - taken):
            rejected += 1
            print(f"  {target}: ptxas rejects {text}")
        table.append((target, len(texts), len(legal), len(taken), len(legal - taken), len(taken - legal), runs))
        for text in taken - legal:
            refusals[text].append(target)
    print("target, texts, ours, ptxas takes, we take and ptxas rejects, ptxas takes and we refuse, runs of ptxas")
    for row in table:
        print("  " + ", ".join(str(word) for word in row))

    reasons = collections.defaultdict(list)
    for _, text, targets, said in forms:
        if text in refusals and not (set(refusals[text]) <= targets):
            reason = said or "the target lacks a form of it"
            if refusals[text] == ["sm_107a"] and re.search(r"\.sp\..*kind::mxf4", text):
                reason = SINGLES
            reasons[reason].append(text)
    unexplained = 0
    print("what ptxas takes although we refuse it:")
    grouped = collections.Counter()
    for said, found in reasons.items():
        message = said.split("op ", 1)[-1]
        why = SINGLES if said == SINGLES else next((why for start, why in EXPLAINED.items() if message.startswith(start)), None)
        if not why:
            unexplained += len(set(found))
            print(f"  not explained: {said}: {len(set(found))}, as {found[0]}")
            continue
        grouped[why] += len(set(found))
    for why, count in sorted(grouped.items()):
        print(f"  {count}: {why}")
    print(f"{rejected} texts that we take and ptxas rejects, {unexplained} refusals that are not explained")
    if options.build:
        record.write(options.build, "legality")
    return 1 if status or wrong or rejected or unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
