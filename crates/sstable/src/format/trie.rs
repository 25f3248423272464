//! Nodes of the tries in Partitions.db and Rows.db (`io/tries/TrieNode.java`, Cassandra 5.0).
//!
//! ```text
//!        first byte      then                                                    bits a pointer
//! leaf   0, payload      -
//! single 1, distance     u8 transition                                           4
//!        2, payload      u8 transition │ distance                                8
//!        3, distance     low byte of the distance │ u8 transition                12
//!        4, payload      u8 transition │ distance                                16
//! sparse 5..9, payload   u8 count │ count × u8 transition │ count × distance     8 12 16 24 40
//! dense  10..15, payload u8 first transition │ u8 span - 1 │ span × distance     12 16 24 32 40 64
//! ```
//! The first byte holds the type in its high half and, in its low half, what the payload behind the
//! node is (0: none), or the high bits of the distance. A distance leads back from the node's first
//! byte to that of a child; in a dense node 0 means no child. Pointers of 12 bits are packed, the
//! last half byte is padding. Nodes lie behind their children, so the root comes last.

use crate::Result;
use crate::read::Blocks;

/// The longest node without payload.
const NODE_LEN_MAX: usize = 3 + 256 * 8;
/// Twice a key of 65,535 bytes, each of which may be escaped, with a token before it.
const DEPTH_MAX: usize = 4 * (1 << 16) + 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Leaf,
    Single,
    Sparse,
    Dense,
}

/// Form and bits a pointer of each type.
const TYPES: [(Form, usize); 16] = [
    (Form::Leaf, 0),
    (Form::Single, 4),
    (Form::Single, 8),
    (Form::Single, 12),
    (Form::Single, 16),
    (Form::Sparse, 8),
    (Form::Sparse, 12),
    (Form::Sparse, 16),
    (Form::Sparse, 24),
    (Form::Sparse, 40),
    (Form::Dense, 12),
    (Form::Dense, 16),
    (Form::Dense, 24),
    (Form::Dense, 32),
    (Form::Dense, 40),
    (Form::Dense, 64),
];

/// A node, taken apart.
#[derive(Debug, Clone, Copy)]
struct Node<'a> {
    bytes: &'a [u8],
    form: Form,
    pointer_bits: usize,
    /// Counted in bits
    pointers_at: usize,
    transitions_at: usize,
    /// Pointers; in a dense node some may be none
    pointer_count: usize,
    payload_bits: u8,
}

impl<'a> Node<'a> {
    /// The node that `bytes` start with; `None` if they end first.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let first = *bytes.first()?;
        let (form, pointer_bits) = *TYPES.get(usize::from(first >> 4))?;
        let second = || bytes.get(1).copied().map(usize::from);
        // Types 1 and 3 have the start of their distance where others tell of a payload.
        let starts_early = form == Form::Single && pointer_bits % 8 == 4;
        let (transitions_at, pointers_at, pointer_count) = match form {
            Form::Leaf => (1, 8, 0),
            Form::Single if starts_early => (pointer_bits.div_ceil(8), 4, 1),
            Form::Single => (1, 16, 1),
            Form::Sparse => (2, 16 + 8 * second()?, second()?),
            Form::Dense => (1, 24, usize::from(*bytes.get(2)?) + 1),
        };
        let pointers_end = (pointers_at + pointer_count * pointer_bits).div_ceil(8);
        let len = pointers_end + usize::from(starts_early);
        let payload_bits = if starts_early { 0 } else { first & 15 };
        let bytes = bytes.get(..len)?;
        Some(Self {
            bytes,
            form,
            pointer_bits,
            pointers_at,
            transitions_at,
            pointer_count,
            payload_bits,
        })
    }

    /// More than 255 in a dense node that spans too much.
    fn transition(&self, index: usize) -> usize {
        match self.form {
            Form::Dense => usize::from(self.bytes[self.transitions_at]) + index,
            _ => usize::from(self.bytes[self.transitions_at + index]),
        }
    }

    fn distance(&self, index: usize) -> u64 {
        let start = self.pointers_at + index * self.pointer_bits;
        let end = start + self.pointer_bits;
        let bytes = &self.bytes[start / 8..end.div_ceil(8)];
        let value = bytes.iter().fold(0_u64, |value, byte| value << 8 | u64::from(*byte));
        (value >> (bytes.len() * 8 - start % 8 - self.pointer_bits))
            & (u64::MAX >> (64 - self.pointer_bits))
    }

    /// The index of the first child at `index` or behind it.
    fn child_from(&self, index: usize) -> Option<usize> {
        let is_child = |index: &usize| self.form != Form::Dense || self.distance(*index) != 0;
        (index..self.pointer_count).find(is_child)
    }
}

/// A payload in a trie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Payload {
    /// Where its node starts in the file
    pub(crate) node_at: u64,
    /// Where it starts in the file
    pub(crate) at: u64,
    /// What it is, in 4 bits
    pub(crate) bits: u8,
}

/// The payloads of a trie in the order of their keys.
///
/// Distances lead back, so there are no loops, and each leaf has a payload. Nodes that are reached
/// on several ways, which no Cassandra writes, give a payload again: who wants
/// bounded work stops at a payload that does not ascend.
#[derive(Debug)]
pub(crate) struct TrieWalk {
    root: u64,
    stack: Vec<Frame>,
    path: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    at: u64,
    /// Pointers passed, among up to 256
    passed: u16,
    is_entered: bool,
}

/// What to do at a node.
enum Move {
    Enter { transition: u8, at: u64 },
    Yield(Payload),
    Stay,
    Leave,
}

impl TrieWalk {
    /// A walk of the trie whose root node starts at `root`.
    pub(crate) fn new(root: u64) -> Self {
        let frame = Frame { at: root, passed: 0, is_entered: false };
        Self { root, stack: vec![frame], path: Vec::new() }
    }

    /// The transitions to the payload that came last: a prefix of its key.
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Starts again in front of the first payload whose key is `target` or greater, or is cut off where
    /// it still leads to `target`.
    ///
    /// # Errors
    /// Corrupt for bytes that are no trie, Io.
    pub(crate) fn seek(&mut self, target: &[u8], file: &mut Blocks) -> Result<()> {
        *self = Self::new(self.root);
        for byte in target {
            let Some(frame) = self.stack.last_mut() else { break };
            let Some(index) = child_of_transition(file, frame.at, *byte)? else { break };
            // Its own key, if it has one, is less than those of its children.
            *frame = Frame { passed: index, is_entered: true, ..*frame };
            match next_move(file, frame)? {
                Move::Enter { transition, at } if transition == *byte => {
                    self.path.push(transition);
                    self.stack.push(Frame { at, passed: 0, is_entered: false });
                }
                // The way on is behind the target.
                _ => {
                    frame.passed = index;
                    break;
                }
            }
        }
        Ok(())
    }

    /// The next payload; `None` behind the last one.
    ///
    /// # Errors
    /// Corrupt for bytes that are no trie, Io.
    pub(crate) fn next(&mut self, file: &mut Blocks) -> Result<Option<Payload>> {
        while let Some(frame) = self.stack.last_mut() {
            match next_move(file, frame)? {
                Move::Yield(payload) => return Ok(Some(payload)),
                Move::Stay => {}
                Move::Enter { transition, at } => {
                    if self.path.len() == DEPTH_MAX {
                        let expected = format!("keys of at most {DEPTH_MAX} bytes");
                        return Err(file.corrupt(at, "trie", expected, "a longer one"));
                    }
                    self.path.push(transition);
                    self.stack.push(Frame { at, passed: 0, is_entered: false });
                }
                Move::Leave => {
                    self.stack.pop();
                    self.path.pop();
                }
            }
        }
        Ok(None)
    }
}

/// The index of the first pointer of `byte` or a greater transition in the node at `at`, or behind its
/// last one; `None` for a node without children.
fn child_of_transition(file: &mut Blocks, at: u64, byte: u8) -> Result<Option<u16>> {
    let bytes = file.at(at, NODE_LEN_MAX)?;
    // Bytes that are no node are told by the move that follows.
    let Some(node) = Node::read(bytes) else { return Ok(Some(0)) };
    let index = (0..node.pointer_count).find(|i| node.transition(*i) >= usize::from(byte));
    let index = index.unwrap_or(node.pointer_count);
    Ok((node.pointer_count > 0).then_some(index as u16))
}

fn next_move(file: &mut Blocks, frame: &mut Frame) -> Result<Move> {
    let bytes = file.at(frame.at, NODE_LEN_MAX)?;
    let Some(node) = Node::read(bytes) else {
        let got = format!("{} up to the end of the file", bytes.len());
        return Err(file.corrupt(frame.at, "trie node", "more bytes", got));
    };
    if !frame.is_entered {
        frame.is_entered = true;
        return match (node.payload_bits, node.pointer_count) {
            (0, 0) => Err(file.corrupt(frame.at, "trie node", "a payload or children", "neither")),
            (0, _) => Ok(Move::Stay),
            (bits, _) => {
                let at = frame.at + node.bytes.len() as u64;
                Ok(Move::Yield(Payload { node_at: frame.at, at, bits }))
            }
        };
    }
    let Some(index) = node.child_from(usize::from(frame.passed)) else { return Ok(Move::Leave) };
    frame.passed = index as u16 + 1;
    let (transition, distance) = (node.transition(index), node.distance(index));
    let least = match index.checked_sub(1) {
        Some(before) if node.form == Form::Sparse => node.transition(before) + 1,
        _ => 0,
    };
    let at = frame.at;
    match (u8::try_from(transition), at.checked_sub(distance)) {
        (Ok(byte), Some(child)) if transition >= least && distance > 0 => {
            Ok(Move::Enter { transition: byte, at: child })
        }
        (Ok(_), _) if transition >= least => {
            Err(file.corrupt(at, "distance to a trie node", format!("1 to {at}"), distance))
        }
        _ => {
            let expected = format!("{least} to 255");
            Err(file.corrupt(at, "trie transition", expected, transition))
        }
    }
}

/// The signed number that a payload holds in up to 8 bytes.
pub(crate) fn signed(bytes: &[u8]) -> i64 {
    let negative = bytes.first().is_some_and(|byte| *byte >= 0x80);
    bytes.iter().fold(-i64::from(negative), |value, byte| value << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests;
