//! Random changes of bytes, from a seed.

/// xorshift64*
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// 0 up to `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }
}

/// Changes `bytes` in one to three places.
pub(crate) fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        mutate_once(bytes, random);
    }
}

fn mutate_once(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(12)).min(bytes.len());
    match random.below(8) {
        0 => bytes[at..end].fill_with(|| random.next() as u8),
        // Lengths and counts of all ones or zeros
        1 => bytes[at..end].fill(0xff),
        2 => bytes[at..end].fill(0),
        3 => drop(bytes.drain(at..end)),
        4 => bytes.insert(at, random.next() as u8),
        5 => {
            let again = bytes[at..end].to_vec();
            bytes.splice(at..at, again);
        }
        6 => bytes.truncate(at),
        _ if at < end => bytes[at] ^= 1 << random.below(8),
        _ => {}
    }
}
