#!/usr/bin/env python3
"""A network of two layers and attention, trained by JAX: products, their gradients and attention are kernels of tc.

    pip install jax; python examples/jax_mlp.py          # on the CPU: every kernel runs on the emulator
"""
import jax
import jax.numpy as jnp
import tc.jax

ROWS, WIDTH, HIDDEN = 32, 32, 64


def model(weights, x):
    """Layers are tc.jax.matmul with bias and GELU in the kernel, the mixing of rows is tc.jax.attention."""
    x = x + tc.jax.attention(x, x, x, causal=True)
    hidden = tc.jax.matmul(x, weights["up"], bias=weights["bias"], epilogue="gelu")
    return tc.jax.matmul(hidden, weights["down"], preferred_element_type=jnp.float32)


def loss(weights, x, wanted):
    return ((model(weights, x) - wanted)**2).mean()


@jax.jit
def step(weights, x, wanted):
    value, gradients = jax.value_and_grad(loss)(weights, x, wanted)
    return value, jax.tree.map(lambda w, g: (w - 1.0 * g).astype(w.dtype), weights, gradients)


def main():
    keys = jax.random.split(jax.random.key(0), 4)
    weights = {
        "up": (jax.random.normal(keys[0], (WIDTH, HIDDEN)) / 6).astype(jnp.bfloat16),
        "bias": jnp.zeros(HIDDEN),
        "down": (jax.random.normal(keys[1], (HIDDEN, WIDTH)) / 8).astype(jnp.bfloat16),
    }
    x = jax.random.normal(keys[2], (ROWS, WIDTH)).astype(jnp.bfloat16)
    wanted = jnp.tanh(x.astype(jnp.float32) @ jax.random.normal(keys[3], (WIDTH, WIDTH)) / 6)
    with tc.jax.options(races="default", schedule="eager"):
        for number in range(6):
            value, weights = step(weights, x, wanted)
            print(f"step {number}: loss {value:.4f}")
    # The same without tc, of the same weights: what is rounded differs.
    hidden = (x + jax.nn.dot_product_attention(*[x[None, :, None]] * 3, is_causal=True)[0, :, 0]).astype(jnp.float32)
    hidden = jax.nn.gelu(hidden @ weights["up"].astype(jnp.float32) + weights["bias"], approximate=False)
    difference = jnp.abs(hidden @ weights["down"].astype(jnp.float32) - model(weights, x)).max()
    print(f"largest difference from jax.numpy: {difference:.4f}")
    assert difference < 0.05


if __name__ == "__main__":
    main()
