"""Compares docs/data/ptx-forms.tsv with ptxas, $TC_PTXAS or that of PATH, as far as it knows the version, and with the
emulator: each instruction is taken on the targets that the table has, from its version on, and nowhere else: the emulator names the target or the version.

    ptx_forms.py TABLE WORK_FOLDER
"""
import json
import os
import pathlib
import re
import subprocess
import sys

TARGETS = ("sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f",
           "sm_120", "sm_120a", "sm_120f", "sm_121a")
SETS = {"sm_90+": set(TARGETS), "sm_100+": set(TARGETS) - {"sm_90", "sm_90a"}, "sm_107": {"sm_107a", "sm_107f"}}
BEFORE = {"8.7": "8.6", "9.1": "9.0", "9.2": "9.1", "9.3": "9.2", "9.4": "9.3", "9.5": "9.4"}
KERNEL = """.version {version}
.target {target}
.address_size 64
.visible .entry k(.param .u64 x) {{
  .reg .pred %p<2>;
  .reg .b8 %c<2>;
  .reg .b16 %h<4>;
  .reg .b32 %r<8>;
  .reg .b64 %d<4>;
  .reg .f32 %f<4>;
  .reg .b128 %q<1>;
  bra DONE;
  {text}
DONE:
  ret;
}}
"""
LAUNCH = {"entry": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "buffers": {}, "params": [{"u64": 0}]}


def first_version(target, version):
    """The first version with the target, where the form is older."""
    older = {"107": "9.4", "110": "9.0", "103": "8.8", "121": "8.8", "120": "8.7"}.get(target[3:6], "8.6")
    return max(version, "8.8" if target.endswith("f") and older < "8.8" else older)


def emulated(work, version, target, text):
    (work / "k.ptx").write_text(KERNEL.format(version=version, target=target, text=text))
    done = subprocess.run(["tc-run", "k.ptx"], cwd=work, capture_output=True, text=True)
    if done.returncode not in (0, 1, 2):
        raise SystemExit(f"tc-run gave {done.returncode}: {text}\n{done.stderr}")
    return done.returncode == 0, done.stderr


def assembled(ptxas, work, version, target, text):
    (work / "k.ptx").write_text(KERNEL.format(version=version, target=target, text=text))
    done = subprocess.run([ptxas, f"-arch={target}", "k.ptx", "-o", "k.cubin"], cwd=work, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def main():
    table, work = map(pathlib.Path, sys.argv[1:])
    work.mkdir(parents=True, exist_ok=True)
    (work / "k.json").write_text(json.dumps(LAUNCH))
    ptxas = os.environ.get("TC_PTXAS") or "ptxas"
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    latest = f"9.{re.search(r'release 13.([0-9]+)', said).group(1)}"
    judges = {"the emulator": lambda *form: emulated(work, *form)}
    if latest >= "9.5":
        judges["ptxas"] = lambda *form: assembled(ptxas, work, *form)
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    disagreements = 0
    for name, text, version, targets, *_ in rows:
        has = SETS.get(targets) or set(targets.split())
        for judge, takes in judges.items():
            # A target that is as old as the form shows the version before it.
            shown = next((target for target in sorted(has) if first_version(target, version) == version), None)
            tried = [(target, first_version(target, version), target in has) for target in TARGETS]
            if shown and first_version(shown, BEFORE[version]) == BEFORE[version]:
                tried.append((shown, BEFORE[version], False))
            for target, at, expected in tried:
                taken, why = takes(at, target, text)
                # The emulator has to refuse it for its target or version, not for want of the form.
                if judge == "the emulator" and not taken and not expected:
                    taken = not re.search(r"expected (a target that has|\.version)", why)
                if taken != expected:
                    disagreements += 1
                    print(f"{name}, {target}, PTX {at}: {judge} {'takes' if taken else 'refuses'} it: {why.strip()[:300]}")
    print(f"{len(rows)} forms, {disagreements} disagreements")


if __name__ == "__main__":
    main()
