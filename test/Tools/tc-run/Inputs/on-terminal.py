"""Runs a command with its standard error on a terminal, and prints what it wrote there."""
import os
import pty
import subprocess
import sys

terminal, side = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=side)
os.close(side)
text = b""
while True:
    try:
        part = os.read(terminal, 1 << 16)
    except OSError:  # the other side is closed
        break
    text += part
sys.stdout.write(text.decode().replace("\r", "\n").replace("\x1b[K", ""))
sys.exit(process.wait())
