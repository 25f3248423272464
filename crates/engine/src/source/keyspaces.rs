//! Keyspaces that a database keeps for itself.

/// Of Cassandra (`schema/SchemaConstants.java`, 3.0 to 6.0), of ScyllaDB and of DataStax Enterprise. A user may
/// call a keyspace `system_…` too.
const OF_THE_SYSTEM: [&str; 22] = [
    "system",
    "system_accord",
    "system_auth",
    "system_cluster_metadata",
    "system_distributed",
    "system_schema",
    "system_traces",
    "system_views",
    "system_virtual_schema",
    // ScyllaDB
    "system_distributed_everywhere",
    "system_replicated_keys",
    // DataStax Enterprise
    "dse_analytics",
    "dse_insights",
    "dse_insights_local",
    "dse_leases",
    "dse_perf",
    "dse_security",
    "dse_system",
    "dse_system_local",
    "dsefs",
    "solr_admin",
    "system_backups",
];

/// Whether it is read only if it is asked for.
pub(super) fn is_of_the_system(keyspace: &str) -> bool {
    OF_THE_SYSTEM.contains(&keyspace)
}
