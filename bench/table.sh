#!/usr/bin/env bash
# table.sh ROWS DIR   the 12-column table of the benchmarks, written by the real CQLSSTableWriter in token order
set -euo pipefail
kit=$(cd "$(dirname "$0")/../../shared/oracle/cassandra" && pwd)
rows=$1 dir=$2
: "${ORACLE_HOME:?set it to a folder that the kit was set up in: $kit/setup.sh}"
mkdir -p "$dir"
"$kit/gen_csv.py" "$rows" --sort | "$kit/bulkwrite.sh" "$dir" sorted
cp "$kit/bench.cql" "$dir/schema.cql"
