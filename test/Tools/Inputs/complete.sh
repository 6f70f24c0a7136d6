# What completion offers: complete.sh tc.bash
. "$1"
offers() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _tc
}
try() {
  offers "$@"
  echo "$*: ${COMPREPLY[*]}"
}
try tc-compile --exp
try tc-compile --tun
try tc-compile --emit = ro
try tc-compile --chip=sm_90
try tc-opt --tmm-til
try tc-run --races = str
try tc-emulate --record-f
try tc-explain ta
try tc-explain tables mma_b

module='func.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>)
  return
}'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
offers tc-compile --emit =
taken=()
for level in "${COMPREPLY[@]}"; do
  # cubin needs ptxas: that it is a level is what its diagnostic says.
  if [ "$level" = cubin ] || tc-compile --emit="$level" -o - <<<"$module" >/dev/null; then taken+=("$level"); fi
done
echo "levels: ${taken[*]}"
tc-compile -o "$folder/f.ptx" <<<"$module"
offers tc-run --schedule =
for schedule in "${COMPREPLY[@]}"; do
  tc-run "$folder/f.ptx" --schedule="${schedule/%:/:1}" >/dev/null || exit 1
done
echo "schedules: all taken"
