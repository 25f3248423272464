use outpour_cql::{CqlType, Partitioner};

/// A condition on a row. Values are bytes of the type they are compared with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    /// All hold
    And(Vec<Predicate>),
    /// One holds
    Or(Vec<Predicate>),
    /// It is false; if it is neither true nor false, so is this.
    Not(Box<Predicate>),
    /// `path op value`
    Compare {
        /// What is compared
        path: Path,
        /// How
        comparison: Comparison,
        /// With what
        value: Vec<u8>,
    },
    /// `path IN (values)`
    In {
        /// What is looked for
        path: Path,
        /// Where
        values: Vec<Vec<u8>>,
    },
    /// `path LIKE pattern`
    Like {
        /// A text
        path: Path,
        /// What it is like
        pattern: Pattern,
    },
    /// `path CONTAINS value`, `path CONTAINS KEY value`
    Contains {
        /// A list, set or map
        path: Path,
        /// What of it is looked through
        part: Part,
        /// What is looked for
        value: Vec<u8>,
    },
    /// `path IS NULL`; true or false. An empty value is not null.
    IsNull(Path),
    /// `token(partition key) op token`
    Token {
        /// The partition key's columns
        key: Vec<Column>,
        /// What makes the tokens
        partitioner: Partitioner,
        /// How it is compared
        comparison: Comparison,
        /// With what; a token of the partitioner
        token: i128,
    },
    /// `(a, b) op (x, y)`: by the first columns that differ from their values
    Row {
        /// The columns
        paths: Vec<Path>,
        /// How they are compared
        comparison: Comparison,
        /// With what, one for each
        values: Vec<Vec<u8>>,
    },
}

/// How values are compared: in the order of their type. `!=` is NOT `=`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// Whether it holds of two values that compare so.
    #[inline]
    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
        }
    }

    /// Greater for less, and less for greater.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// Less for less or equal, greater for greater or equal.
    #[must_use]
    pub fn strict(self) -> Self {
        match self {
            Self::LessOrEqual => Self::Less,
            Self::GreaterOrEqual => Self::Greater,
            other => other,
        }
    }
}

/// What CONTAINS looks through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Elements of a list or set, values of a map
    Values,
    /// Keys of a map
    Keys,
}

/// A pattern of LIKE: `%` at an end stands for any text; anywhere else it is a character like others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// `'x'`
    Whole(String),
    /// `'x%'`
    Prefix(String),
    /// `'%x'`
    Suffix(String),
    /// `'%x%'`
    Infix(String),
}

/// A column of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// As created, case kept
    pub name: String,
    /// What it is to the table
    pub place: Place,
    /// Its type
    pub cql_type: CqlType,
}

/// What a column is to its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A column of the partition key, by its number there
    PartitionKey(usize),
    /// A clustering column, by its number
    Clustering(usize),
    /// Any other, static or not
    Other,
}

/// A column or a part of its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The column
    pub column: Column,
    /// From its value to the part
    pub steps: Vec<Step>,
}

/// A step from a value to a value inside it, which is null where there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `u.field`: the field of a UDT, by its number
    Field(usize),
    /// `m[key]`: the value of a map's key
    Key(Vec<u8>),
    /// `l[0]`: the element of a list or vector, counted from 0
    Index(usize),
}

impl Path {
    /// The type of the part.
    #[must_use]
    pub fn cql_type(&self) -> &CqlType {
        self.steps
            .iter()
            .fold(&self.column.cql_type, |cql_type, step| step.of(cql_type).unwrap_or(cql_type))
    }

    /// The column, if it is all of it.
    #[must_use]
    pub fn whole_column(&self) -> Option<&Column> {
        self.steps.is_empty().then_some(&self.column)
    }
}

impl Step {
    /// The type that it leads to from `cql_type`, if it leads anywhere.
    pub(crate) fn of<'t>(&self, cql_type: &'t CqlType) -> Option<&'t CqlType> {
        match (self, cql_type) {
            (Self::Field(index), CqlType::Udt(udt)) => Some(&udt.fields.get(*index)?.cql_type),
            (Self::Key(_), CqlType::Map(_, value)) => Some(value),
            (Self::Index(_), CqlType::List(element) | CqlType::Vector(element, _)) => Some(element),
            _ => None,
        }
    }
}

impl Predicate {
    /// The conditions of which all must hold.
    #[must_use]
    pub fn conjuncts(&self) -> Vec<&Self> {
        match self {
            Self::And(parts) => parts.iter().flat_map(Self::conjuncts).collect(),
            other => vec![other],
        }
    }
}

/// Counters compare as the numbers they sum up to.
pub(crate) fn compared_as(cql_type: &CqlType) -> &CqlType {
    match cql_type {
        CqlType::Counter => &CqlType::Bigint,
        other => other,
    }
}
