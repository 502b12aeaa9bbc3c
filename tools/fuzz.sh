#!/bin/bash
# Runs every fuzz target, or those named, under libFuzzer for this many seconds each, with the pinned compiler: coverage is
# counted by a pass of LLVM, which needs no nightly. New inputs stay in fuzz/found, crashes in fuzz/artifacts. It ends with
# the sum of the inputs tried, and with exit code 1 if a target failed: one panics as well where an input takes more time than one of
# its size may. Inputs grow to 64 KiB, so that a reader that is not linear shows. Arguments that begin with - are libFuzzer's.
#   tools/fuzz.sh 60 [TARGET...] [-max_len=64...]
set -euo pipefail
cd "$(dirname "$0")/../fuzz"
seconds=${1:-60}; shift || true
targets=(); options=()
for argument in "$@"; do
  case $argument in
    -*) options+=("$argument") ;;
    *) targets+=("$argument") ;;
  esac
done
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <(ls fuzz_targets | sed 's/\.rs$//')

host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTFLAGS="--cfg fuzzing -Cdebug-assertions -Ccodegen-units=1 -Cpasses=sancov-module \
 -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
 -Cllvm-args=-sanitizer-coverage-pc-table"
# build scripts and macros stay without instrumentation: the flags apply to --target alone
cargo build --quiet --release --target "$host"

most=65536
sum=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for target in "${targets[@]}"; do
  mkdir -p "found/$target" "artifacts/$target" "corpus/$target"
  # a document of each network to begin with, and one with all its tables again and again, as a faulty generator writes
  if [ "$target" = scenario_document ]; then
    find ../networks -name template.toml | while read -r file; do
      cp "$file" "found/$target/${file//[.\/]/-}"
      for _ in {1..64}; do cat "$file"; done | head -c "$most" >"found/$target/${file//[.\/]/-}-again" || true
    done
  fi
  status=0
  "target/$host/release/$target" -max_total_time="$seconds" -timeout=60 -max_len="$most" -print_final_stats=1 -verbosity=0 \
    ${options[@]+"${options[@]}"} -artifact_prefix="artifacts/$target/" "found/$target" "corpus/$target" >"$log" 2>&1 || status=$?
  inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  sum=$((sum + ${inputs:-0}))
  printf '%-20s %13s inputs\n' "$target" "${inputs:-0}"
  [ $status = 0 ] || { failed=1; grep -E 'ERROR|panicked|Test unit written' -A1 "$log" || tail -n 20 "$log"; }
done
printf '%-20s %13s inputs\n' all "$sum"
exit ${failed:-0}
