"""Runs a command with its standard error on a terminal until it has written TEXT there, and prints what it wrote: a run
that would take minutes. on-terminal.py TEXT COMMAND..."""
import os
import pty
import subprocess
import sys

terminal, side = pty.openpty()
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=side)
os.close(side)
text = b""
while sys.argv[1].encode() not in text:
    try:
        text += os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        break
process.kill()
process.wait()
print(text.decode().replace("\r", "\n").replace("\x1b[K", ""))
