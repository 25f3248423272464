//! Which of two versions wins (`db/rows/Cells.java`, `db/LivenessInfo.java`; 4.0 to 5.0).

use std::cmp::Ordering;

use crate::format::unfiltered::{EXPIRED_LIVENESS_TTL, Liveness, NEVER};

/// Compares two versions of a cell: the greater one wins. `Equal` only if they are the same.
///
/// The first difference decides: the later timestamp; having a local deletion time, that is being a
/// tombstone or expiring, whether or not the expiry has come; being a tombstone; the later local
/// deletion time; the greater value, as unsigned bytes.
pub(crate) fn compare_cells(a: (&Liveness, &[u8]), b: (&Liveness, &[u8])) -> Ordering {
    let ((a, a_value), (b, b_value)) = (a, b);
    let has_deletion_time = |cell: &Liveness| cell.local_deletion_time != NEVER;
    a.timestamp
        .cmp(&b.timestamp)
        .then_with(|| has_deletion_time(a).cmp(&has_deletion_time(b)))
        .then_with(|| a.is_tombstone().cmp(&b.is_tombstone()))
        .then_with(|| a.local_deletion_time.cmp(&b.local_deletion_time))
        .then_with(|| a_value.cmp(b_value))
}

/// Whether row liveness `a` replaces `b`: by timestamp, then an ended one, then an expiring one,
/// then the later expiry.
pub(crate) fn supersedes(a: &Liveness, b: &Liveness) -> bool {
    let ended = |liveness: &Liveness| liveness.ttl == EXPIRED_LIVENESS_TTL;
    let key = |liveness: &Liveness| {
        (liveness.timestamp, ended(liveness), liveness.ttl != 0, liveness.local_deletion_time)
    };
    key(a) > key(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVE: Liveness = Liveness { timestamp: 5, ttl: 0, local_deletion_time: NEVER };
    const EXPIRING: Liveness = Liveness { timestamp: 5, ttl: 10, local_deletion_time: 100 };
    const LATER: Liveness = Liveness { timestamp: 5, ttl: 20, local_deletion_time: 110 };
    const TOMBSTONE: Liveness = Liveness { timestamp: 5, ttl: 0, local_deletion_time: 90 };

    #[test]
    fn ties_of_cells() {
        let newer = Liveness { timestamp: 6, ..LIVE };
        let ascending: [(&Liveness, &[u8]); 6] = [
            (&LIVE, b"\x7f"),
            (&LIVE, b"\x80"),
            (&EXPIRING, b"a"),
            (&LATER, b"a"),
            (&TOMBSTONE, b""),
            (&newer, b""),
        ];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(compare_cells(*a, *b), i.cmp(&j), "{i} {j}");
            }
        }
    }

    #[test]
    fn ties_of_liveness() {
        let ended = Liveness { ttl: EXPIRED_LIVENESS_TTL, ..EXPIRING };
        let ascending = [LIVE, EXPIRING, LATER, ended];
        for (i, a) in ascending.iter().enumerate() {
            for (j, b) in ascending.iter().enumerate() {
                assert_eq!(supersedes(a, b), i > j, "{i} {j}");
            }
        }
    }
}
