//! `inet`: an IPv4 address of 4 or an IPv6 address of 16 bytes (`InetAddressType`).

use std::net::{Ipv4Addr, Ipv6Addr};

use super::integer;
use crate::Error;

/// Appends the text of Java's `InetAddress.getHostAddress`: IPv6 uncompressed, and an IPv4 address
/// mapped to IPv6 as IPv4, since `InetAddress.getByAddress` reads it so.
pub(crate) fn append_java(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    match address(bytes)? {
        Address::V4(bytes) => append_v4(bytes, out),
        Address::V6(address) => match address.to_ipv4_mapped() {
            Some(mapped) => append_v4(mapped.octets(), out),
            None => append_groups(&address.segments(), out),
        },
    }
    Ok(())
}

/// Appends the text of the C library's `inet_ntop`, which the Python driver calls: the first longest
/// run of two or more zero groups is `::`, an IPv4 address in the last 32 bits is dotted.
pub(crate) fn append_posix(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
    match address(bytes)? {
        Address::V4(bytes) => append_v4(bytes, out),
        Address::V6(address) => append_compressed(address, out),
    }
    Ok(())
}

enum Address {
    V4([u8; 4]),
    V6(Ipv6Addr),
}

fn address(bytes: &[u8]) -> Result<Address, Error> {
    if let Ok(v4) = <[u8; 4]>::try_from(bytes) {
        return Ok(Address::V4(v4));
    }
    match <[u8; 16]>::try_from(bytes) {
        Ok(v6) => Ok(Address::V6(Ipv6Addr::from(v6))),
        Err(_) => {
            Err(Error::corrupt("an address of 4 or 16 bytes", format!("{} bytes", bytes.len())))
        }
    }
}

fn append_v4(bytes: [u8; 4], out: &mut Vec<u8>) {
    integer::append(bytes[0], out);
    for byte in &bytes[1..] {
        out.push(b'.');
        integer::append(*byte, out);
    }
}

fn append_compressed(address: Ipv6Addr, out: &mut Vec<u8>) {
    let groups = address.segments();
    let run = longest_zero_run(&groups);
    if run.is_empty() {
        return append_groups(&groups, out);
    }
    append_groups(&groups[..run.start], out);
    out.extend_from_slice(b"::");
    let mapped = run == (0..5) && groups[5] == 0xffff;
    if mapped {
        out.extend_from_slice(b"ffff:");
    }
    if mapped || run == (0..6) {
        let [.., a, b, c, d] = address.octets();
        return append_v4(Ipv4Addr::new(a, b, c, d).octets(), out);
    }
    append_groups(&groups[run.end..], out);
}

/// The first of the longest runs of zeros; empty if none has two.
fn longest_zero_run(groups: &[u16; 8]) -> std::ops::Range<usize> {
    let mut longest = 0..0;
    let mut start = 0;
    for (index, group) in groups.iter().enumerate() {
        if *group != 0 {
            start = index + 1;
        } else if index + 1 - start > longest.len().max(1) {
            longest = start..index + 1;
        }
    }
    longest
}

fn append_groups(groups: &[u16], out: &mut Vec<u8>) {
    for (index, group) in groups.iter().enumerate() {
        if index > 0 {
            out.push(b':');
        }
        append_group(*group, out);
    }
}

/// Appends up to four hex digits.
fn append_group(group: u16, out: &mut Vec<u8>) {
    let digits = ((16 - group.leading_zeros()).div_ceil(4)).max(1);
    for digit in (0..digits).rev() {
        let nibble = (group >> (4 * digit) & 15) as u8;
        out.push(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(append: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), Error>, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        append(bytes, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// As Cassandra 5.0.9 and Python 3.11 (glibc) print them.
    #[test]
    fn addresses() {
        for (address, java, posix) in [
            (0, "0:0:0:0:0:0:0:0", "::"),
            (1, "0:0:0:0:0:0:0:1", "::1"),
            (0x20010db8_00000000_00000000_00000001, "2001:db8:0:0:0:0:0:1", "2001:db8::1"),
            (0xffff01020304, "1.2.3.4", "::ffff:1.2.3.4"),
            (0x01020304, "0:0:0:0:0:0:102:304", "::1.2.3.4"),
            (0x10000, "0:0:0:0:0:0:1:0", "::0.1.0.0"),
            (0x00000001_00000000_00000002_00030004, "0:1:0:0:0:2:3:4", "0:1::2:3:4"),
            (0x00010000_00020003_00040005_00060007, "1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"),
            (0xfffe0000_00000001, "0:0:0:0:fffe:0:0:1", "::fffe:0:0:1"),
            (0x20010db8_00000000_00010000_00000001, "2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            (0xfe80_u128 << 112, "fe80:0:0:0:0:0:0:0", "fe80::"),
        ] {
            let bytes = u128::to_be_bytes(address);
            assert_eq!(text(append_java, &bytes), java);
            assert_eq!(text(append_posix, &bytes), posix);
        }
        assert_eq!(text(append_java, &[127, 0, 0, 1]), "127.0.0.1");
        assert_eq!(text(append_posix, &[255, 10, 0, 9]), "255.10.0.9");
    }

    #[test]
    fn other_lengths_are_refused() {
        for len in (0..40).filter(|len| ![4, 16].contains(len)) {
            assert!(append_java(&vec![0; len], &mut Vec::new()).is_err(), "{len}");
            assert!(append_posix(&vec![0; len], &mut Vec::new()).is_err(), "{len}");
        }
    }
}
