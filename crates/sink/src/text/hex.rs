//! Bytes in hex, and UUIDs.

const CHUNK_LEN: usize = 16;

/// Appends two lower-case digits for each byte.
#[inline]
pub(crate) fn append(bytes: &[u8], out: &mut Vec<u8>) {
    let (chunks, rest) = bytes.as_chunks::<CHUNK_LEN>();
    for chunk in chunks {
        out.extend_from_slice(&digits(*chunk));
    }
    let mut padded = [0; CHUNK_LEN];
    padded[..rest.len()].copy_from_slice(rest);
    out.extend_from_slice(&digits(padded)[..2 * rest.len()]);
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

/// Without branches or look-ups, so that the compiler makes vector code of it.
#[inline(always)]
fn digits(bytes: [u8; CHUNK_LEN]) -> [u8; 2 * CHUNK_LEN] {
    let mut text = [0; 2 * CHUNK_LEN];
    for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
    text
}

#[inline(always)]
fn digit(nibble: u8) -> u8 {
    let letter = u8::from(nibble > 9) * (b'a' - b'0' - 10);
    nibble + b'0' + letter
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
