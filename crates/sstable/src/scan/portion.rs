use outpour_cql::{Partitioner, RingPosition};
use outpour_filter::{Restriction, TokenRange};

/// A part of the ring whose partitions are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Portion {
    /// Its first place
    pub(super) from: RingPosition,
    /// The first place behind it; `None`: it reaches to the end of the ring
    pub(super) until: Option<RingPosition>,
    /// The only key that is wanted there
    pub(super) key: Option<Vec<u8>>,
}

impl Portion {
    /// All of the ring.
    pub(super) const WHOLE: Self = Self { from: RingPosition(0), until: None, key: None };

    /// What `restriction` leaves, in the order of the ring.
    pub(super) fn all_of(restriction: &Restriction, partitioner: Partitioner) -> Vec<Self> {
        match &restriction.keys {
            Some(keys) => Self::of_keys(keys, partitioner),
            None => Self::of_ranges(&restriction.tokens, partitioner),
        }
    }

    fn of_keys(keys: &[Vec<u8>], partitioner: Partitioner) -> Vec<Self> {
        let mut portions: Vec<Self> = Vec::with_capacity(keys.len());
        for key in keys {
            let from = partitioner.ring_position(key);
            match portions.last_mut() {
                Some(last) if last.from == from => last.key = None,
                _ => portions.push(Self { from, until: from.next(), key: Some(key.clone()) }),
            }
        }
        portions
    }

    fn of_ranges(ranges: &[TokenRange], partitioner: Partitioner) -> Vec<Self> {
        let end = partitioner.last_position();
        let portion = |range: &TokenRange| {
            let first = partitioner.ring_position_of_token(range.first)?;
            let last = partitioner.ring_position_of_token(range.last)?;
            let until = if last < end { last.next() } else { None };
            Some(Self { from: first, until, key: None })
        };
        let portions: Option<Vec<_>> = ranges.iter().map(portion).collect();
        // Tokens that order nothing leave all partitions, or none.
        portions.unwrap_or_else(|| vec![Self::WHOLE])
    }
}
