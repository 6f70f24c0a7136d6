"""Functions on rows, drawn from numbers, as test/Integration/rows.py runs them."""
