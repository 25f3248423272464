//! Orders of the three UUID types. Each turns a value into a key that compares as Cassandra does.

/// `UUIDType`: by version; then version 1 by its time, others by their bytes.
pub(super) fn uuid_key(bytes: [u8; 16]) -> (u8, u64, u64) {
    let (high, low) = halves(bytes);
    let version = (high >> 12) as u8 & 0xf;
    (version, if version == 1 { by_time(high) } else { high }, low)
}

/// `TimeUUIDType`: by time, then by the low bytes, each of them signed.
pub(super) fn timeuuid_key(bytes: [u8; 16]) -> (i64, u64) {
    let (high, low) = halves(bytes);
    (by_time(high) as i64, low ^ 0x8080_8080_8080_8080)
}

/// `LexicalUUIDType`: as Java's `UUID.compareTo`.
pub(super) fn lexical_key(bytes: [u8; 16]) -> (i64, i64) {
    let (high, low) = halves(bytes);
    (high as i64, low as i64)
}

fn halves(bytes: [u8; 16]) -> (u64, u64) {
    let both = u128::from_be_bytes(bytes);
    ((both >> 64) as u64, both as u64)
}

/// time_low (32 bits), time_mid (16), time_hi_and_version (16), most significant first.
fn by_time(high: u64) -> u64 {
    high << 48 | (high << 16 & 0xffff_0000_0000) | high >> 32
}
