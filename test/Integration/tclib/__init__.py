"""Integration tests: what a kernel computes, checked from its own problem.

Nothing in here reads what the compiler wrote: the expected numbers come from
the tuple that a test describes and from the raw bytes of its input files.
"""
