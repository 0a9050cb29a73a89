#!/usr/bin/env bash
# A visit to a machine with a GPU, in less than nine minutes: device tests, fits beside the CPU's, costs, races, a profile.
#
#     session.sh OUT
#
# It needs neither network nor toolchain, but what pack.sh gathered, beside it or in BURN_DID_SESSION_FILES. OUT gets session.md,
# whose table is also printed, session.log, which is all that the steps said, and profile.txt. The exit status is 0 only if every step
# succeeded and nothing on a standard error looks like a failure that was swallowed. Further variables:
#
#     BURN_DID_SESSION_BACKEND   cuda, or vulkan, wgpu or cpu
#     BURN_DID_SESSION_SCALE     multiplies rows and units, for a software driver
#     BURN_DID_SESSION_SECONDS   510: when to stop; steps that have not begun by then fail. With more, each step may take more
set -uo pipefail
export LC_ALL=C

[ $# = 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
backend=${BURN_DID_SESSION_BACKEND:-cuda}
scale=${BURN_DID_SESSION_SCALE:-1}
budget=${BURN_DID_SESSION_SECONDS:-510}
files=${BURN_DID_SESSION_FILES:-$(cd "$(dirname "$0")" && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'finish; exit 143' INT TERM
failures=0
rows="$work/rows"
: >"$rows"
: >"$out/session.log"

# A line of the table: step, result, seconds, verdict.
row() { printf '| %s | %s | %s | %s |\n' "$1" "${2//|//}" "$3" "${4//|//}" >>"$rows"; }

# Writes the table; once more for each step, so that it is there however the session ends.
table() {
    {
        printf '# %s on %s, %s, scale %s\n\n' "$backend" "$(uname -n)" "$(date -u '+%F %H:%M UTC')" "$scale"
        printf '| step | result | seconds | verdict |\n|---|---|---:|---|\n'
        cat "$rows"
        printf '\n%s in %s s; %s failed.\n' "${1:-Not finished}" "$SECONDS" "$failures"
    } >"$out/session.md"
}

finish() {
    table "${1:-Stopped}"
    cat "$out/session.md"
}

# What a step's output says for the table.
results() {
    sed -n -e 's/^RESULT: //p' -e 's/^test result: //p' -e 's/^=* *\(RACECHECK SUMMARY.*\)/\1/p' "$work/out"
    local skipped
    skipped=$(grep -c 'skipped: ' "$work/out")
    [ "$skipped" = 0 ] || echo "$skipped skipped themselves: $(grep -o -m 1 'skipped: .*' "$work/out" | cut -c 10-)"
}

# step NAME LIMIT COMMAND...: runs a command for at most so many seconds of 510, and no longer than the session. With `foreign` set the
# command is another's program: it may fail, and only what must come from us counts on its standard error.
step() {
    local name=$1 limit=$(($2 * budget / 510)) left start status=0 verdict=ok wrong='panicked|CUDA_ERROR|[Ee]rror|ERROR' said line
    shift 2
    left=$((budget - SECONDS))
    if ((left < 3)); then
        verdict="no time left"
        [ -n "${foreign:-}" ] || { verdict="FAILED: $verdict"; failures=$((failures + 1)); }
        row "$name" "" "" "$verdict"
        return
    fi
    ((limit < left)) || limit=$left
    [ -z "${foreign:-}" ] || wrong='panicked|CUDA_ERROR'
    start=$EPOCHREALTIME
    timeout --kill-after=5 "$limit" "$@" >"$work/out" 2>"$work/err" </dev/null || status=$?
    said=$(grep -E -m 1 "$wrong" "$work/err" | cut -c 1-200)
    if [ -n "$said" ]; then
        verdict="FAILED: $said"
    elif [ "$status" = 124 ] || [ "$status" = 137 ]; then
        verdict="FAILED: killed after at most $limit s"
    elif [ "$status" != 0 ]; then
        verdict="FAILED, status $status: $(tail -n 1 "$work/err" | cut -c 1-200)"
    fi
    if [ -n "${foreign:-}" ] && [ -z "$said" ]; then
        verdict=${verdict/FAILED/no result}
    fi
    [ "${verdict#FAILED}" = "$verdict" ] || failures=$((failures + 1))
    {
        printf '\n===== %s: %s\n----- %s\n' "$name" "$verdict" "$*"
        cat "$work/out"
        printf -- '----- standard error\n'
        cat "$work/err"
    } >>"$out/session.log"
    mapfile -t lines < <(results)
    row "$name" "${lines[0]:-}" "$(awk "BEGIN {printf \"%.1f\", $EPOCHREALTIME - $start}")" "$verdict"
    for line in "${lines[@]:1}"; do
        row "" "$line" "" ""
    done
    table
}

# The first of some paths that exists.
existing() {
    local path
    for path; do
        [ ! -e "$path" ] || { echo "$path"; return; }
    done
}

# The command by its name, or in the toolkit.
tool() { command -v "$1" || existing "${CUDA_PATH:-}/bin/$1" "${CUDA_PATH:-}/compute-sanitizer/$1"; }

# Rows at the session's scale.
scaled() { awk "BEGIN {printf \"%d\", ($1 * $scale < 1) ? 1 : $1 * $scale}"; }

environment() {
    echo "RESULT: $(cat "$1/BUILD")"
    echo "RESULT: $(uname -srm), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores, $(awk \
        '/^MemTotal/ {printf "%.0f GiB", $2 / 1048576}' /proc/meminfo)"
    if command -v nvidia-smi >/dev/null; then
        echo "RESULT: $(nvidia-smi --query-gpu=name,driver_version,memory.total,memory.free,clocks.sm,clocks.mem --format=csv,noheader)"
        nvidia-smi
    else
        echo "RESULT: no nvidia-smi"
    fi
    local nvrtc
    nvrtc=$(existing "${CUDA_PATH:-}"/lib64/libnvrtc.so.*.*)
    echo "RESULT: CUDA_PATH ${CUDA_PATH:-not set}, NVRTC ${nvrtc:-$(ldconfig -p | grep -o -m 1 'libnvrtc\.so.*' || echo "not found")}"
    if command -v vulkaninfo >/dev/null; then
        vulkaninfo --summary 2>&1 | sed -n 's/^[[:space:]]*\(deviceName\|driverInfo\)[[:space:]]*= /RESULT: Vulkan: /p'
    else
        echo "RESULT: no vulkaninfo; $(ldconfig -p | grep -o -m 1 'libvulkan\.so.*' || echo "no libvulkan")"
    fi
}
export -f environment existing

# The toolkit, where the variables do not say it.
for toolkit in "${CUDA_PATH:-}" /usr/local/cuda "$(dirname "$(dirname "$(command -v nvcc || echo /nowhere/bin/nvcc)")")"; do
    if [ -e "$toolkit/include/cuda_runtime.h" ]; then
        export CUDA_PATH=$toolkit LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$toolkit/lib64"
        break
    fi
done
modules=(cuda:: vulkan:: wgpu::)
case $backend in
    cuda) export BURN_DID_REQUIRE_CUDA=1 ;;
    cpu) modules=(backends::) ;;
    vulkan | wgpu) export BURN_DID_REQUIRE_WGPU=1 ;;
esac
# Vulkan drivers complain about its absence in the words of an error.
[ -d "${XDG_RUNTIME_DIR:-}" ] || export XDG_RUNTIME_DIR=$work

if [ -e "$files/files.tar.xz" ]; then
    mkdir "$work/files"
    tar -xJf "$files/files.tar.xz" -C "$work/files" || python3 -m tarfile -e "$files/files.tar.xz" "$work/files" || exit 2
    files="$work/files"
fi
export BURN_DID_GOLDEN="$files/golden" BURN_DID_BENCHES="$files/benches"
cd "$work" || exit 2

step "environment" 20 bash -c "environment '$files'"
step "kernels" 90 "$files/unit" --nocapture backend::cube
step "golden cases" 90 "$files/suite" --nocapture "${modules[@]}"
if ((failures == 2)); then
    finish "Stopped: neither kernels nor fits are right, so that nothing is worth measuring"
    exit 1
fi
step "operations, $(scaled 266241) rows" 40 "$files/gpu_check" "$(scaled 266241)" "$backend"
for case in p1 p2 p3; do
    step "fits of $case" 45 "$files/gpu" fits "$backend" "$case" --scale "$scale"
done
step "fits of p1-10m" 120 "$files/gpu" fits "$backend" p1-10m --scale "$scale"
if [ "$backend" = cuda ] && ldconfig -p | grep -q libvulkan; then
    for case in p1 p2 p3; do
        step "fits of $case by Vulkan" 45 "$files/gpu" fits vulkan "$case" --scale "$scale"
    done
fi
for design in simple2 difficult2 network2; do
    step "regression of $design" 45 "$files/gpu" regressions "$backend" "$design" --rows "$(scaled 1000000)"
done
step "operations, $(scaled 4000000) rows" 60 "$files/gpu_check" "$(scaled 4000000)" "$backend"
step "costs" 40 "$files/gpu" costs "$backend" --rows "$(scaled 4000000)"

if [ "$backend" = cuda ] && [ -n "$(tool compute-sanitizer)" ]; then
    step "races" 60 "$(tool compute-sanitizer)" --tool racecheck --error-exitcode 9 \
        "$files/gpu" profile "$backend" p1 p2 p3 --scale "$(awk "BEGIN {print 0.02 * $scale}")"
else
    row "races" "left out: no compute-sanitizer, or not CUDA" "" ""
fi

if [ "$backend" = cuda ] && [ -n "$(tool nsys)$(tool ncu)" ]; then
    if [ -n "$(tool nsys)" ]; then
        profiler=("$(tool nsys)" profile --trace=cuda --sample=none --stats=true --force-overwrite=true --output="$work/nsys")
    else
        profiler=("$(tool ncu)" --clock-control none --launch-count 60 --print-summary per-kernel
            --section SpeedOfLight --section LaunchStats --section Occupancy)
    fi
    for case in p1 p2 p3; do
        foreign=yes step "profile of $case" 30 "${profiler[@]}" "$files/gpu" profile "$backend" "$case" --scale "$scale"
        cat "$work/out" >>"$out/profile.txt"
    done
else
    row "profile" "left out: neither nsys nor ncu, or not CUDA" "" ""
fi

foreign=yes step "pyfixest" 60 "$files/gpu" pyfixest "$backend" simple2 difficult2 network2 --rows "$(scaled 1000000)"
foreign=yes step "ModernDiD" 60 "$files/gpu" moderndid "$backend" p1 p2 --scale "$scale"

finish "Finished"
[ "$failures" = 0 ]
