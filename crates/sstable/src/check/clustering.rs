use outpour_cql::marshal::{self, MarshalType};

use crate::{Error, Result, Sstable};

/// The type of a clustering column, and how the header writes it.
pub(super) struct ClusteringType {
    pub(super) parsed: MarshalType,
    java_type: String,
}

/// The types of the clustering columns.
pub(super) fn types(sstable: &Sstable) -> Result<Vec<ClusteringType>> {
    let parse = |java_type: &String| {
        let unknown =
            |e: String| Error::unsupported(sstable.statistics_name(), java_type.as_str(), e);
        let parsed = marshal::parse(java_type).map_err(|e| unknown(e.to_string()))?;
        Ok(ClusteringType { parsed, java_type: java_type.clone() })
    };
    sstable.statistics().header.clustering_types.iter().map(parse).collect()
}

/// Whether the order of its values is not known: a component of a composite may be reversed alone,
/// which our types do not keep, and a dynamic composite names its types by aliases.
pub(super) fn has_hidden_order(clustering_type: &ClusteringType) -> bool {
    let java_type = &clustering_type.java_type;
    let reversals = java_type.matches("ReversedType").count();
    reversals > usize::from(clustering_type.parsed.reversed)
        || java_type.contains("DynamicComposite")
}
