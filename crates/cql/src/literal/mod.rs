//! Literals of CQL: what a statement writes for a value, and the bytes it stands for.
//!
//! A literal has no type of its own; the column it stands beside gives it one. Which literal fits
//! which type is as in `cql3/terms/Constants.java` and its neighbours (4.0 to 6.0).

mod calendar;
mod duration;
mod nested;
mod number;
mod parse;
mod scalar;
#[cfg(test)]
mod tests;

use crate::CqlType;

/// A literal, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Byte of its start in the text
    at: usize,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Null,
    String(String),
    /// Digits, behind a minus sign or not
    Integer(String),
    /// With a point or exponent; or NaN, Infinity, -Infinity
    Float(String),
    Boolean(bool),
    Uuid([u8; 16]),
    Bytes(Vec<u8>),
    Duration(String),
    /// `blobAsInt(0x)`: a type's name, lower case without underscores, and a value's bytes
    Converted(String, Vec<u8>),
    List(Vec<Literal>),
    Tuple(Vec<Literal>),
    /// `{}` is an empty map too
    Set(Vec<Literal>),
    Map(Vec<(Literal, Literal)>),
    /// A UDT's
    Fields(Vec<(String, Literal)>),
}

/// Why a literal is no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, got {got}")]
pub struct LiteralError {
    /// Byte of the literal's start in the text
    pub at: usize,
    /// What the type takes
    pub expected: String,
    /// What is there
    pub got: String,
}

impl Literal {
    /// Byte of its start in the text.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.kind == Kind::Null
    }

    /// The bytes of the value of `cql_type` that it stands for, as the CQL protocol carries them.
    ///
    /// # Errors
    /// The literal does not fit the type, or lies outside its range; null is no value.
    pub fn value(&self, cql_type: &CqlType) -> Result<Vec<u8>, LiteralError> {
        match &self.kind {
            Kind::Converted(name, bytes) => self.converted(name, bytes, cql_type),
            _ => nested::value(self, cql_type).unwrap_or_else(|| scalar::value(self, cql_type)),
        }
    }

    /// An integer, as token() has it.
    #[must_use]
    pub fn integer(&self) -> Option<i128> {
        match &self.kind {
            Kind::Integer(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The content of a string.
    #[must_use]
    pub fn string(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The parts of a tuple.
    #[must_use]
    pub fn parts(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::Tuple(parts) => Some(parts),
            _ => None,
        }
    }

    #[cold]
    fn refuse(&self, expected: impl Into<String>) -> LiteralError {
        LiteralError { at: self.at, expected: expected.into(), got: self.describe() }
    }

    fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "null".to_owned(),
            Kind::String(text) => format!("the string '{text}'"),
            Kind::Integer(text) | Kind::Float(text) => format!("the number {text}"),
            Kind::Boolean(value) => value.to_string(),
            Kind::Uuid(_) => "a UUID".to_owned(),
            Kind::Bytes(bytes) => format!("{} bytes", bytes.len()),
            Kind::Duration(text) => format!("the duration {text}"),
            Kind::Converted(name, bytes) => format!("{} bytes as {name}", bytes.len()),
            Kind::List(elements) => format!("a list of {}", elements.len()),
            Kind::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Kind::Set(elements) => format!("a set of {}", elements.len()),
            Kind::Map(entries) => format!("a map of {}", entries.len()),
            Kind::Fields(fields) => format!("a value of {} fields", fields.len()),
        }
    }
}
