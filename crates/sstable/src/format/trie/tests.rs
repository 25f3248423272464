use std::collections::BTreeMap;

use outpour_storage::{Directory, MemoryDirectory};

use super::*;
use crate::{Error, ErrorKind};

fn blocks(bytes: &[u8]) -> Blocks {
    Blocks::scattered(MemoryDirectory::of("/d", [("f", bytes)]).open("f").unwrap())
}

/// A path, and the bits and first bytes of its payload.
type Found = (Vec<u8>, u8, Vec<u8>);

/// All paths of the trie, with the first `len` bytes of their payloads.
fn walk(bytes: &[u8], root: u64, len: usize) -> Result<Vec<Found>> {
    let (mut file, mut walk) = (blocks(bytes), TrieWalk::new(root));
    let mut found = Vec::new();
    while let Some(payload) = walk.next(&mut file)? {
        let at = payload.at as usize;
        found.push((walk.path().to_vec(), payload.bits, bytes[at..at + len].to_vec()));
    }
    Ok(found)
}

fn error(bytes: &[u8], root: u64) -> Error {
    let error = walk(bytes, root, 0).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    error
}

/// Partitions.db of five keys, "0" to "4", under ByteOrderedPartitioner (Cassandra 5.0): leaves, a
/// dense node of 12 bits and a single one.
#[test]
fn a_trie_of_cassandra() {
    let bytes = [
        0x08, 0x09, 0xff, 0x08, 0x37, 0xe9, 0x08, 0xdd, 0xd1, 0x08, 0x02, 0xb9, 0x08, 0x2f, 0xa1,
        0xa0, 0x30, 0x04, 0x00, 0xf0, 0x0c, 0x00, 0x90, 0x06, 0x00, 0x30, 0x1b, 0x40,
    ];
    let found = walk(&bytes, 26, 2).unwrap();
    let payloads = [[0x09, 0xff], [0x37, 0xe9], [0xdd, 0xd1], [0x02, 0xb9], [0x2f, 0xa1]];
    let expected: Vec<_> = (b'0'..=b'4')
        .zip(payloads)
        .map(|(key, payload)| (vec![0x40, key], 8, payload.to_vec()))
        .collect();
    assert_eq!(found, expected);
    for end in 1..bytes.len() {
        // What is left of the root node, or of its child, has no meaning.
        assert!(walk(&bytes[..end], 26.min(end as u64), 0).is_err(), "{end}");
    }
}

/// A trie in memory: what a node's payload is, and its children.
#[derive(Default)]
struct Plain {
    payload: Option<u8>,
    children: BTreeMap<u8, Plain>,
}

impl Plain {
    fn insert(&mut self, key: &[u8], payload: u8) {
        match key.split_first() {
            None => self.payload = Some(payload),
            Some((first, rest)) => self.children.entry(*first).or_default().insert(rest, payload),
        }
    }

    /// Writes the children, some padding, then the node in a type that fits, chosen at random.
    fn write(&self, random: &mut Random, out: &mut Vec<u8>) -> usize {
        let children: Vec<_> = self
            .children
            .iter()
            .map(|(transition, child)| (*transition, child.write(random, out)))
            .collect();
        out.resize(out.len() + random.below(40), 0xee);
        let at = out.len();
        let pointers: Vec<_> =
            children.iter().map(|(t, child)| (*t, (at - child) as u64)).collect();
        let fitting: Vec<usize> =
            (0..16).filter(|index| fits(*index, &pointers, self.payload.is_some())).collect();
        write_node(fitting[random.below(fitting.len())], &pointers, self.payload.unwrap_or(0), out);
        out.extend(self.payload);
        at
    }
}

fn fits(index: usize, pointers: &[(u8, u64)], has_payload: bool) -> bool {
    let (form, bits) = TYPES[index];
    let count_fits = match form {
        Form::Leaf => pointers.is_empty(),
        Form::Single => pointers.len() == 1 && !(has_payload && bits % 8 == 4),
        Form::Sparse => (1..256).contains(&pointers.len()),
        Form::Dense => !pointers.is_empty(),
    };
    count_fits && pointers.iter().all(|(_, distance)| bits == 64 || distance >> bits == 0)
}

/// Writes a node bit by bit, as the drawing of the types says.
fn write_node(index: usize, pointers: &[(u8, u64)], payload_bits: u8, out: &mut Vec<u8>) {
    let (form, bits) = TYPES[index];
    let nibbles = |value: u64, bits: usize| {
        (0..bits / 4).rev().map(move |i| (value >> (4 * i)) as u8 & 15).collect::<Vec<_>>()
    };
    let early = form == Form::Single && bits % 8 == 4;
    let mut node = vec![index as u8];
    if !early {
        node.push(payload_bits & 15);
    }
    let dense: Vec<(u8, u64)> = match form {
        Form::Dense => {
            let (first, last) = (pointers[0].0, pointers[pointers.len() - 1].0);
            node.extend(nibbles(u64::from(first), 8));
            node.extend(nibbles(u64::from(last - first), 8));
            let distance = |t| pointers.iter().find(|(other, _)| *other == t).map_or(0, |p| p.1);
            (first..=last).map(|t| (t, distance(t))).collect()
        }
        _ => pointers.to_vec(),
    };
    if form == Form::Sparse {
        node.extend(nibbles(pointers.len() as u64, 8));
    }
    if (form == Form::Single && !early) || form == Form::Sparse {
        node.extend(pointers.iter().flat_map(|(t, _)| nibbles(u64::from(*t), 8)));
    }
    node.extend(dense.iter().flat_map(|(_, distance)| nibbles(*distance, bits)));
    if node.len() % 2 == 1 {
        node.push(0);
    }
    if early {
        node.extend(nibbles(u64::from(pointers[0].0), 8));
    }
    out.extend(node.as_chunks::<2>().0.iter().map(|[high, low]| high << 4 | low));
}

/// xorshift64
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[test]
fn random_tries_of_all_node_types() {
    let mut seen = [false; 16];
    for seed in 1..60 {
        let mut random = Random(seed);
        let mut plain = Plain::default();
        let mut keys = BTreeMap::new();
        let spread = [2, 5, 40, 256][random.below(4)];
        for _ in 0..random.below(400) + 1 {
            let key: Vec<u8> = (0..random.below(6)).map(|_| random.below(spread) as u8).collect();
            let payload = 1 + random.below(15) as u8;
            plain.insert(&key, payload);
            keys.insert(key, payload);
        }
        let mut bytes = Vec::new();
        let root = plain.write(&mut random, &mut bytes);
        let expected: Vec<_> =
            keys.into_iter().map(|(key, payload)| (key, payload, vec![payload])).collect();
        assert_eq!(walk(&bytes, root as u64, 1).unwrap(), expected, "seed {seed}");
        let mut file = blocks(&bytes);
        note_types(&mut file, root as u64, &mut seen);
    }
    assert_eq!(seen, [true; 16]);
}

fn note_types(file: &mut Blocks, at: u64, seen: &mut [bool; 16]) {
    let bytes = file.at(at, NODE_LEN_MAX).unwrap().to_vec();
    let node = Node::read(&bytes).unwrap();
    seen[usize::from(bytes[0] >> 4)] = true;
    let mut next = 0;
    while let Some(index) = node.child_from(next) {
        note_types(file, at - node.distance(index), seen);
        next = index + 1;
    }
}

#[test]
fn a_node_that_is_cut_off_is_noticed() {
    for (index, (form, _)) in TYPES.iter().enumerate().skip(1) {
        let pointers = if *form == Form::Single { 1 } else { 9 };
        let pointers: Vec<_> = (0..pointers).map(|i| (i * 3, 5)).collect();
        let mut bytes = Vec::new();
        write_node(index, &pointers, 0, &mut bytes);
        assert_eq!(Node::read(&bytes).map(|node| node.bytes.len()), Some(bytes.len()), "{index}");
        for end in 0..bytes.len() {
            assert!(Node::read(&bytes[..end]).is_none(), "type {index}, {end} bytes");
        }
    }
}

#[test]
fn tries_that_no_cassandra_writes_are_refused() {
    for (bytes, root, what) in [
        (&[0x01, 0x20, b'a', 0][..], 1, "distance to a trie node: expected 1 to 1, got 0"),
        (&[0x01, 0x20, b'a', 2], 1, "distance to a trie node: expected 1 to 1, got 2"),
        (&[0x00, 0x20, b'a', 1], 1, "a payload or children"),
        (&[0x50, 0x00], 0, "a payload or children"),
        (&[0x01, 0x50, 2, b'b', b'b', 1, 1], 1, "trie transition: expected 99 to 255, got 98"),
        (&[0x01, 0xa0, 0xff, 1, 0, 0, 1], 1, "trie transition: expected 0 to 255, got 256"),
        (&[0x01], 1, "trie node: expected more bytes"),
    ] {
        let message = error(bytes, root).to_string();
        assert!(message.contains(what), "{message}");
    }
}

/// A chain of nodes deeper than any key is long.
#[test]
fn depth_is_limited() {
    let chain = |links: usize| -> Vec<u8> {
        let mut bytes = vec![0x01, 0x00, 0x00];
        bytes.extend((0..links).flat_map(|i| [0x10 | if i == 0 { 3 } else { 2 }, b'a']));
        bytes
    };
    let bytes = chain(DEPTH_MAX);
    assert_eq!(walk(&bytes, bytes.len() as u64 - 2, 0).unwrap().len(), 1);
    let bytes = chain(DEPTH_MAX + 1);
    assert!(error(&bytes, bytes.len() as u64 - 2).to_string().contains("keys of at most"));
}

#[test]
fn payload_numbers_are_signed() {
    assert_eq!(signed(&[0xff]), -1);
    assert_eq!(signed(&[0x7f]), 127);
    assert_eq!(signed(&[0x00, 0xff]), 255);
    assert_eq!(signed(&[0x80, 0, 0, 0, 0, 0, 0, 0]), i64::MIN);
    assert_eq!(signed(&[]), 0);
}
