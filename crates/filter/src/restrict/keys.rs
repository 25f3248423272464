//! Partition keys: all columns equal to some values.

use outpour_cql::{CqlType, Table};

use super::Answer;
use crate::{Comparison, Place, Predicate};

/// More keys than this are not worth looking up one by one.
const KEYS_MAX: usize = 1024;

/// The keys that are left, if not too many are.
pub(super) fn of(
    conjuncts: &[&Predicate],
    table: &Table,
    answers: &mut [Answer],
) -> Option<Vec<Vec<u8>>> {
    let columns = (0..table.partition_key.len()).map(|i| candidates(conjuncts, i));
    let columns = columns.collect::<Option<Vec<_>>>()?;
    let count = columns.iter().try_fold(1_usize, |count, values| count.checked_mul(values.len()));
    if count.is_none_or(|count| count > KEYS_MAX) {
        return None;
    }
    let one_more = |keys: Vec<Vec<Vec<u8>>>, values: &Vec<Vec<u8>>| {
        let with = |key: &Vec<Vec<u8>>| {
            let key = key.clone();
            values.iter().map(move |value| [key.clone(), vec![value.clone()]].concat())
        };
        keys.iter().flat_map(with).collect()
    };
    let keys = columns.iter().fold(vec![Vec::new()], one_more);
    for (conjunct, answer) in conjuncts.iter().zip(answers) {
        if values_of(conjunct).is_some() {
            *answer = Answer::Exact;
        }
    }
    // A key that is too long is that of no partition.
    Some(keys.iter().filter_map(|values| partition_key(values)).collect())
}

/// The values that column `index` can have by all conditions that name values for it; `None` if
/// none does.
fn candidates(conjuncts: &[&Predicate], index: usize) -> Option<Vec<Vec<u8>>> {
    let of_column = |conjunct: &&Predicate| {
        let (column, values) = values_of(conjunct)?;
        (column == index).then_some(values)
    };
    conjuncts.iter().filter_map(of_column).reduce(|mut left, values| {
        left.retain(|value| values.contains(value));
        left
    })
}

/// The number of a partition key column, and the values that a condition leaves it, if these are all
/// the bytes that are equal to them.
fn values_of(conjunct: &Predicate) -> Option<(usize, Vec<Vec<u8>>)> {
    let (path, values) = match conjunct {
        Predicate::Compare { path, comparison: Comparison::Equal, value } => {
            (path, vec![value.clone()])
        }
        Predicate::In { path, values } => (path, values.clone()),
        _ => return None,
    };
    let column = path.whole_column()?;
    let Place::PartitionKey(index) = column.place else { return None };
    let all_unique = values.iter().all(|value| has_unique_bytes(&column.cql_type, value));
    all_unique.then_some((index, values))
}

/// Whether no other bytes are equal to `value`.
fn has_unique_bytes(cql_type: &CqlType, value: &[u8]) -> bool {
    match cql_type {
        // Any byte but zero is true, and any NaN equal to the others.
        CqlType::Boolean => value != [1],
        CqlType::Float => {
            <[u8; 4]>::try_from(value).is_ok_and(|bytes| !f32::from_be_bytes(bytes).is_nan())
        }
        CqlType::Double => {
            <[u8; 8]>::try_from(value).is_ok_and(|bytes| !f64::from_be_bytes(bytes).is_nan())
        }
        other => all_have_unique_bytes(other),
    }
}

/// Whether values of the type are equal only if their bytes are: not of numbers that can have
/// redundant digits, and not where a field that is null can be missing too.
fn all_have_unique_bytes(cql_type: &CqlType) -> bool {
    match cql_type {
        CqlType::Boolean | CqlType::Float | CqlType::Double => false,
        CqlType::Varint | CqlType::Decimal | CqlType::Duration => false,
        CqlType::Tuple(_) | CqlType::Udt(_) => false,
        CqlType::Composite(_) | CqlType::DynamicComposite => false,
        other => other.inner().into_iter().all(all_have_unique_bytes),
    }
}

/// The serialized key of these values, `None` if one is too long.
pub(crate) fn partition_key(values: &[Vec<u8>]) -> Option<Vec<u8>> {
    if values.iter().any(|value| value.len() > usize::from(u16::MAX)) {
        return None;
    }
    if let [only] = values {
        return Some(only.clone());
    }
    let mut key = Vec::new();
    values.iter().for_each(|value| append_component(value, &mut key));
    Some(key)
}

/// Appends a component of a key of several: u16 length, bytes, 0 (`db/marshal/CompositeType.java`).
pub(crate) fn append_component(value: &[u8], key: &mut Vec<u8>) {
    key.extend_from_slice(&(value.len() as u16).to_be_bytes());
    key.extend_from_slice(value);
    key.push(0);
}
