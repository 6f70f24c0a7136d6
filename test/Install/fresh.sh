#!/usr/bin/env bash
# What `scripts/test-install --full` runs as root on a fresh Debian 12 with Python, in /root/tc: wheels (the repaired
# wheel), debs (the Debian packages), examples, test/Python, test/Install. The wheel comes first, while there is no LLVM.
set -euo pipefail
cd /root/tc
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
step() { printf '   %4d s: %s\n' "$SECONDS" "$*"; }
SECONDS=0

step "the wheel, on a machine without LLVM"
python3 -m venv /root/venv
/root/venv/bin/pip install -q "$(echo wheels/*.whl)[test]"
! ldconfig -p | grep -E "libLLVM|libMLIR" || fail "expected a machine without LLVM"
/root/venv/bin/python examples/two_products.py >/root/products.log
grep -A2 "^e4m3" /root/products.log

step "the Debian packages"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./debs/*.deb g++ cmake ninja-build python3-torch python3-pytest >/root/apt.log 2>&1 ||
  { tail -20 /root/apt.log >&2; fail "apt-get install"; }
dpkg-query -W -f '   ${Package} ${Version}, ${Installed-Size} KB\n' tc-tools libtc-dev python3-tc python3-torch

step "tc-tools"
tc-compile --version
tc-compile examples/matmul_bf16.mlir -o matmul.ptx
tc-run matmul.ptx --check >run.log
grep -q "every element has to be exact\|maximum error" run.log || fail "tc-run checked nothing: $(cat run.log)"
tc-opt examples/matmul_bf16.mlir --convert-linalg-to-tmm | grep -q tmm.matmul || fail "tc-opt"

step "libtc-dev: the plugin in Debian's mlir-opt"
plugin=$(dpkg -L libtc-dev | grep '/TCPlugin.so$')
mlir-opt-22 --load-dialect-plugin="$plugin" --load-pass-plugin="$plugin" examples/mlir-opt.mlir \
  --pass-pipeline='builtin.module(transform-interpreter,tc-lower-to-nvvm{chip=sm_90a})' | grep -q wgmma.mma_async || fail "mlir-opt"

step "libtc-dev: a C program, one of the emulator alone, and the opt of examples/out-of-tree, with Debian's g++"
for program in test/Install/compiler test/Install/emulator examples/out-of-tree; do
  cmake -G Ninja -S "$program" -B "/root/build/$program" -DCMAKE_BUILD_TYPE=Release >/root/cmake.log 2>&1 ||
    { cat /root/cmake.log >&2; fail "$program"; }
  ninja -C "/root/build/$program" >/root/ninja.log 2>&1 || { tail -40 /root/ninja.log >&2; fail "$program"; }
done
tc-tune test/CAPI/Inputs/matmul.mlir --candidates=1 --list |
  sed -n '1s/$/\tsm_100a\t0.1.0\tstand-in\t2026-11-23\t12.345\t9876\t-\ttile=128x64x64 stages=3/p' >tuned.txt
/root/build/test/Install/compiler/c-program tuned.txt >/root/c-program.log 2>&1 && grep -qx done /root/c-program.log ||
  fail "the C program: $(tail -n 5 /root/c-program.log)"
/root/build/examples/out-of-tree/share-opt/share-opt examples/matmul_bf16.mlir --convert-linalg-to-tmm | grep -q tmm.matmul ||
  fail "share-opt"

step "python3-tc, with torch as the reference"
TC_FRAMEWORKS=torch python3 -m pytest -q -p no:cacheprovider -k torch test/Python/test_frameworks.py
python3 -c 'import numpy, torch; print("   torch", torch.__version__, "numpy", numpy.__version__)'
step "done"
