use super::raw_type::{RawType, parse_type};
use crate::SchemaError;
use crate::syntax::{Name, Parser, Token};

/// A column as a statement declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawColumn {
    pub(super) name: String,
    pub(super) raw_type: RawType,
    pub(super) is_static: bool,
}

/// A UDT's field as a statement declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawField {
    pub(super) name: String,
    pub(super) raw_type: RawType,
}

/// A statement that matters, with types not yet resolved.
#[derive(Debug)]
pub(super) enum Statement {
    Use(String),
    CreateType { name: Name, fields: Vec<RawField> },
    AlterType { name: Name, if_exists: bool, change: TypeChange },
    CreateTable { name: Name, table: RawTable },
    AlterTable { name: Name, if_exists: bool, change: TableChange },
    CreateView { name: Name, view: RawView },
}

/// What ALTER TYPE changes.
#[derive(Debug)]
pub(super) enum TypeChange {
    Add { field: RawField, if_not_exists: bool },
    Rename { names: Vec<(String, String)>, if_exists: bool },
    Retype { field: String, raw_type: RawType, if_exists: bool },
}

/// What ALTER TABLE changes.
#[derive(Debug)]
pub(super) enum TableChange {
    Add {
        columns: Vec<RawColumn>,
        if_not_exists: bool,
    },
    /// `time_us`: of USING TIMESTAMP
    Drop {
        columns: Vec<String>,
        if_exists: bool,
        time_us: Option<i64>,
    },
    Rename {
        names: Vec<(String, String)>,
        if_exists: bool,
    },
    Retype {
        column: String,
        raw_type: RawType,
        if_exists: bool,
    },
    DropCompactStorage,
    /// Options and what else does not tell how the table is stored
    Nothing,
}

/// CREATE TABLE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawTable {
    pub(super) columns: Vec<RawColumn>,
    pub(super) key: RawKey,
    pub(super) options: Options,
}

/// CREATE MATERIALIZED VIEW.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawView {
    pub(super) base: Name,
    /// Empty: all of the base table
    pub(super) columns: Vec<String>,
    pub(super) key: RawKey,
    pub(super) options: Options,
}

/// PRIMARY KEY.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RawKey {
    pub(super) partition: Vec<String>,
    pub(super) clustering: Vec<String>,
}

/// The options of WITH that matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) id: Option<[u8; 16]>,
    /// CLUSTERING ORDER BY: names, and whether descending
    pub(super) order: Vec<(String, bool)>,
    pub(super) is_compact: bool,
}

const IF_EXISTS: &[&str] = &["if", "exists"];
const IF_NOT_EXISTS: &[&str] = &["if", "not", "exists"];

/// Parses one statement; `None` for one that does not matter.
pub(super) fn parse(text: &str, tokens: &[Token]) -> Result<Option<Statement>, SchemaError> {
    let mut p = Parser::new(text, tokens);
    let statement = if p.words(&["use"]) {
        Statement::Use(p.name()?)
    } else if p.words(&["create", "type"]) {
        create_type(&mut p)?
    } else if p.words(&["create", "table"]) || p.words(&["create", "columnfamily"]) {
        create_table(&mut p)?
    } else if p.words(&["create", "materialized", "view"]) {
        create_view(&mut p)?
    } else if p.words(&["alter", "table"]) || p.words(&["alter", "columnfamily"]) {
        alter_table(&mut p)?
    } else if p.words(&["alter", "type"]) {
        alter_type(&mut p)?
    } else {
        return Ok(None);
    };
    p.expect_end()?;
    Ok(Some(statement))
}

fn create_type(p: &mut Parser<'_>) -> Result<Statement, SchemaError> {
    p.words(IF_NOT_EXISTS);
    let name = p.qualified()?;
    p.expect("(")?;
    Ok(Statement::CreateType { name, fields: p.list(field)? })
}

fn field(p: &mut Parser<'_>) -> Result<RawField, SchemaError> {
    Ok(RawField { name: p.name()?, raw_type: parse_type(p, 0)? })
}

fn create_table(p: &mut Parser<'_>) -> Result<Statement, SchemaError> {
    p.words(IF_NOT_EXISTS);
    let name = p.qualified()?;
    p.expect("(")?;
    let mut key = RawKey::default();
    let columns = p.list(|p| table_item(p, &mut key))?.into_iter().flatten().collect();
    if key.partition.is_empty() {
        return Err(p.error("a PRIMARY KEY before"));
    }
    Ok(Statement::CreateTable { name, table: RawTable { columns, key, options: options(p)? } })
}

fn table_item(p: &mut Parser<'_>, key: &mut RawKey) -> Result<Option<RawColumn>, SchemaError> {
    if p.words(&["primary", "key"]) {
        *key = primary_key(p)?;
        return Ok(None);
    }
    let column = column(p)?;
    if p.words(&["primary", "key"]) {
        key.partition = vec![column.name.clone()];
    }
    // The order of these is free in 6.0.
    skip_mask_and_check(p)?;
    Ok(Some(column))
}

fn column(p: &mut Parser<'_>) -> Result<RawColumn, SchemaError> {
    let column =
        RawColumn { name: p.name()?, raw_type: parse_type(p, 0)?, is_static: p.words(&["static"]) };
    skip_mask_and_check(p)?;
    Ok(column)
}

/// `MASKED WITH DEFAULT` or `MASKED WITH function(arguments)` (5.0), `CHECK conditions` (6.0).
fn skip_mask_and_check(p: &mut Parser<'_>) -> Result<(), SchemaError> {
    if p.words(&["masked", "with"]) {
        p.qualified()?;
        if p.symbol("(") {
            p.skip_until(|p| p.is_symbol(")"));
            p.expect(")")?;
        }
    }
    if p.words(&["check"]) {
        p.skip_until(|p| p.is_symbol(",") || p.is_symbol(")") || p.is_words(&["primary", "key"]));
    }
    Ok(())
}

fn primary_key(p: &mut Parser<'_>) -> Result<RawKey, SchemaError> {
    p.expect("(")?;
    let partition = p.one_or_list(Parser::name)?;
    let clustering = match p.symbol(",") {
        true => p.list(Parser::name)?,
        false => {
            p.expect(")")?;
            Vec::new()
        }
    };
    Ok(RawKey { partition, clustering })
}

fn options(p: &mut Parser<'_>) -> Result<Options, SchemaError> {
    let mut options = Options::default();
    if p.is_at_end() {
        return Ok(options);
    }
    p.expect_words(&["with"])?;
    option(p, &mut options)?;
    while p.words(&["and"]) {
        option(p, &mut options)?;
    }
    Ok(options)
}

fn option(p: &mut Parser<'_>, options: &mut Options) -> Result<(), SchemaError> {
    if p.words(&["compact", "storage"]) {
        options.is_compact = true;
    } else if p.words(&["clustering", "order", "by"]) {
        p.expect("(")?;
        options.order = p.list(|p| {
            let name = p.name()?;
            let descending = p.words(&["desc"]);
            p.words(&["asc"]);
            Ok((name, descending))
        })?;
    } else if p.words(&["id"]) {
        p.expect("=")?;
        options.id = Some(p.uuid()?);
    } else {
        p.name()?;
        p.expect("=")?;
        // A statement that starts here is one that a semicolon is missing before.
        p.skip_until(|p| p.is_words(&["and"]) || p.is_words(&["create"]) || p.is_words(&["alter"]));
    }
    Ok(())
}

fn create_view(p: &mut Parser<'_>) -> Result<Statement, SchemaError> {
    p.words(IF_NOT_EXISTS);
    let name = p.qualified()?;
    p.expect_words(&["as", "select"])?;
    let mut columns = Vec::new();
    if !p.symbol("*") {
        columns.push(p.name()?);
        while p.symbol(",") {
            columns.push(p.name()?);
        }
    }
    p.expect_words(&["from"])?;
    let base = p.qualified()?;
    p.skip_until(|p| p.is_words(&["primary", "key"]));
    p.expect_words(&["primary", "key"])?;
    let key = primary_key(p)?;
    let view = RawView { base, columns, key, options: options(p)? };
    Ok(Statement::CreateView { name, view })
}

fn alter_table(p: &mut Parser<'_>) -> Result<Statement, SchemaError> {
    let if_exists = p.words(IF_EXISTS);
    let name = p.qualified()?;
    let change = if p.words(&["drop", "compact", "storage"]) {
        TableChange::DropCompactStorage
    } else if p.words(&["drop"]) {
        drop_columns(p)?
    } else if p.words(&["add"]) {
        let if_not_exists = p.words(IF_NOT_EXISTS);
        TableChange::Add { columns: p.one_or_list(column)?, if_not_exists }
    } else if p.words(&["rename"]) {
        let if_exists = p.words(IF_EXISTS);
        TableChange::Rename { names: p.renames()?, if_exists }
    } else if p.words(&["alter"]) {
        alter_column(p)?
    } else {
        p.expect_words(&["with"])?;
        p.skip_until(Parser::is_at_end);
        TableChange::Nothing
    };
    Ok(Statement::AlterTable { name, if_exists, change })
}

fn drop_columns(p: &mut Parser<'_>) -> Result<TableChange, SchemaError> {
    let if_exists = p.words(IF_EXISTS);
    let columns = p.one_or_list(Parser::name)?;
    let time_us = match p.words(&["using", "timestamp"]) {
        true => Some(p.integer()?),
        false => None,
    };
    Ok(TableChange::Drop { columns, if_exists, time_us })
}

/// A new type (up to 3.10), mask (5.0) or constraint (6.0).
fn alter_column(p: &mut Parser<'_>) -> Result<TableChange, SchemaError> {
    let if_exists = p.words(IF_EXISTS);
    let column = p.name()?;
    if p.words(&["type"]) {
        return Ok(TableChange::Retype { column, raw_type: parse_type(p, 0)?, if_exists });
    }
    p.skip_until(Parser::is_at_end);
    Ok(TableChange::Nothing)
}

fn alter_type(p: &mut Parser<'_>) -> Result<Statement, SchemaError> {
    let if_exists = p.words(IF_EXISTS);
    let name = p.qualified()?;
    let change = if p.words(&["add"]) {
        let if_not_exists = p.words(IF_NOT_EXISTS);
        TypeChange::Add { field: field(p)?, if_not_exists }
    } else if p.words(&["rename"]) {
        let if_exists = p.words(IF_EXISTS);
        TypeChange::Rename { names: p.renames()?, if_exists }
    } else {
        p.expect_words(&["alter"])?;
        let if_exists = p.words(IF_EXISTS);
        let field = p.name()?;
        p.expect_words(&["type"])?;
        TypeChange::Retype { field, raw_type: parse_type(p, 0)?, if_exists }
    };
    Ok(Statement::AlterType { name, if_exists, change })
}
