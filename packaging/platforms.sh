#!/usr/bin/env bash
# What other platforms compute, under emulation: the lab without live measurement as a program, for
# `tests/platforms/test_emulated.py`, and the tests of crates below it. mingw-w64 links for Windows, which Wine runs; zig
# links for 64-bit ARM, which qemu runs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
built=${CARGO_TARGET_DIR:-$PWD/target}
tools=$PWD/.venv/wheel
windows=x86_64-pc-windows-gnu arm=aarch64-unknown-linux-gnu
lab=(--locked --quiet --package sojourn-lab --no-default-features --example requests)
# the engine, what scenarios are read by, what makes points and results of them, and a network with a closed form and one on a wire
tested=(--package sojourn-core --package sojourn-engine --package sojourn-scenario --package sojourn-metrics
    --package sojourn-experiment --package sojourn-queue --package sojourn-modbus)

rustup target add $windows $arm >/dev/null 2>&1
if [ ! -x "$tools/bin/cargo-zigbuild" ]; then
    "${PYTHON:-python3}" -m venv "$tools"
    "$tools/bin/pip" install --quiet --require-hashes -r requirements/wheel.txt
fi
export PATH="$tools/bin:$PATH" WINEDEBUG=-all CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine

# the refusals, by a build of this platform
cargo test --locked --quiet --package sojourn-lab --no-default-features --lib live
cargo zigbuild "${lab[@]}" --target $arm
cargo build "${lab[@]}" --target $windows
for folder in examples deps; do
    x86_64-w64-mingw32-gcc -shared -O1 -s packaging/wine/bcryptprimitives.c -ladvapi32 \
        -o "$built/$windows/debug/$folder/bcryptprimitives.dll"
done
cargo test --locked --quiet --target $windows "${tested[@]}"
