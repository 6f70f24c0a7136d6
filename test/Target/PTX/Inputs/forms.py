"""Compares the table of tc-explain targets with what ptxas assembles.

    forms.py WORK_FOLDER
"""
import pathlib
import re
import subprocess
import sys

TARGETS = ("sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_110a", "sm_110f")
VERSIONS = ("8.6", "8.7", "8.8", "9.0")
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


def main():
    work = pathlib.Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    lines = subprocess.run(["tc-explain", "targets"], capture_output=True, text=True, check=True).stdout.splitlines()
    disagreements = 0
    for head, row in zip(lines[::2], lines[1::2]):
        name, text = re.fullmatch(r"(.*?): (.*;)", head).groups()
        words = row.split()
        first = dict(zip(words[::2], words[1::2]))
        for target in TARGETS:
            # From the first version on, and never before it: the two that say so.
            known = first.get(target)
            index = VERSIONS.index(known) if known else len(VERSIONS)
            for version in VERSIONS[max(index - 1, 0):index + 1]:
                (work / "k.ptx").write_text(KERNEL.format(version=version, target=target, text=text))
                done = subprocess.run(["ptxas", f"-arch={target}", "k.ptx", "-o", "k.cubin"], cwd=work,
                                      capture_output=True, text=True)
                if (done.returncode == 0) != (known == version):
                    disagreements += 1
                    print(f"{name}, {target}, PTX {version}: table {'has' if known == version else 'lacks'} it: {done.stderr.strip()[:300]}")
    print(f"{len(lines) // 2} forms, {len(TARGETS)} targets, {disagreements} disagreements")


if __name__ == "__main__":
    main()
