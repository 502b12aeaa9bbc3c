#!/bin/bash
# Runs every fuzz target, or those named, under libFuzzer for so many seconds each, with the pinned compiler: coverage is
# counted by a pass of LLVM, which needs no nightly. New inputs stay in fuzz/found, crashes in fuzz/artifacts.
#   tools/fuzz.sh 60 [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
seconds=${1:-60}; shift || true
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing -Cdebug-assertions -Ccodegen-units=1 -Cpasses=sancov-module \
 -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
 -Cllvm-args=-sanitizer-coverage-pc-table"
# build scripts and macros stay without instrumentation: the flags apply to --target alone
cargo build --quiet --release --target "$host"
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls fuzz_targets | sed 's/\.rs$//')
for target in "${targets[@]}"; do
  mkdir -p "found/$target" "artifacts/$target"
  echo "$target"
  "target/$host/release/$target" -max_total_time="$seconds" -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="artifacts/$target/" "found/$target" "corpus/$target" 2>&1 |
    grep -E 'ERROR|panicked|number_of_executed_units|Test unit written' || true
  [ -z "$(ls -A "artifacts/$target")" ] || failed=1
done
exit ${failed:-0}
