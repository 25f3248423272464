#!/usr/bin/env bash
# fixtures.sh OUTPOUR DIR: what OUTPOUR makes of the test files of Apache Cassandra in DIR, which are read in place.
set -euo pipefail
outpour=$1 dir=$2 failed=0

fail() { echo "FAIL $*"; failed=1; }

# rows N PATTERN SOURCE: N different rows, each of them PATTERN
rows() {
  local out all good
  out=$("$outpour" export "$3" --infer-schema --quiet) || { fail "$3: status $?"; return; }
  all=$(sort <<< "$out" | uniq | wc -l)
  good=$(grep -cEx "$2" <<< "$out" || true)
  [ "$all" = "$1" ] && [ "$good" = "$1" ] || fail "$3: $all rows, $good as expected, not $1"
}

# refused TEXT SOURCE: status 1 and TEXT on standard error
refused() {
  local status=0 said
  said=$("$outpour" export "$2" --infer-schema 2>&1 > /dev/null) || status=$?
  [ "$status" = 1 ] && [[ $said == *"$1"* ]] || fail "$2: status $status: $said"
}

# sound SOURCE: verify finds nothing
sound() {
  "$outpour" verify "$1" --infer-schema --quiet > /dev/null 2>&1 || fail "$1: verify: status $?"
}

for version in ma mb mc md me na nb oa da; do
  table=$dir/legacy-sstables/$version/legacy_tables/legacy_$version
  rows 5 '\{"key": "[0-4]", "val": "foo bar baz"\}' "${table}_simple"
  rows 5 '\{"key": "[0-4]", "val": 1\}' "${table}_simple_counter"
  rows 250 '\{"key": "[0-4]", "column1": "[0-9]{100,}", "val": "[a-z]{128}"\}' "${table}_clust"
  rows 250 '\{"key": "[0-4]", "column1": "[0-9]{100,}", "val": 1\}' "${table}_clust_counter"
done
for table in "$dir"/legacy-sstables/{m?,nb,oa,da}/legacy_tables/*; do sound "$table"; done
for table in "$dir"/legacy-sstables/na/legacy_tables/legacy_na_*_compact; do refused 'pre-release of Cassandra 4.0' "$table"; done
for table in "$dir"/legacy-sstables/nc/legacy_tables/*; do refused 'never released' "$table"; done
for version in ma mb mc md me; do
  table=$dir/legacy-sstables/$version/legacy_tables/legacy_$version
  # Without a schema, static columns are what they are stored as.
  rows 5 '\{"key": "[0-4]", "column1": null, "val": "foo bar baz"\}' "${table}_simple_compact"
  rows 5 '\{"key": "[0-4]", "column1": null, "val": 1\}' "${table}_simple_counter_compact"
  rows 250 '\{"key": "[0-4]", "column1": "[0-9]{100,}", "val": "[a-z]{128}"\}' "${table}_clust_compact"
  rows 250 '\{"key": "[0-4]", "column1": "[0-9]{100,}", "val": 1\}' "${table}_clust_counter_compact"
done
rows 1 '\{"key": 100, "column1": 4, "column2": 4, "column3": 4, "v": 4\}' "$dir/legacy-sstables/mc/legacy_tables/legacy_mc_inaccurate_min_max"
for table in "$dir"/bloom-filter/*/foo; do refused 'Cassandra before 3.0' "$table"; done

invalid=$dir/negative-ldts-invalid-deletions-test
for table in "$invalid"/invalid_range_tombstone_*; do refused 'local deletion time' "$table"; done
for table in "$invalid"/invalid_partition_deletion "$invalid"/invalid_tombstones; do refused 'never released' "$table"; done
for table in "$dir"/negative-local-expiration-test/*; do refused 'local deletion time' "$table"; done

[ "$failed" = 0 ] && echo 'as expected'
exit "$failed"
