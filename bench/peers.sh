#!/usr/bin/env bash
# peers.sh DIR [PAIRS]   `sstabledump -l`, `outpour export` and `outpour dump -l` on the same table, one after the other, and the ratios of their CPU time
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
kit=$root/../shared/oracle/cassandra
dir=$1 pairs=${2:-3}
: "${ORACLE_HOME:?set it to a folder that the kit was set up in: $kit/setup.sh}"
cargo build --release --quiet --manifest-path "$root/Cargo.toml"
bin=$root/target/release/outpour
cpu() { { /usr/bin/time -f '%U %S' "$@" > /dev/null; } 2>&1 | tail -n 1 | awk '{ print $1 + $2 }'; }
for _ in $(seq "$pairs"); do
  theirs=$(cpu "$kit/dump.sh" "$dir" -l)
  export=$(cpu "$bin" export "$dir" --table bench.events --quiet)
  dump=$(cpu "$bin" dump -l "$dir" --quiet)
  awk -v t="$theirs" -v e="$export" -v d="$dump" 'BEGIN {
    printf "sstabledump -l %.2f CPU-s, outpour export %.2f CPU-s, ratio %.1f, outpour dump -l %.2f CPU-s, ratio %.1f\n", t, e, t / e, d, t / d }'
done
