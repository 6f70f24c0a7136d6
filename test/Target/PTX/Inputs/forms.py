"""Compares the table of tc-explain targets with what ptxas assembles, $TC_PTXAS or that of PATH, for the
targets and PTX versions that it knows.

    forms.py WORK_FOLDER
"""
import os
import pathlib
import re
import subprocess
import sys

TARGETS = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f", "sm_110a", "sm_110f")
VERSIONS = ("8.6", "8.7", "8.8", "9.0", "9.1", "9.2", "9.3", "9.4")
# What ptxas takes although the table lacks it: metadata that no op has.
REFUSED = {("sparse tcgen05.mma of kinds mxf4 and mxf4nvf4", "sm_107a")}
# What ptxas 13.5 takes in PTX 8.6 and 8.7, where 13.0 refuses it.
OLDER = {"tcgen05.mma of kinds mxf8f6f4 and mxf4", "sparse tcgen05.mma of kinds mxf4 and mxf4nvf4"}
KERNEL = """.version {version}
.target {target}
.address_size 64
.visible .entry k() {{
  .reg .b32 %r<3>, %t, %i;
  .reg .b64 %a, %b;
  .reg .pred %p;
  {text}
  ret;
}}
"""


def latest(ptxas):
    """The latest PTX version of the ptxas of a CUDA 13."""
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    return f"9.{re.search(r'release 13.([0-9]+)', said).group(1)}"


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    ptxas = os.environ.get("TC_PTXAS") or "ptxas"
    versions = [version for version in VERSIONS if version <= latest(ptxas)]
    targets = [target for target in TARGETS if "sm_107" not in target or "9.4" in versions]
    lines = subprocess.run(["tc-explain", "targets"], capture_output=True, text=True, check=True).stdout.splitlines()
    disagreements = 0
    for head, row in zip(lines[::3], lines[1::3]):
        found = re.fullmatch(r"(.*?): (.*;)", head)
        if not found:  # told by a descriptor alone, which ptxas does not read
            continue
        name, text = found.groups()
        words = row.split()
        first = dict(zip(words[::2], words[1::2]))
        for target in targets:
            # From the first version on, and never before it: the two that say so.
            known = first.get(target)
            index = versions.index(known) if known in versions else len(versions)
            for version in versions[max(index - 1, 0):index + 1]:
                (work / "k.ptx").write_text(KERNEL.format(version=version, target=target, text=text))
                done = subprocess.run([ptxas, f"-arch={target}", "k.ptx", "-o", "k.cubin"], cwd=work,
                                      capture_output=True, text=True)
                if (name, target) in REFUSED or (name in OLDER and version < "8.8" and latest(ptxas) > "9.0"):
                    continue
                if (done.returncode == 0) != (known == version):
                    disagreements += 1
                    print(f"{name}, {target}, PTX {version}: table {'has' if known == version else 'lacks'} it: {done.stderr.strip()[:300]}")
    print(f"{len(lines) // 3} forms, {len(targets)} targets, {disagreements} disagreements")


if __name__ == "__main__":
    main()
