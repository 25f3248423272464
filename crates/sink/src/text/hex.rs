//! Bytes in hex, and UUIDs.

const CHUNK_LEN: usize = 16;

/// Appends two lower-case digits for each byte.
#[inline]
pub(crate) fn append(bytes: &[u8], out: &mut Vec<u8>) {
    let (chunks, rest) = bytes.as_chunks::<CHUNK_LEN>();
    for chunk in chunks {
        out.extend_from_slice(&digits(*chunk));
    }
    if !rest.is_empty() {
        append_short(rest, out);
    }
}

fn append_short(bytes: &[u8], out: &mut Vec<u8>) {
    let mut padded = [0; CHUNK_LEN];
    padded[..bytes.len()].copy_from_slice(bytes);
    let end = out.len() + 2 * bytes.len();
    out.extend_from_slice(&digits(padded));
    out.truncate(end);
}

/// Appends `123e4567-e89b-42d3-a456-426614174000`.
#[inline]
pub(crate) fn append_uuid(bytes: [u8; 16], out: &mut Vec<u8>) {
    let digits = digits(bytes);
    let mut text = [b'-'; 36];
    text[..8].copy_from_slice(&digits[..8]);
    text[9..13].copy_from_slice(&digits[8..12]);
    text[14..18].copy_from_slice(&digits[12..16]);
    text[19..23].copy_from_slice(&digits[16..20]);
    text[24..].copy_from_slice(&digits[20..]);
    out.extend_from_slice(&text);
}

/// Both digits of a byte at once in 16 bits: vector units have no narrower shift or product.
#[inline(always)]
fn digits(bytes: [u8; CHUNK_LEN]) -> [u8; 2 * CHUNK_LEN] {
    let pairs = bytes.map(digit_pair);
    let mut text = [0; 2 * CHUNK_LEN];
    for (two, pair) in text.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
        *two = pair.to_le_bytes();
    }
    text
}

/// The digits of `byte`, the first in the low bits. Adding 6 carries a nibble of 10 or more.
#[inline(always)]
fn digit_pair(byte: u8) -> u16 {
    let byte = u16::from(byte);
    let nibbles = byte >> 4 | (byte & 15) << 8;
    let letters = (nibbles + 0x0606) >> 4 & 0x0101;
    nibbles + 0x3030 + letters * u16::from(b'a' - b'0' - 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_at_all_lengths() {
        let bytes: Vec<u8> = (0..=255).collect();
        for len in 0..=bytes.len() {
            let mut out = Vec::new();
            append(&bytes[..len], &mut out);
            let expected: String = bytes[..len].iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn dashes() {
        let mut out = Vec::new();
        append_uuid(0x123e4567_e89b_42d3_a456_426614174000_u128.to_be_bytes(), &mut out);
        assert_eq!(out, b"123e4567-e89b-42d3-a456-426614174000");
    }
}
