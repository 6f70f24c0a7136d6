"""Runs a command and fails unless it ends with the given exit status.

    expect-status.py STATUS COMMAND ARGUMENT...

Output passes through. lit's `not` only tells zero from the rest.
"""
import subprocess
import sys

expected = int(sys.argv[1])
status = subprocess.run(sys.argv[2:]).returncode
if status != expected:
    sys.exit(f"expected exit status {expected}, got {status}")
