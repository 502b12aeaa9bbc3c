#!/usr/bin/env bash
# Licences, bans and sources of all crates by cargo-deny, which is a peer: without it the check is skipped, or fails in CI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if cargo deny --version >/dev/null 2>&1; then
    exec cargo deny --locked --offline --log-level error check licenses bans sources
fi
echo "cargo-deny missing, licences of crates not checked: cargo install --locked cargo-deny" >&2
[ "${SOJOURN_REQUIRE_PEERS:-0}" != 1 ]
