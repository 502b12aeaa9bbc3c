#!/usr/bin/env bash
# Builds what is released into target/dist: a wheel for each platform, the source distribution, and sojourn-agent with
# its man page and completions. zig, from PyPI, is the linker and the C compiler of every platform.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/target/dist
tools=$PWD/.venv/wheel
architectures=${ARCHITECTURES:-x86_64 aarch64}
rm -rf "$out"
mkdir -p "$out"

[ -x "$tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/pip" install --quiet --require-hashes -r requirements/wheel.txt
export PATH="$tools/bin:$PATH"

make wasm editor
"$tools/bin/maturin" sdist --out "$out"
for architecture in $architectures; do
    gnu=$architecture-unknown-linux-gnu musl=$architecture-unknown-linux-musl
    rustup target add "$gnu" "$musl" >/dev/null 2>&1
    maturin build --release --strip --locked --zig --quiet --target "$gnu" --compatibility manylinux_2_28 --out "$out"
    maturin build --release --strip --locked --zig --quiet --target "$musl" --compatibility musllinux_1_2 --out "$out"
    cargo zigbuild --locked --quiet --profile static --package sojourn-agent --bin sojourn-agent --target "$musl"
    cp "target/$musl/static/sojourn-agent" "$out/sojourn-agent-$architecture"
done
cargo run --locked --quiet --package sojourn-agent --example pages "$out/share"
ls -l "$out"
