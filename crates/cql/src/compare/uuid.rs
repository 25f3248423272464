//! Orders of the three UUID types. Each turns a value into a number that compares as Cassandra does.

/// `UUIDType`: by version; then version 1 by its time, others by their bytes.
#[must_use]
pub fn uuid_key(bytes: [u8; 16]) -> u128 {
    let (high, low) = halves(bytes);
    let version = high >> 12 & 0xf;
    let high = match version {
        // The version is the highest part of the time.
        1 => by_time(high),
        _ => version << 60 | (high >> 4 & 0x0fff_ffff_ffff_f000) | high & 0xfff,
    };
    whole(high, low)
}

/// `TimeUUIDType`: by time, then by the low bytes, each of them signed.
#[must_use]
pub fn timeuuid_key(bytes: [u8; 16]) -> u128 {
    let (high, low) = halves(bytes);
    whole(by_time(high) ^ 1 << 63, low ^ 0x8080_8080_8080_8080)
}

/// `LexicalUUIDType`: as Java's `UUID.compareTo`, both halves signed.
#[must_use]
pub fn lexical_key(bytes: [u8; 16]) -> u128 {
    let (high, low) = halves(bytes);
    whole(high ^ 1 << 63, low ^ 1 << 63)
}

fn halves(bytes: [u8; 16]) -> (u64, u64) {
    let both = u128::from_be_bytes(bytes);
    ((both >> 64) as u64, both as u64)
}

fn whole(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// time_low (32 bits), time_mid (16), time_hi_and_version (16), most significant first.
fn by_time(high: u64) -> u64 {
    high << 48 | (high << 16 & 0xffff_0000_0000) | high >> 32
}
