//! CQL text: its tokens, and steps over them that statements, types and conditions are read with.

mod lexer;
mod parser;
pub(crate) mod scan;

pub use lexer::{Kind, Token};
pub(crate) use lexer::{Lexer, place};
pub use parser::{Name, Parser};

use crate::SchemaError;

/// The nesting that is read: real types, values and conditions stay far below, and parsers recurse.
pub const DEPTH_MAX: usize = 64;

/// The tokens of a text that is one statement, or a part of one.
///
/// # Errors
/// A quote or comment is not closed, or something stands behind a semicolon.
pub fn tokens(text: &str) -> Result<Vec<Token>, SchemaError> {
    let mut lexer = Lexer::new(text);
    let tokens = lexer.statement()?.unwrap_or_default();
    match lexer.statement()? {
        None => Ok(tokens),
        Some(more) => {
            let at = more.first().map_or(0, |token| token.at);
            Err(SchemaError::new(format!("{}: expected the end, got more", place(text, at))))
        }
    }
}
