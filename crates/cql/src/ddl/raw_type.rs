use crate::syntax::{DEPTH_MAX, Kind, Lexer, Parser};
use crate::{SchemaError, marshal};

/// A type as it is written, with UDTs by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawType {
    Named { keyspace: Option<String>, name: String },
    Generic { name: String, parameters: Vec<RawType> },
    Vector { element: Box<RawType>, dimension: usize },
    Java(marshal::MarshalType),
}

/// Parses a type in a statement.
pub(super) fn parse_type(p: &mut Parser<'_>, depth: usize) -> Result<RawType, SchemaError> {
    if depth >= DEPTH_MAX {
        return Err(p.error(&format!("types nested at most {DEPTH_MAX} deep")));
    }
    if let Some(token) = p.peek().filter(|token| token.kind == Kind::String) {
        let java = marshal::parse(&token.text).map_err(|e| p.error(&format!("a type ({e})")))?;
        p.take();
        return Ok(RawType::Java(java));
    }
    let name = p.name()?;
    if p.symbol(".") {
        return Ok(RawType::Named { keyspace: Some(name), name: p.name()? });
    }
    if !p.symbol("<") {
        return Ok(RawType::Named { keyspace: None, name });
    }
    if name == "vector" {
        return parse_vector(p, depth);
    }
    let mut parameters = vec![parse_type(p, depth + 1)?];
    while p.symbol(",") {
        parameters.push(parse_type(p, depth + 1)?);
    }
    p.expect(">")?;
    Ok(RawType::Generic { name, parameters })
}

fn parse_vector(p: &mut Parser<'_>, depth: usize) -> Result<RawType, SchemaError> {
    let element = Box::new(parse_type(p, depth + 1)?);
    p.expect(",")?;
    let dimension = p.peek().and_then(|token| token.text.parse().ok());
    let dimension = dimension.ok_or_else(|| p.error("a vector's dimension"))?;
    p.take();
    p.expect(">")?;
    Ok(RawType::Vector { element, dimension })
}

/// Parses a type that stands alone, as in `system_schema.columns`.
pub(super) fn parse_alone(text: &str) -> Result<RawType, SchemaError> {
    let tokens = Lexer::new(text).statement()?.unwrap_or_default();
    let mut p = Parser::new(text, &tokens);
    let parsed = parse_type(&mut p, 0);
    let parsed = parsed.and_then(|raw| p.expect_end().map(|()| raw));
    parsed.map_err(|e| SchemaError::new(format!("type {text:?}: {e}")))
}
