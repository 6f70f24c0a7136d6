"""Arithmetic on numbers that are known up to a bound: what a formula of several
kernels gives, and how far right kernels may be from it.

Each operation adds what a rounding in f32 may lose, a sum what its order and the
matrix unit may lose.
"""
import numpy as np

from . import numerics

# One operation in f32, a little above half an ulp.
F32 = 2.0**-23
# A function that tc-expand-math computes: the largest of its table, for arguments of a few units.
FUNCTION = 2.0**-18


class Uncertain:
    """`value`, off by at most `error`, both arrays."""

    def __init__(self, value, error=0.0):
        self.value = np.asarray(value, np.float64)
        self.error = np.broadcast_to(np.asarray(error, np.float64), self.value.shape)

    @property
    def shape(self):
        return self.value.shape

    @property
    def T(self):
        return Uncertain(self.value.T, self.error.T)

    def _map(self, function):
        return Uncertain(function(self.value), function(self.error))

    def reshape(self, *shape):
        return self._map(lambda x: x.reshape(*shape))

    def transpose(self, *axes):
        return self._map(lambda x: x.transpose(*axes))

    def __getitem__(self, index):
        return self._map(lambda x: x[index])

    def pad(self, widths):
        return self._map(lambda x: np.pad(x, widths))

    def repeat(self, count, axis):
        return self._map(lambda x: np.repeat(x, count, axis))

    def __add__(self, other):
        other = lift(other)
        value = self.value + other.value
        return Uncertain(value, self.error + other.error + F32 * np.abs(value))

    __radd__ = __add__

    def __neg__(self):
        return Uncertain(-self.value, self.error)

    def __sub__(self, other):
        return self + -lift(other)

    def __rsub__(self, other):
        return lift(other) - self

    def __mul__(self, other):
        other = lift(other)
        value = self.value * other.value
        error = np.abs(self.value) * other.error + np.abs(other.value) * self.error + self.error * other.error
        return Uncertain(value, error + F32 * np.abs(value))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = lift(other)
        least = np.abs(other.value) - other.error
        assert (least > 0).all(), "a divisor that may be zero"
        value = self.value / other.value
        return Uncertain(value, (self.error + np.abs(value) * other.error) / least + 4 * F32 * np.abs(value))

    def __rtruediv__(self, other):
        return lift(other) / self

    def apply(self, function, loss=FUNCTION):
        """A function that is monotone near each value."""
        value = function(self.value)
        moved = [np.abs(function(self.value + sign * self.error) - value) for sign in (-1, 1)]
        return Uncertain(value, np.maximum(*moved) + loss * (np.abs(value) + 2.0**-3))

    def round(self, element):
        """Rounded to a type: where the value is near the middle of two numbers, the other one is right too."""
        value = numerics.round_once(self.value, element)
        moved = [np.abs(numerics.round_once(self.value + sign * self.error, element) - value) for sign in (-1, 1)]
        return Uncertain(value, np.maximum(*moved))

    def within(self, element):
        """Rounded to a type, after multiplying by any factor that is divided out later: by half a unit."""
        unit = {"bf16": 2.0**-8, "f16": 2.0**-11}[element]
        return Uncertain(self.value, self.error + unit * np.abs(self.value))

    def sum(self, axis, keepdims=False):
        value = self.value.sum(axis, keepdims=keepdims)
        terms = max(1, self.value.size // max(1, value.size))
        error = self.error.sum(axis, keepdims=keepdims)
        return Uncertain(value, error + terms * F32 * np.abs(self.value).sum(axis, keepdims=keepdims))

    def mean(self, axis, keepdims=False):
        return self.sum(axis, keepdims) * (1 / self.value.shape[axis])

    def max(self, axis, keepdims=False):
        return Uncertain(self.value.max(axis, keepdims=keepdims), self.error.max(axis, keepdims=keepdims))

    def __matmul__(self, other):
        return einsum("...ij,...jk->...ik", self, other)


def lift(value):
    return value if isinstance(value, Uncertain) else Uncertain(value)


def einsum(form, a, b):
    """A product of the matrix unit: a step of 16 products is off by 17 truncations of the largest term to 25 fraction
    bits and by that of the sum, together less than 2^-20 of the sum of magnitudes."""
    a, b = lift(a), lift(b)
    value = np.einsum(form, a.value, b.value, optimize=True)
    magnitude = np.einsum(form, np.abs(a.value) + a.error, np.abs(b.value) + b.error, optimize=True)
    error = np.einsum(form, a.error, np.abs(b.value), optimize=True) + np.einsum(
        form, np.abs(a.value) + a.error, b.error, optimize=True)
    depth = np.einsum(form, np.ones(a.shape), np.ones(b.shape), optimize=True).max(initial=0)
    steps = np.ceil(depth / 16) + 1
    return Uncertain(value, error + steps * 2.0**-20 * magnitude)


def relu(x):
    return lift(x).apply(lambda v: np.maximum(v, 0), 0)


def exp(x):
    return lift(x).apply(np.exp)


def tanh(x):
    return lift(x).apply(np.tanh)


def sigmoid(x):
    return lift(x).apply(lambda v: 1 / (1 + np.exp(-v)))


def silu(x):
    return lift(x) * sigmoid(x)


def sqrt(x):
    return lift(x).apply(np.sqrt)


def softmax(x, axis=-1):
    x = lift(x)
    weights = exp(x - x.max(axis, keepdims=True))
    return weights / weights.sum(axis, keepdims=True)
