#!/bin/bash
# Makes small changes (mutants) of the lines that the commits since BASE (main) changed, and reports those that no test
# notices: Rust by cargo-mutants (MIT) with the tests of the crate it is in, Python by cosmic-ray (MIT) with the unit tests.
# Both edit a copy of the last commit in target/mutants and build in target/, so your files stay as they are.
#   tools/mutants.sh [BASE]
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
base=$(git merge-base "${1:-main}" HEAD)
work=$root/target/mutants
copy=$work/tree
rm -rf "$work"; git worktree prune; mkdir -p "$work"
git worktree add --quiet --detach "$copy" HEAD
trap 'git -C "$root" worktree remove --force "$copy"' EXIT
git diff "$base" HEAD -- 'crates/*/src/*.rs' 'networks/*/src/*.rs' > "$work/rust.diff"
mapfile -t modules < <(git diff --name-only --diff-filter=d "$base" HEAD -- 'python/sojourn/*.py' ':!*/test_*.py')

if [ -s "$work/rust.diff" ]; then
  # without optimisation: building it takes longer than what it does
  cargo mutants --version >/dev/null 2>&1 || cargo install --quiet --locked --debug cargo-mutants
  # exit codes 2 and 3: some were missed, or made a test run without end; the first are what is asked for
  CARGO_TARGET_DIR=$root/target cargo mutants --dir "$copy" --in-place --in-diff "$work/rust.diff" --output "$work" \
    --minimum-test-timeout 120 --colors never || [ $? = 2 ] || [ $? = 3 ]
fi

if [ ${#modules[@]} -gt 0 ]; then
  [ -x .venv/mutants/bin/cosmic-ray ] || { python3 -m venv .venv/mutants; .venv/mutants/bin/pip install --quiet cosmic-ray; }
  cp python/sojourn/*.so "$copy/python/sojourn/"
  {
    echo '[cosmic-ray]'
    printf 'module-path = ['; printf '"%s", ' "${modules[@]}"; echo ']'
    echo 'timeout = 600.0'
    echo "test-command = \"env PYTHONPATH=python $root/.venv/bin/python -m pytest -q -x -p no:cacheprovider tests/python\""
    echo '[cosmic-ray.distributor]'
    echo 'name = "local"'
    echo '[cosmic-ray.filters.git-filter]'
    echo "branch = \"$base\""
  } > "$work/python.toml"
  cd "$copy"
  ray=$root/.venv/mutants/bin
  "$ray/cosmic-ray" baseline "$work/python.toml"
  "$ray/cosmic-ray" init "$work/python.toml" "$work/python.sqlite"
  "$ray/cr-filter-git" --config "$work/python.toml" "$work/python.sqlite"
  "$ray/cosmic-ray" exec "$work/python.toml" "$work/python.sqlite"
  "$ray/cr-report" --surviving-only --show-diff "$work/python.sqlite"
fi
