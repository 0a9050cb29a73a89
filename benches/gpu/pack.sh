#!/usr/bin/env bash
# Builds what session.sh needs and gathers it in an empty folder, which can then be copied to a machine without a toolchain.
#
#     pack.sh DIR
#
# The programs need the C library of the machine that built them, or a later one.
set -euo pipefail

[ $# = 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
# Bytes that a folder to be copied may have.
limit=60000000
mkdir -p "$1"
dir=$(cd "$1" && pwd)
[ -z "$(ls -A "$dir")" ] || { echo "$dir is not empty" >&2; exit 2; }
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files="$work/files"
mkdir -p "$files/golden" "$files/benches/peers" "$files/benches/fixed_effects"
export CARGO_INCREMENTAL=0
# All that a device runs; engines of clusters and object stores are most of the code of a build with all features.
features=cli,cuda,vulkan,schwarz

# The program NAME among those that cargo builds for these arguments, as FILE and without symbols.
take() {
    local name=$1 file=$2 built
    shift 2
    built=$(cargo "$@" --features "$features" --message-format=json-render-diagnostics |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | grep -E "/$name(-[0-9a-f]+)?$")
    strip -s -o "$files/$file" "$built"
}
take burn_did unit test --release --no-run --lib
take suite suite test --release --no-run --test suite
take gpu gpu bench --no-run --bench gpu
take gpu_check gpu_check build --release --example gpu_check

cp tests/golden/*.csv tests/golden/*.json "$files/golden"
cp benches/peers/*.py "$files/benches/peers"
cp benches/fixed_effects/*.py "$files/benches/fixed_effects"
echo "burn-did $(git describe --always --dirty), $(rustc --version), packed $(date -u +%F)" >"$files/BUILD"

# Most of every program is the same code of dependencies, which a window as long as all of them finds again.
tar -C "$files" --sort=name -cf - . | xz -T1 --lzma2=preset=6,dict=512MiB >"$dir/files.tar.xz"
cp benches/gpu/session.sh "$dir"
bytes=$(du -sb "$dir" | cut -f 1)
echo "$dir: $bytes bytes; unpacked $(du -sb "$files" | cut -f 1)"
if ((bytes > limit)); then
    echo "more than $limit bytes: too many to copy" >&2
    rm -r "${dir:?}"
    exit 1
fi
