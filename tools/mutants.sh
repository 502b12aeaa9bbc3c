#!/bin/bash
# Makes small changes (mutants) of what differs from BASE (main) and reports which changes no test notices: Rust by cargo-mutants
# (MIT) with the tests of the crate it is in, Python by cosmic-ray (MIT) with the unit tests.
#   tools/mutants.sh [BASE]
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-main}
work=$PWD/target/mutants
rm -rf "$work"; mkdir -p "$work"
git diff "$base"... > "$work/changes.diff"

if git diff --name-only "$base"... -- 'crates/*/src/*.rs' | grep -q .; then
  cargo mutants --version >/dev/null 2>&1 || cargo install --quiet --locked cargo-mutants
  # exit code 2: some were missed; their list is what is asked for
  cargo mutants --in-diff "$work/changes.diff" --output "$work" --minimum-test-timeout 120 --no-shuffle || [ $? = 2 ]
fi

mapfile -t modules < <(git diff --name-only --diff-filter=d "$base"... -- 'python/sojourn/*.py')
if [ ${#modules[@]} -gt 0 ]; then
  [ -x .venv/mutants/bin/cosmic-ray ] || { python3 -m venv --system-site-packages .venv/mutants; \
    .venv/mutants/bin/pip install --quiet cosmic-ray; }
  # cosmic-ray edits files where they are: a copy of the tree takes its edits
  copy=$work/tree
  git worktree add --quiet --detach "$copy" HEAD
  trap 'git worktree remove --force "$copy"' EXIT
  cp python/sojourn/*.so "$copy/python/sojourn/"
  {
    echo '[cosmic-ray]'
    printf 'module-path = ['; printf '"%s", ' "${modules[@]}"; echo ']'
    echo 'timeout = 120.0'
    echo "test-command = \"env PYTHONPATH=python $PWD/.venv/bin/python -m pytest -q -x tests/python\""
    echo '[cosmic-ray.distributor]'
    echo 'name = "local"'
  } > "$work/python.toml"
  cd "$copy"
  ray=$OLDPWD/.venv/mutants/bin
  "$ray/cosmic-ray" init "$work/python.toml" "$work/python.sqlite"
  "$ray/cosmic-ray" exec "$work/python.toml" "$work/python.sqlite"
  "$ray/cr-report" --surviving-only --show-diff "$work/python.sqlite"
fi
