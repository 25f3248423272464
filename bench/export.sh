#!/usr/bin/env bash
# export.sh DIR [RUNS]   rates and peak memory of `outpour export` and `outpour info` on a table made by table.sh
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
dir=$1 runs=${2:-3}
cargo build --release --quiet --manifest-path "$root/Cargo.toml"
bin=$root/target/release/outpour
rows=$("$bin" info "$dir" --json | python3 -c 'import json, sys; print(sum(t["totals"]["rows"] for t in json.load(sys.stdin)["tables"]))')
measure() { # label, arguments: best of the runs
  local label=$1 best; shift
  best=$(for _ in $(seq "$runs"); do
    { /usr/bin/time -f '%e %U %S %M' "$bin" "$@" > /dev/null; } 2>&1 | tail -n 1
  done | sort -n | head -n 1)
  awk -v label="$label" -v rows="$rows" '{ cpu = $2 + $3; if (cpu == 0) cpu = 0.01; if ($1 == 0) $1 = 0.01
    printf "%-34s %7.2f s  %7.2f CPU-s  %9.0f rows/s  %9.0f rows/CPU-s  %6.0f MiB peak\n", label, $1, cpu, rows / $1, rows / cpu, $4 / 1024 }' <<< "$best"
}
echo "$rows rows"
for threads in 1 2; do
  measure "jsonl, $threads thread(s)" export "$dir" --table bench.events --quiet --threads $threads
  measure "csv, $threads thread(s)" export "$dir" --table bench.events --quiet --threads $threads --format csv
done
measure "jsonl, --memory 256MiB" export "$dir" --table bench.events --quiet --memory 256MiB
measure "info" info "$dir"
