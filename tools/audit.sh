#!/usr/bin/env bash
# Known vulnerabilities in what the locks name, asked of the auditors that are installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
asked=0
if cargo audit --version >/dev/null 2>&1; then cargo audit; asked=1; fi
if .venv/bin/python -c 'import pip_audit' 2>/dev/null; then
    .venv/bin/python -m pip_audit --disable-pip -r requirements/build.txt -r requirements/run.txt -r requirements/test.txt
    asked=1
fi
if [ "$asked" = 0 ]; then
    echo "no auditor installed: cargo install cargo-audit, or .venv/bin/pip install pip-audit" >&2
    exit 1
fi
