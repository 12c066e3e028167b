"""Reverse-mode differentiation in numpy, in float64: enough of it for small transformers.

An operation on a Tensor returns a Tensor that knows its operands and how its gradient reaches them. gradients() goes back from a
result through all of them."""
import math

import numpy as np

_erf = np.vectorize(math.erf, otypes=[np.float64])


class Tensor:
    __array_ufunc__ = None  # numpy leaves the operators to this class
    made = 0

    def __init__(self, value, operands=()):
        """operands: pairs of a Tensor and the function that maps the gradient of this one to its own."""
        self.value, self.operands = np.asarray(value, np.float64), operands
        Tensor.made += 1
        self.number = Tensor.made

    @property
    def shape(self):
        return self.value.shape

    def __add__(self, other):
        return _binary(self, other, np.add, lambda dy, a, b: dy, lambda dy, a, b: dy)

    def __sub__(self, other):
        return _binary(self, other, np.subtract, lambda dy, a, b: dy, lambda dy, a, b: -dy)

    def __mul__(self, other):
        return _binary(self, other, np.multiply, lambda dy, a, b: dy * b, lambda dy, a, b: dy * a)

    __radd__, __rmul__ = __add__, __mul__

    def __matmul__(self, other):
        return _binary(self, other, np.matmul, lambda dy, a, b: dy @ b.swapaxes(-1, -2), lambda dy, a, b: a.swapaxes(-1, -2) @ dy)

    def __getitem__(self, key):
        def back(dy):
            dx = np.zeros_like(self.value)
            dx[key] = dy
            return dx
        return Tensor(self.value[key], [(self, back)])

    def reshape(self, *shape):
        return Tensor(self.value.reshape(*shape), [(self, lambda dy: dy.reshape(self.shape))])

    def transpose(self, *axes):
        return Tensor(self.value.transpose(*axes), [(self, lambda dy: dy.transpose(*np.argsort(axes)))])

    @property
    def T(self):
        return self.transpose(*reversed(range(self.value.ndim)))

    def apply(self, value, slope):
        """An elementwise function with these values and derivatives."""
        return Tensor(value, [(self, lambda dy: dy * slope)])

    def tanh(self):
        y = np.tanh(self.value)
        return self.apply(y, 1 - y * y)

    def sigmoid(self):
        y = 1 / (1 + np.exp(-self.value))
        return self.apply(y, y * (1 - y))

    def erf(self):
        return self.apply(_erf(self.value), 2 / np.sqrt(np.pi) * np.exp(-self.value**2))

    def inverse(self):
        y = 1 / self.value
        return self.apply(y, -y * y)

    def inverse_root(self):
        y = 1 / np.sqrt(self.value)
        return self.apply(y, -0.5 * y**3)

    def mean(self):
        """Over the last axis, which stays."""
        n = self.shape[-1]
        return Tensor(self.value.mean(-1, keepdims=True), [(self, lambda dy: np.broadcast_to(dy / n, self.shape))])

    def softmax(self, visible):
        """Over the last axis; invisible elements get 0."""
        masked = np.where(visible, self.value, -np.inf)
        y = np.exp(masked - masked.max(-1, keepdims=True))
        y /= y.sum(-1, keepdims=True)
        return Tensor(y, [(self, lambda dy: y * (dy - (dy * y).sum(-1, keepdims=True)))])

    def rows(self, indices):
        """self[indices]; an index may occur several times."""
        def back(dy):
            dx = np.zeros_like(self.value)
            np.add.at(dx, indices.reshape(-1), dy.reshape(-1, dy.shape[-1]))
            return dx
        return Tensor(self.value[indices], [(self, back)])

    def repeat(self, times, axis):
        def back(dy):
            return dy.reshape(*self.shape[: axis + 1], times, *self.shape[axis + 1 :]).sum(axis + 1)
        return Tensor(np.repeat(self.value, times, axis), [(self, back)])

    def cross_entropy(self, targets):
        """The mean over rows [N, V] of the negative log probability of a target each."""
        shifted = self.value - self.value.max(-1, keepdims=True)
        log_sum = np.log(np.exp(shifted).sum(-1, keepdims=True))
        each = np.arange(len(targets))
        slope = np.exp(shifted - log_sum)
        slope[each, targets] -= 1
        return Tensor((log_sum[:, 0] - shifted[each, targets]).mean(), [(self, lambda dy: dy * slope / len(targets))])


def concatenate(tensors):
    """Along the last axis."""
    ends = np.cumsum([t.shape[-1] for t in tensors])
    parts = [(t, lambda dy, a=end - t.shape[-1], b=end: dy[..., a:b]) for t, end in zip(tensors, ends)]
    return Tensor(np.concatenate([t.value for t in tensors], -1), parts)


def _binary(a, b, function, to_a, to_b):
    b = b if isinstance(b, Tensor) else Tensor(b)
    x, y = a.value, b.value
    return Tensor(function(x, y), [(a, lambda dy: _reduced(to_a(dy, x, y), x.shape)), (b, lambda dy: _reduced(to_b(dy, x, y), y.shape))])


def _reduced(gradient, shape):
    """Sums over the axes along which an operand was repeated."""
    gradient = gradient.sum(tuple(range(gradient.ndim - len(shape))))
    return gradient.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True).reshape(shape)


def gradients(result, of):
    """The gradients of a number with respect to the tensors of the dictionary `of`, by name; those that it depends on."""
    found, left = {result.number: np.ones(())}, {result.number: result}
    names = {tensor.number: name for name, tensor in of.items()}
    all_gradients = {}
    while left:
        number = max(left)  # operands have smaller numbers
        tensor, dy = left.pop(number), found.pop(number)
        if number in names:
            all_gradients[names[number]] = dy
        for operand, back in tensor.operands:
            found[operand.number] = found.get(operand.number, 0) + back(dy)
            left[operand.number] = operand
    return all_gradients
