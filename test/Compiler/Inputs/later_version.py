#!/usr/bin/env python3
"""later_version.py IN OUT: bytecode in which the dialect 'tmm' has version 2.

Section 7 of bytecode holds what a dialect wrote as its version, here one integer
of variable length: 1 is the byte 0x03, 2 is 0x05.
"""
import sys

VERSION = bytes([0x03])
LATER = bytes([0x05])


def main():
    data = bytearray(open(sys.argv[1], "rb").read())
    # Section 7 (dialect versions) with one byte of contents.
    places = [i for i in range(len(data) - 2) if data[i:i + 3] == bytes([0x07, 0x03]) + VERSION]
    assert len(places) == 1, places
    data[places[0] + 2:places[0] + 3] = LATER
    open(sys.argv[2], "wb").write(data)


if __name__ == "__main__":
    main()
