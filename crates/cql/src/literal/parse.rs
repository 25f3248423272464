use super::{Kind, Literal};
use crate::SchemaError;
use crate::syntax::{self, DEPTH_MAX, Parser, scan};

/// Functions that take a value's bytes: `blobAsInt`, `blob_as_int`.
const CONVERSION: [&str; 2] = ["blob_as_", "blobas"];

impl Literal {
    /// Takes the literal that comes next.
    ///
    /// # Errors
    /// None comes, or it does not end.
    pub fn parse(p: &mut Parser<'_>) -> Result<Self, SchemaError> {
        parse(p, 0)
    }
}

fn parse(p: &mut Parser<'_>, depth: usize) -> Result<Literal, SchemaError> {
    if depth >= DEPTH_MAX {
        return Err(p.error(&format!("values nested at most {DEPTH_MAX} deep")));
    }
    let at = p.at();
    let kind = match p.peek().map(|token| (token.kind, token.text.as_str())) {
        Some((syntax::Kind::String, text)) => {
            p.take();
            Kind::String(text.to_owned())
        }
        Some((syntax::Kind::Symbol, "[")) => Kind::List(sequence(p, "]", depth)?),
        Some((syntax::Kind::Symbol, "(")) => Kind::Tuple(sequence(p, ")", depth)?),
        Some((syntax::Kind::Symbol, "{")) => braces(p, depth)?,
        _ => atom(p)?,
    };
    Ok(Literal { at, kind })
}

/// Literals up to `closing`, after the opening bracket that comes next.
fn sequence(p: &mut Parser<'_>, closing: &str, depth: usize) -> Result<Vec<Literal>, SchemaError> {
    p.take();
    let mut literals = Vec::new();
    while !p.symbol(closing) {
        if !literals.is_empty() {
            p.expect(",")?;
        }
        literals.push(parse(p, depth + 1)?);
    }
    Ok(literals)
}

/// A set, a map, or a UDT's fields.
fn braces(p: &mut Parser<'_>, depth: usize) -> Result<Kind, SchemaError> {
    p.take();
    if p.symbol("}") {
        return Ok(Kind::Set(Vec::new()));
    }
    if is_field(p) {
        return fields(p, depth);
    }
    let first = parse(p, depth + 1)?;
    if p.symbol(":") {
        return entries(p, first, depth);
    }
    let mut elements = vec![first];
    while !p.symbol("}") {
        p.expect(",")?;
        elements.push(parse(p, depth + 1)?);
    }
    Ok(Kind::Set(elements))
}

/// Whether a name and a colon come next: names of constants are keys of a map.
fn is_field(p: &Parser<'_>) -> bool {
    let is_name = p.peek().is_some_and(|token| match token.kind {
        syntax::Kind::Quoted => true,
        syntax::Kind::Word => {
            constant(&token.text).is_none() && token.text.starts_with(|c: char| !c.is_ascii_digit())
        }
        _ => false,
    });
    is_name && p.peek_ahead(1).is_some_and(|t| t.kind == syntax::Kind::Symbol && t.text == ":")
}

fn fields(p: &mut Parser<'_>, depth: usize) -> Result<Kind, SchemaError> {
    let mut fields = Vec::new();
    loop {
        let name = p.name()?;
        p.expect(":")?;
        fields.push((name, parse(p, depth + 1)?));
        if p.symbol("}") {
            return Ok(Kind::Fields(fields));
        }
        p.expect(",")?;
    }
}

fn entries(p: &mut Parser<'_>, first: Literal, depth: usize) -> Result<Kind, SchemaError> {
    let mut entries = vec![(first, parse(p, depth + 1)?)];
    while !p.symbol("}") {
        p.expect(",")?;
        let key = parse(p, depth + 1)?;
        p.expect(":")?;
        entries.push((key, parse(p, depth + 1)?));
    }
    Ok(Kind::Map(entries))
}

/// What has no brackets: several tokens, of which the text alone tells that they are one.
fn atom(p: &mut Parser<'_>) -> Result<Kind, SchemaError> {
    if let Some(text) = p.text_of(scan::uuid) {
        return Ok(Kind::Uuid(scan::uuid_bytes(text)));
    }
    if let Some(text) = p.text_of(scan::hex) {
        return hex_bytes(text).map(Kind::Bytes).ok_or_else(|| odd(p));
    }
    if let Some(text) = p.text_of(scan::duration) {
        return Ok(Kind::Duration(text.to_owned()));
    }
    if let Some(text) = p.text_of(scan::number) {
        let is_integer = !text.contains(['.', 'e', 'E']);
        let kind = if is_integer { Kind::Integer } else { Kind::Float };
        return Ok(kind(text.to_owned()));
    }
    if p.is_symbol("-") {
        return negative_constant(p);
    }
    word(p)
}

fn odd(p: &Parser<'_>) -> SchemaError {
    p.error("an even number of hex digits before this")
}

fn hex_bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<_> = text.chars().skip(2).filter_map(|c| c.to_digit(16)).collect();
    let byte = |pair: &[u32]| Some((*pair.first()? << 4 | *pair.get(1)?) as u8);
    digits.chunks(2).map(byte).collect()
}

fn negative_constant(p: &mut Parser<'_>) -> Result<Kind, SchemaError> {
    p.expect("-")?;
    match p.peek().and_then(|token| constant(&token.text)) {
        Some(Kind::Float(text)) => {
            p.take();
            Ok(Kind::Float(if text == "NaN" { text } else { format!("-{text}") }))
        }
        _ => Err(p.error("a number")),
    }
}

fn constant(word: &str) -> Option<Kind> {
    match word {
        "null" => Some(Kind::Null),
        "true" => Some(Kind::Boolean(true)),
        "false" => Some(Kind::Boolean(false)),
        "nan" => Some(Kind::Float("NaN".to_owned())),
        "infinity" => Some(Kind::Float("Infinity".to_owned())),
        _ => None,
    }
}

fn word(p: &mut Parser<'_>) -> Result<Kind, SchemaError> {
    let token = p.peek().filter(|token| token.kind == syntax::Kind::Word);
    let text = token.map_or("", |token| token.text.as_str());
    if let Some(constant) = constant(text) {
        p.take();
        return Ok(constant);
    }
    match CONVERSION.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        Some(name) => conversion(p, name),
        None => Err(p.error("a value")),
    }
}

fn conversion(p: &mut Parser<'_>, name: &str) -> Result<Kind, SchemaError> {
    p.take();
    p.expect("(")?;
    let text = p.text_of(scan::hex).ok_or_else(|| p.error("bytes as 0x…"))?;
    let bytes = hex_bytes(text).ok_or_else(|| odd(p))?;
    p.expect(")")?;
    Ok(Kind::Converted(name.to_owned(), bytes))
}
