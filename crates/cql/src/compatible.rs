use crate::{CqlType, UdtField};

impl CqlType {
    /// Whether values written as `stored` are values of this type too, byte for byte: the changes
    /// that Cassandra has allowed to a column (`AbstractType.isValueCompatibleWith`), among them
    /// fields added to a UDT.
    #[must_use]
    pub fn holds_values_of(&self, stored: &Self) -> bool {
        match (self, stored) {
            (Self::Blob, _) => true,
            (Self::Text, Self::Ascii) | (Self::Uuid, Self::Timeuuid | Self::LexicalUuid) => true,
            (Self::Varint, Self::Int | Self::Bigint | Self::Timestamp) => true,
            (Self::Bigint, Self::Timestamp) | (Self::Timestamp, Self::LegacyTimestamp) => true,
            (Self::List(a), Self::List(b)) | (Self::Set(a), Self::Set(b)) => a.holds_values_of(b),
            (Self::Map(ak, av), Self::Map(bk, bv)) => {
                ak.holds_values_of(bk) && av.holds_values_of(bv)
            }
            (Self::Vector(a, n), Self::Vector(b, m)) => n == m && a.holds_values_of(b),
            (Self::Composite(a), Self::Composite(b)) => hold(a.iter(), b.iter()),
            (Self::Tuple(a), Self::Tuple(b)) => hold(a.iter(), b.iter()),
            (Self::Udt(a), Self::Udt(b)) => hold(types(&a.fields), types(&b.fields)),
            // A dropped column's UDTs are recorded as tuples.
            (Self::Tuple(a), Self::Udt(b)) => hold(a.iter(), types(&b.fields)),
            (Self::Udt(a), Self::Tuple(b)) => hold(types(&a.fields), b.iter()),
            _ => self == stored,
        }
    }
}

fn types(fields: &[UdtField]) -> impl ExactSizeIterator<Item = &CqlType> {
    fields.iter().map(|field| &field.cql_type)
}

/// Later fields may be missing in what is stored.
fn hold<'a>(
    types: impl ExactSizeIterator<Item = &'a CqlType>,
    stored: impl ExactSizeIterator<Item = &'a CqlType>,
) -> bool {
    stored.len() <= types.len() && types.zip(stored).all(|(a, b)| a.holds_values_of(b))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::UdtType;

    fn udt(types: &[CqlType]) -> CqlType {
        let field =
            |(i, t): (usize, &CqlType)| UdtField { name: format!("f{i}"), cql_type: t.clone() };
        let fields = types.iter().enumerate().map(field).collect();
        CqlType::Udt(Arc::new(UdtType { keyspace: "k".into(), name: "u".into(), fields }))
    }

    #[test]
    fn fields_may_be_added_but_not_changed() {
        let (old, new) = (udt(&[CqlType::Int]), udt(&[CqlType::Int, CqlType::Text]));
        assert!(new.holds_values_of(&old));
        assert!(!old.holds_values_of(&new));
        assert!(!udt(&[CqlType::Text]).holds_values_of(&old));
        let list = |t: &CqlType| CqlType::List(Box::new(t.clone()));
        assert!(list(&new).holds_values_of(&list(&old)));
        assert!(!list(&new).holds_values_of(&CqlType::Set(Box::new(old))));
    }
}
