#!/usr/bin/env bash
# Builds the simulation for pages, python/sojourn/web/sojourn.wasm.gz, and captures.wasm.gz, which reads captures as well.
# rustup adds the target; without rustup the distribution's compiler must have it, or the sources of the standard library
# (rust-src), which are compiled then.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target=wasm32-unknown-unknown
web=python/sojourn/web
standard=()
if command -v rustup >/dev/null; then
    rustup target list --installed | grep -qx "$target" || rustup target add "$target"
elif [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    if [ ! -d "$(rustc --print sysroot)/lib/rustlib/src/rust/library" ]; then
        echo "make wasm: rustc has neither $target nor rust-src: install rustup, or either of them" >&2
        exit 1
    fi
    export RUSTC_BOOTSTRAP=1 # an option of cargo that is not stable
    standard=(-Z build-std=std,panic_abort)
fi
compress='import sys, deflate; sys.stdout.buffer.write(deflate.gzip_compress(sys.stdin.buffer.read(), 12))'

# built NAME OPTIONS: the module with these features
built() {
    cargo build --locked --quiet --profile wasm --target "$target" -p sojourn-wasm "${standard[@]}" "${@:2}"
    .venv/bin/python -c "$compress" <"target/$target/wasm/sojourn_wasm.wasm" >"$web/$1.part"
    mv "$web/$1.part" "$web/$1"
}
built captures.wasm.gz
built sojourn.wasm.gz --no-default-features
