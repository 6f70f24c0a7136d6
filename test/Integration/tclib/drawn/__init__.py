"""Random functions on linalg, each with what it computes: numbers.py has the arithmetic with its bounds, program.py the
text beside it, operands.py views and arguments, products.py, pointwise.py and others.py the operations, draw.py whole
functions."""
