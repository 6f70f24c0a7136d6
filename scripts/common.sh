# Shared by the scripts: where things are, and the CUDA tools. Sourced, not run.
# Sets: root, build, jobs, PYTHON; exports CUDA_HOME and PATH once tc_find_cuda ran.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TC_BUILD_DIR:-$root/build}
jobs=${TC_JOBS:-$(nproc)}
PYTHON=${TC_PYTHON:-/usr/bin/python3}

# The nvcc wheels of CUDA 13.0 on PyPI, with the headers that CUDA's own include
# (nv/target): the newest that know sm_100a in the form that the project is
# measured with.
cuda_wheels="nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85"

# The wheel with a ptxas for PTX 9.5 and sm_107, which no test needs.
ptxas_wheel="nvidia-cuda-nvcc==13.5.37"

# Says what begins, and after how many seconds of the script.
say() { printf '== %s (%d s)\n' "$*" "$SECONDS"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Finds ptxas and nvcc on PATH or in CUDA_HOME, else installs the wheels into
# the build folder. Returns 1 where neither is to be had.
tc_find_cuda() {
  if [ -n "${CUDA_HOME:-}" ] && [ -x "$CUDA_HOME/bin/ptxas" ] && [ -x "$CUDA_HOME/bin/nvcc" ]; then
    export PATH="$CUDA_HOME/bin:$PATH"
  fi
  if command -v ptxas >/dev/null && command -v nvcc >/dev/null; then
    return 0
  fi
  local target=$build/cuda
  # A folder of an older list of wheels is made anew.
  if [ "$(cat "$target/wheels" 2>/dev/null)" != "$cuda_wheels" ]; then
    say "no ptxas and nvcc on PATH or in CUDA_HOME: installing the CUDA 13.0 wheels into $target"
    # shellcheck disable=SC2086
    "$PYTHON" -m pip install -q --no-deps --target "$target.part" $cuda_wheels || { rm -rf "$target.part"; return 1; }
    printf '%s\n' "$cuda_wheels" >"$target.part/wheels"
    rm -rf "$target"
    mv "$target.part" "$target"
  fi
  export CUDA_HOME=$target/nvidia/cu13
  # nvcc links from lib64, and asks for libraries without their version.
  ln -sfn lib "$CUDA_HOME/lib64"
  ln -sf libcudart.so.13 "$CUDA_HOME/lib/libcudart.so"
  export PATH="$CUDA_HOME/bin:$PATH"
  command -v ptxas >/dev/null && command -v nvcc >/dev/null
}

# Installs that ptxas into a folder and says how the tools find it.
tc_install_ptxas() {
  if [ ! -x "$1/nvidia/cu13/bin/ptxas" ]; then
    "$PYTHON" -m pip install -q --no-deps --target "$1" "$ptxas_wheel" || die "$ptxas_wheel is not to be had from PyPI"
  fi
  echo "export TC_PTXAS=$(cd "$1" && pwd)/nvidia/cu13/bin/ptxas"
}

# Configures a preset in a folder: tc_configure PRESET FOLDER.
tc_configure() {
  [ ! -f "$2/build.ninja" ] || return 0
  cmake --preset "$1" -S "$root" -B "$2" -DPython3_EXECUTABLE="$PYTHON" >"$2.configure.log" 2>&1 ||
    { cat "$2.configure.log" >&2; die "configuration failed"; }
  rm -f "$2.configure.log"
}

# Builds the given targets, of the release preset where nothing is configured yet.
tc_build() {
  tc_configure release "$build"
  ninja -C "$build" -j "$jobs" "$@"
}

# Sets up and runs stages of scripts/tiers.py in $build; arguments are its own.
tc_run_tiers() {
  "$root/scripts/setup"
  tc_find_cuda || die "no ptxas and nvcc on PATH, in CUDA_HOME or on PyPI: the tests need both"
  tc_sanitizer_options
  "$PYTHON" "$root/scripts/tiers.py" --build "$build" --sanitized "$build-asan-runtime" --jobs "$jobs" --python "$PYTHON" "$@"
}

# What a sanitized tool is run with: every report ends it with status 99. Debian's
# LLVM and MLIR are not instrumented: an arena that grew in our code and is filled
# in theirs looks poisoned, so arenas poison nothing.
tc_sanitizer_options() {
  export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0:exitcode=99:allow_user_poisoning=0:handle_abort=1}
  export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:exitcode=99:print_stacktrace=1}
}
