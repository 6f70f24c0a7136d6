"""Gives PTX to ptxas, where it is there.

    assemble.py FILE.ptx TARGET
"""
import shutil
import subprocess
import sys

if shutil.which("ptxas"):
    done = subprocess.run(["ptxas", f"-arch={sys.argv[2]}", "-c", sys.argv[1], "-o", f"{sys.argv[1]}.o"],
                          capture_output=True, text=True)
    sys.stdout.write(done.stdout + done.stderr)
    sys.exit(done.returncode)
