"""The extension module, or what is missing."""
try:
    import jax  # noqa: F401
except ImportError as error:
    raise ImportError(f"tc.jax: expected jax: pip install jax ({error})") from None
try:
    from .. import _jax
except ImportError as error:
    raise ImportError(
        "tc.jax: this installation was built where jaxlib's headers were not found: pip install jax, then build "
        "with `pip install --no-build-isolation .`, or with --config-settings=cmake.define.TC_JAX_INCLUDE=FOLDER, "
        f"where jax.ffi.include_dir() prints FOLDER ({error})") from None

__all__ = ["_jax"]
