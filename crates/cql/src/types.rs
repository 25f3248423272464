use std::sync::Arc;

/// A CQL type, or a marshal class that old tables have and CQL cannot name.
///
/// Whether a collection or UDT is frozen is no part of the type: inside another type it always is,
/// and of a whole column [`crate::Column::multi_cell`] tells.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CqlType {
    /// 7-bit text
    Ascii,
    /// 64-bit integer
    Bigint,
    /// Bytes
    Blob,
    /// True or false
    Boolean,
    /// Sum of shards; the cell holds a counter context
    Counter,
    /// Day, as unsigned 32 bits with 1970-01-01 in the middle
    Date,
    /// 32-bit scale and unscaled varint
    Decimal,
    /// 64-bit float
    Double,
    /// Months, days and nanoseconds
    Duration,
    /// 32-bit float
    Float,
    /// IPv4 or IPv6 address
    Inet,
    /// 32-bit integer
    Int,
    /// 16-bit integer
    Smallint,
    /// UTF-8
    Text,
    /// Nanosecond of the day
    Time,
    /// Milliseconds since 1970
    Timestamp,
    /// Version 1 UUID, ordered by its time
    Timeuuid,
    /// 8-bit integer
    Tinyint,
    /// UUID
    Uuid,
    /// Two's complement integer of any size
    Varint,
    /// `EmptyType`: no bytes; the value column of compact tables that have none
    Empty,
    /// `DateType`: a timestamp that orders as unsigned bytes (tables from 1.x)
    LegacyTimestamp,
    /// `LexicalUUIDType`: a UUID that orders as Java's `UUID.compareTo`
    LexicalUuid,
    /// Elements in the order given
    List(Box<CqlType>),
    /// Elements in their own order
    Set(Box<CqlType>),
    /// Entries in the order of their keys
    Map(Box<CqlType>, Box<CqlType>),
    /// Fields by position
    Tuple(Vec<CqlType>),
    /// Fields by name
    Udt(Arc<UdtType>),
    /// A fixed number of elements, none null
    Vector(Box<CqlType>, usize),
    /// `CompositeType`: components with 16-bit lengths (compact tables, composite partition keys)
    Composite(Vec<CqlType>),
    /// `DynamicCompositeType`: components that name their types; shown as bytes
    DynamicComposite,
}

/// A user-defined type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UdtType {
    /// Where it was created
    pub keyspace: String,
    /// As created, case kept
    pub name: String,
    /// In the order of their creation
    pub fields: Vec<UdtField>,
}

/// One field of a [`UdtType`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UdtField {
    /// As created, case kept
    pub name: String,
    /// Its type, frozen
    pub cql_type: CqlType,
}

impl CqlType {
    /// The length of every non-empty value that Cassandra writes without a length prefix, `None`
    /// for types whose values carry one (`AbstractType.valueLengthIfFixed`, 3.0 to 5.0).
    ///
    /// tinyint, smallint, date, time, counter and inet are **not** fixed in this sense.
    #[must_use]
    pub fn fixed_len(&self) -> Option<usize> {
        match self {
            Self::Empty => Some(0),
            Self::Boolean => Some(1),
            Self::Float | Self::Int => Some(4),
            Self::Double | Self::Bigint | Self::Timestamp | Self::LegacyTimestamp => Some(8),
            Self::Uuid | Self::Timeuuid | Self::LexicalUuid => Some(16),
            Self::Vector(element, dimension) => {
                element.fixed_len().map(|len| len.saturating_mul(*dimension))
            }
            _ => None,
        }
    }

    /// The types that this one is made of: of elements, of keys and values, of fields.
    #[must_use]
    pub fn inner(&self) -> Vec<&Self> {
        match self {
            Self::List(inner) | Self::Set(inner) | Self::Vector(inner, _) => vec![inner],
            Self::Map(key, value) => vec![key, value],
            Self::Tuple(types) | Self::Composite(types) => types.iter().collect(),
            Self::Udt(udt) => udt.fields.iter().map(|field| &field.cql_type).collect(),
            _ => Vec::new(),
        }
    }

    /// Adds the UDTs that this type is made of to `found`, each once.
    pub fn collect_udts(&self, found: &mut Vec<Arc<UdtType>>) {
        for inner in self.inner() {
            inner.collect_udts(found);
        }
        if let Self::Udt(udt) = self
            && !found.contains(udt)
        {
            found.push(Arc::clone(udt));
        }
    }

    /// Whether a column of this type can be stored as one cell an element.
    #[must_use]
    pub fn can_be_multi_cell(&self) -> bool {
        matches!(self, Self::List(_) | Self::Set(_) | Self::Map(..) | Self::Udt(_))
    }
}
