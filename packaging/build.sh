#!/usr/bin/env bash
# Builds what is released into target/dist: a wheel for each platform, the source distribution, and sojourn-agent with
# its man page and completions. zig, from PyPI, is the linker and the C compiler of Linux and macOS; mingw-w64 that of Windows.
# PLATFORMS="linux windows macos" names what it builds for, ARCHITECTURES those of Linux.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/target/dist
tools=$PWD/.venv/wheel
platforms=${PLATFORMS:-linux}
architectures=${ARCHITECTURES:-x86_64 aarch64}
rm -rf "$out"
mkdir -p "$out"

[ -x "$tools/bin/python" ] || "${PYTHON:-python3}" -m venv "$tools"
"$tools/bin/pip" install --quiet --require-hashes -r requirements/wheel.txt
export PATH="$tools/bin:$PATH"

# wheel TARGET OPTION...: everything but live measurement, which crates/py has on Linux alone
wheel() {
    rustup target add "$1" >/dev/null 2>&1
    maturin build --release --strip --locked --quiet --target "$@" --out "$out"
}

linux() {
    local architecture gnu musl
    for architecture in $architectures; do
        gnu=$architecture-unknown-linux-gnu musl=$architecture-unknown-linux-musl
        wheel "$gnu" --zig --compatibility manylinux_2_28
        wheel "$musl" --zig --compatibility musllinux_1_2
        cargo zigbuild --locked --quiet --profile static --package sojourn-agent --bin sojourn-agent --target "$musl"
        cp "target/$musl/static/sojourn-agent" "$out/sojourn-agent-$architecture"
    done
    cargo run --locked --quiet --package sojourn-agent --example pages "$out/share"
}

windows() {
    command -v x86_64-w64-mingw32-gcc >/dev/null || { echo "Windows needs x86_64-w64-mingw32-gcc, of gcc-mingw-w64-x86-64" >&2; exit 1; }
    wheel x86_64-pc-windows-gnu
}

# no SDK of Apple: what an extension of the stable ABI links is in zig's libSystem
macos() {
    wheel aarch64-apple-darwin --zig
    wheel x86_64-apple-darwin --zig
}

make wasm editor
"$tools/bin/maturin" sdist --out "$out"
for platform in $platforms; do "$platform"; done
ls -l "$out"
