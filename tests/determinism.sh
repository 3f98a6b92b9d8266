#!/usr/bin/env bash
# The same bytes from every build: usage determinism.sh FORKSIM FORKSIM...
# Runs each scenario with each binary, with one and two jobs, and with the C library's FMA variants switched off.
set -euo pipefail
export FORKSIM_LIBRARY
FORKSIM_LIBRARY=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

runs=(
    "one-lock --replications 3 --duration 20ms"
    "threadspawn1-20c --replications 3 --duration 10ms --patch pidmap-once --patch pidfs-rhashtable"
    "threadspawn1 --cpus 80 --replications 2 --duration 5ms"
    "threadspawn1-512t --replications 2 --duration 2ms --warmup 2ms"
)
different=0
for run in "${runs[@]}"; do
    wanted=
    for binary in "$@"; do
        for jobs in 1 2; do
            for tunables in "" "glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"; do
                # shellcheck disable=SC2086 # the words of a run are separate arguments
                GLIBC_TUNABLES=$tunables "$binary" run $run --jobs "$jobs" --format json --reproducible >"$scratch/out"
                sum=$(sha256sum <"$scratch/out")
                : "${wanted:=$sum}"
                [[ $sum == "$wanted" ]] && continue
                echo "different bytes: $binary run $run --jobs $jobs, GLIBC_TUNABLES='$tunables'"
                different=1
            done
        done
    done
    ((different)) || echo "the same bytes from $# builds: $run"
done
exit "$different"
