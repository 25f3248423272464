//! Counter contexts (`db/context/CounterContext.java`).
//!
//! ```text
//! i16 n, negative if local shards are to be cleared on read │ |n| × i16 element
//! shards of 32 bytes, by unsigned id: [16] counter id │ i64 clock │ i64 count
//! ```
//! An element e < 0 says that shard e + 32768 is global, e >= 0 that shard e is local; shards that no
//! element names are remote. Local shards that are cleared become remote, with their counts.

use std::cmp::Ordering;

const SHARD_LEN: usize = 32;
/// More cannot be named by the elements of a header.
const SHARDS_MAX: usize = i16::MAX as usize;

/// A context that no Cassandra writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a counter context of {len} bytes whose header and shards do not fit them")]
pub struct BadContext {
    /// Bytes of the context
    pub len: usize,
}

/// Who writes a shard: of two with the same id the greater kind wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Remote,
    Local,
    Global,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shard {
    id: [u8; 16],
    clock: i64,
    count: i64,
    kind: Kind,
}

/// The counter's value: the sum of all shards' counts.
///
/// # Errors
/// [`BadContext`] for bytes that are no context.
pub fn total(context: &[u8]) -> Result<i64, BadContext> {
    let (_, shards) = split(context)?;
    let counts = shards.chunks_exact(SHARD_LEN).map(|shard| be64(shard, 24));
    Ok(counts.fold(0, i64::wrapping_add))
}

/// Whether it has shards that are not global, as Cassandra wrote before 2.1. Bytes that are no context
/// have none.
#[must_use]
pub fn has_legacy_shards(context: &[u8]) -> bool {
    let Ok((header, shards)) = split(context) else { return false };
    let elements = header.as_chunks::<2>().0;
    let is_global = |element: &[u8; 2]| i16::from_be_bytes(*element) < 0;
    elements.len() < shards.len() / SHARD_LEN || !elements.iter().all(is_global)
}

/// Appends the context that has the winning version of each shard of `a` and `b`.
///
/// # Errors
/// [`BadContext`] for bytes that are no context, or whose shards are not in order or too many.
pub fn merge(a: &[u8], b: &[u8], out: &mut Vec<u8>) -> Result<(), BadContext> {
    let (a, b) = (parse(a)?, parse(b)?);
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut merged = Vec::with_capacity(a.len() + b.len());
    loop {
        let order = match (a.peek(), b.peek()) {
            (Some(x), Some(y)) => x.id.cmp(&y.id),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        match order {
            Ordering::Less => merged.extend(a.next()),
            Ordering::Greater => merged.extend(b.next()),
            Ordering::Equal => merged.extend(a.next().zip(b.next()).map(|(x, y)| winner(x, y))),
        }
    }
    if merged.len() > SHARDS_MAX {
        return Err(BadContext { len: merged.len() * SHARD_LEN });
    }
    write(&merged, out);
    Ok(())
}

fn winner(a: &Shard, b: &Shard) -> Shard {
    match a.kind.cmp(&b.kind) {
        Ordering::Greater => *a,
        Ordering::Less => *b,
        Ordering::Equal if a.kind == Kind::Local => Shard {
            clock: a.clock.wrapping_add(b.clock),
            count: a.count.wrapping_add(b.count),
            ..*a
        },
        Ordering::Equal if (a.clock, a.count) >= (b.clock, b.count) => *a,
        Ordering::Equal => *b,
    }
}

/// Header elements and shards.
fn split(context: &[u8]) -> Result<(&[u8], &[u8]), BadContext> {
    let bad = BadContext { len: context.len() };
    let (len, rest) = context.split_first_chunk::<2>().ok_or(bad)?;
    let elements = usize::from(i16::from_be_bytes(*len).unsigned_abs());
    let (header, shards) = rest.split_at_checked(2 * elements).ok_or(bad)?;
    let fits = shards.len() % SHARD_LEN == 0 && elements <= shards.len() / SHARD_LEN;
    if fits { Ok((header, shards)) } else { Err(bad) }
}

fn parse(context: &[u8]) -> Result<Vec<Shard>, BadContext> {
    let (header, shards) = split(context)?;
    let mut shards: Vec<_> = shards.chunks_exact(SHARD_LEN).map(Shard::parse).collect();
    if !shards.is_sorted_by(|a, b| a.id < b.id) {
        return Err(BadContext { len: context.len() });
    }
    let clears_local = context.first().is_some_and(|byte| byte & 0x80 != 0);
    let local = if clears_local { Kind::Remote } else { Kind::Local };
    for element in header.as_chunks::<2>().0 {
        let element = i16::from_be_bytes(*element);
        let (index, kind) = match element {
            0.. => (element as usize, local),
            _ => ((element ^ i16::MIN) as usize, Kind::Global),
        };
        let shard = shards.get_mut(index).ok_or(BadContext { len: context.len() })?;
        shard.kind = kind;
    }
    Ok(shards)
}

impl Shard {
    fn parse(bytes: &[u8]) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&bytes[..16]);
        Self { id, clock: be64(bytes, 16), count: be64(bytes, 24), kind: Kind::Remote }
    }
}

fn be64(bytes: &[u8], at: usize) -> i64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    i64::from_be_bytes(word)
}

fn write(shards: &[Shard], out: &mut Vec<u8>) {
    let elements: Vec<i16> = shards
        .iter()
        .zip(0_i16..)
        .filter_map(|(shard, i)| match shard.kind {
            Kind::Remote => None,
            Kind::Local => Some(i),
            Kind::Global => Some(i | i16::MIN),
        })
        .collect();
    out.extend_from_slice(&(elements.len() as i16).to_be_bytes());
    for element in elements {
        out.extend_from_slice(&element.to_be_bytes());
    }
    for shard in shards {
        out.extend_from_slice(&shard.id);
        out.extend_from_slice(&shard.clock.to_be_bytes());
        out.extend_from_slice(&shard.count.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::random::Random;

    fn context(shards: &[(u8, Kind, i64, i64)]) -> Vec<u8> {
        let shard = |&(id, kind, clock, count): &(u8, Kind, i64, i64)| Shard {
            id: [id; 16],
            clock,
            count,
            kind,
        };
        let mut out = Vec::new();
        write(&shards.iter().map(shard).collect::<Vec<_>>(), &mut out);
        out
    }

    #[test]
    fn shards_that_are_not_global_are_legacy() {
        use Kind::{Global, Local, Remote};
        let has = |shards: &[(u8, Kind, i64, i64)]| has_legacy_shards(&context(shards));
        assert!(!has(&[]) && !has(&[(1, Global, 1, 1), (2, Global, 1, 1)]));
        assert!(has(&[(1, Global, 1, 1), (2, Local, 1, 1)]) && has(&[(1, Remote, 1, 1)]));
        assert!(!has_legacy_shards(&[]) && !has_legacy_shards(&[0, 1]));
    }

    #[test]
    fn global_beats_local_beats_remote() {
        use Kind::{Global, Local, Remote};
        let a =
            context(&[(1, Global, 1, 10), (2, Local, 5, 5), (3, Remote, 9, 1), (4, Local, 1, 2)]);
        let b =
            context(&[(1, Local, 9, 99), (2, Remote, 9, 99), (3, Remote, 9, 2), (4, Local, 2, 3)]);
        let want =
            context(&[(1, Global, 1, 10), (2, Local, 5, 5), (3, Remote, 9, 2), (4, Local, 3, 5)]);
        for (x, y) in [(&a, &b), (&b, &a)] {
            let mut merged = Vec::new();
            merge(x, y, &mut merged).unwrap();
            assert_eq!(merged, want);
        }
        assert_eq!(total(&want), Ok(22));
    }

    type Version = (Kind, i64, i64);

    /// The rules of the database, one after the other.
    fn obvious_winner(a: Version, b: Version) -> Version {
        use Kind::{Global, Local};
        match (a.0 == Global, b.0 == Global, a.0 == Local, b.0 == Local) {
            (true, false, ..) | (false, false, true, false) => return a,
            (false, true, ..) | (false, false, false, true) => return b,
            (false, false, true, true) => return (Local, a.1 + b.1, a.2 + b.2),
            _ => {}
        }
        let a_wins = if a.1 == b.1 { a.2 > b.2 } else { a.1 > b.1 };
        if a_wins { a } else { b }
    }

    #[test]
    fn merging_is_a_union_by_id() {
        let mut random = Random::seeded(0x636f_756e);
        let kinds = [Kind::Remote, Kind::Local, Kind::Global];
        let encode = |shards: &BTreeMap<u8, Version>| {
            let list: Vec<_> = shards.iter().map(|(id, (k, c, n))| (*id, *k, *c, *n)).collect();
            context(&list)
        };
        for _ in 0..5000 {
            let mut make = || -> BTreeMap<u8, Version> {
                let shard = |random: &mut Random| {
                    // Few clocks and counts, so that ties are met; ids on both sides of 0x80.
                    let (clock, count) = (random.below(3) as i64, random.below(3) as i64 - 1);
                    (random.below(8) as u8 * 36, (*random.pick(&kinds), clock, count))
                };
                (0..random.below(6)).map(|_| shard(&mut random)).collect()
            };
            let (a, b) = (make(), make());
            let mut union = a.clone();
            for (id, shard) in &b {
                let winner = a.get(id).map_or(*shard, |old| obvious_winner(*old, *shard));
                union.insert(*id, winner);
            }
            let mut merged = b"before".to_vec();
            merge(&encode(&a), &encode(&b), &mut merged).unwrap();
            assert_eq!(merged, [&b"before"[..], &encode(&union)].concat(), "{a:?} {b:?}");
            assert_eq!(total(&merged[6..]), Ok(union.values().map(|version| version.2).sum()));
        }
    }

    #[test]
    fn cleared_local_shards_are_remote() {
        let mut cleared = context(&[(1, Kind::Local, 5, 50), (2, Kind::Global, 1, 1)]);
        cleared[..2].copy_from_slice(&(-2_i16).to_be_bytes());
        let remote = context(&[(1, Kind::Remote, 6, 7)]);
        let mut merged = Vec::new();
        merge(&cleared, &remote, &mut merged).unwrap();
        assert_eq!(merged, context(&[(1, Kind::Remote, 6, 7), (2, Kind::Global, 1, 1)]));
        assert_eq!(total(&cleared), Ok(51));
    }

    #[test]
    fn totals_wrap() {
        let shards = [(1, Kind::Global, 1, i64::MAX), (2, Kind::Global, 1, 2)];
        assert_eq!(total(&context(&shards)), Ok(i64::MIN + 1));
    }

    #[test]
    fn shards_out_of_order_or_too_many_are_refused() {
        let mut unsorted = context(&[(1, Kind::Remote, 1, 1), (2, Kind::Remote, 1, 1)]);
        unsorted[2] = 3;
        assert!(merge(&unsorted, &[0, 0], &mut Vec::new()).is_err());
        let mut crowd = vec![0, 0];
        for id in 0..=SHARDS_MAX as u128 {
            crowd.extend(id.to_be_bytes());
            crowd.extend([0; 16]);
        }
        assert!(merge(&crowd, &[0, 0], &mut Vec::new()).is_err());
        assert!(merge(&crowd[..crowd.len() - 32], &[0, 0], &mut Vec::new()).is_ok());
    }

    #[test]
    fn bad_contexts_are_refused() {
        let good = context(&[(1, Kind::Global, 1, 10)]);
        for len in 0..good.len() {
            assert!(total(&good[..len]).is_err() || len == 0 || len == 2, "{len}");
        }
        assert!(merge(&[0, 1, 0x80, 0x07], &good, &mut Vec::new()).is_err());
    }
}
