//! What the statements of a CQL file have declared so far.

use std::collections::BTreeMap;

use super::resolve::{Key, Udts, label};
use super::statement::{
    self, RawColumn, RawField, RawTable, RawView, Statement, TableChange, TypeChange,
};
use crate::SchemaError;
use crate::syntax::{Lexer, Name, Token, place};

/// Types, tables and materialized views by keyspace and name.
#[derive(Default)]
pub(super) struct Declared {
    /// That of USE
    keyspace: String,
    pub(super) udts: BTreeMap<Key, DeclaredUdt>,
    pub(super) tables: BTreeMap<Key, DeclaredTable>,
    pub(super) views: BTreeMap<Key, RawView>,
}

pub(super) struct DeclaredUdt {
    created: Vec<RawField>,
    fields: Vec<RawField>,
}

pub(super) struct DeclaredTable {
    created: RawTable,
    pub(super) table: RawTable,
    pub(super) dropped: Vec<DroppedRawColumn>,
}

/// A column that was dropped, and when if that was said.
pub(super) struct DroppedRawColumn {
    pub(super) column: RawColumn,
    pub(super) time_us: Option<i64>,
}

impl Udts for Declared {
    fn fields(&self, udt: &Key) -> Result<Option<Vec<RawField>>, SchemaError> {
        Ok(self.udts.get(udt).map(|udt| udt.fields.clone()))
    }
}

impl Declared {
    /// Reads CQL text, then the tables that Cassandra shows in its comments.
    pub(super) fn read(text: &str) -> Result<Self, SchemaError> {
        let mut declared = Self::default();
        let mut lexer = Lexer::new(text);
        while let Some(tokens) = lexer.statement()? {
            declared.read_statement(text, &tokens)?;
        }
        for range in lexer.shown_tables() {
            declared.read_shown_table(text, &mut Lexer::within(text, range))?;
        }
        Ok(declared)
    }

    fn read_statement(&mut self, text: &str, tokens: &[Token]) -> Result<(), SchemaError> {
        let Some(statement) = statement::parse(text, tokens)? else { return Ok(()) };
        self.apply(statement).map_err(|e| {
            let at = tokens.first().map_or(0, |token| token.at);
            SchemaError::new(format!("{}: {e}", place(text, at)))
        })
    }

    /// A table that is declared outside of comments is that one.
    fn read_shown_table(&mut self, text: &str, lexer: &mut Lexer<'_>) -> Result<(), SchemaError> {
        let Some(first) = lexer.statement()? else { return Ok(()) };
        if let Some(Statement::CreateTable { name, .. }) = statement::parse(text, &first)?
            && self.tables.contains_key(&self.key(&name))
        {
            return Ok(());
        }
        self.read_statement(text, &first)?;
        while let Some(tokens) = lexer.statement()? {
            self.read_statement(text, &tokens)?;
        }
        Ok(())
    }

    fn key(&self, name: &Name) -> Key {
        (name.keyspace.clone().unwrap_or_else(|| self.keyspace.clone()), name.name.clone())
    }

    fn apply(&mut self, statement: Statement) -> Result<(), SchemaError> {
        match statement {
            Statement::Use(keyspace) => {
                self.keyspace = keyspace;
                Ok(())
            }
            Statement::CreateType { name, fields } => self.create_type(self.key(&name), fields),
            Statement::CreateTable { name, table } => self.create_table(self.key(&name), table),
            Statement::CreateView { name, mut view } => {
                let key = self.key(&name);
                view.base.keyspace = Some(self.key(&view.base).0);
                self.create_view(key, view)
            }
            Statement::AlterType { name, if_exists, change } => {
                self.alter_type(&self.key(&name), if_exists, change)
            }
            Statement::AlterTable { name, if_exists, change } => {
                self.alter_table(&self.key(&name), if_exists, change)
            }
        }
    }

    fn create_type(&mut self, key: Key, created: Vec<RawField>) -> Result<(), SchemaError> {
        if self.udts.get(&key).is_some_and(|known| known.created != created) {
            return Err(declared_twice("type", &key));
        }
        let fields = created.clone();
        self.udts.insert(key, DeclaredUdt { created, fields });
        Ok(())
    }

    /// The same statement again stands for a second schema.cql of the table: what follows it is
    /// told again too.
    fn create_table(&mut self, key: Key, created: RawTable) -> Result<(), SchemaError> {
        let is_other = self.tables.get(&key).is_some_and(|known| known.created != created);
        if is_other || self.views.contains_key(&key) {
            return Err(declared_twice("table", &key));
        }
        let table = created.clone();
        self.tables.insert(key, DeclaredTable { created, table, dropped: Vec::new() });
        Ok(())
    }

    fn create_view(&mut self, key: Key, view: RawView) -> Result<(), SchemaError> {
        let is_other = self.views.get(&key).is_some_and(|known| *known != view);
        if is_other || self.tables.contains_key(&key) {
            return Err(declared_twice("materialized view", &key));
        }
        self.views.insert(key, view);
        Ok(())
    }

    fn alter_type(
        &mut self,
        key: &Key,
        if_exists: bool,
        change: TypeChange,
    ) -> Result<(), SchemaError> {
        match self.udts.get_mut(key) {
            Some(udt) => udt.alter(change).map_err(|what| cannot_alter(key, &what)),
            None if if_exists => Ok(()),
            None => Err(not_declared("type", key)),
        }
    }

    fn alter_table(
        &mut self,
        key: &Key,
        if_exists: bool,
        change: TableChange,
    ) -> Result<(), SchemaError> {
        match self.tables.get_mut(key) {
            Some(table) => table.alter(change).map_err(|what| cannot_alter(key, &what)),
            None if if_exists => Ok(()),
            None => Err(not_declared("table", key)),
        }
    }
}

fn cannot_alter(key: &Key, what: &str) -> SchemaError {
    SchemaError::new(format!("{}: {what}", label(key)))
}

fn declared_twice(what: &str, key: &Key) -> SchemaError {
    SchemaError::new(format!("{what} {} is declared twice, in different ways", label(key)))
}

fn not_declared(what: &str, key: &Key) -> SchemaError {
    SchemaError::new(format!("{what} {} is not declared before it is altered", label(key)))
}

impl DeclaredUdt {
    fn alter(&mut self, change: TypeChange) -> Result<(), String> {
        match change {
            TypeChange::Add { field, if_not_exists } => {
                let is_new = self.fields.iter().all(|known| known.name != field.name);
                match (is_new, if_not_exists) {
                    (true, _) => self.fields.push(field),
                    (false, true) => {}
                    (false, false) => return Err(format!("field {} is there already", field.name)),
                }
            }
            TypeChange::Rename { names, if_exists } => {
                for (old, new) in names {
                    match self.fields.iter_mut().find(|field| field.name == old) {
                        Some(field) => field.name = new,
                        None if if_exists => {}
                        None => return Err(format!("it has no field {old}")),
                    }
                }
            }
            TypeChange::Retype { field, raw_type, if_exists } => {
                match self.fields.iter_mut().find(|known| known.name == field) {
                    Some(known) => known.raw_type = raw_type,
                    None if if_exists => {}
                    None => return Err(format!("it has no field {field}")),
                }
            }
        }
        Ok(())
    }
}

impl DeclaredTable {
    fn alter(&mut self, change: TableChange) -> Result<(), String> {
        match change {
            TableChange::Add { columns, if_not_exists } => {
                columns.into_iter().try_for_each(|column| self.add(column, if_not_exists))
            }
            TableChange::Drop { columns, if_exists, time_us } => {
                columns.iter().try_for_each(|column| self.drop(column, if_exists, time_us))
            }
            TableChange::Rename { names, if_exists } => {
                names.iter().try_for_each(|(old, new)| self.rename(old, new, if_exists))
            }
            TableChange::Retype { column, raw_type, if_exists } => {
                match self.table.columns.iter_mut().find(|known| known.name == column) {
                    Some(known) => known.raw_type = raw_type,
                    None if if_exists => {}
                    None => return Err(no_column(&column)),
                }
                Ok(())
            }
            TableChange::DropCompactStorage => {
                self.table.options.is_compact = false;
                Ok(())
            }
            TableChange::Nothing => Ok(()),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.table.columns.iter().any(|column| column.name == name)
    }

    fn add(&mut self, column: RawColumn, if_not_exists: bool) -> Result<(), String> {
        let name = &column.name;
        if self.has(name) {
            let there = format!("column {name} is there already");
            return if if_not_exists { Ok(()) } else { Err(there) };
        }
        // Which of its cells the drop has taken is told by nothing else.
        if self.dropped.iter().any(|old| old.column.name == *name && old.time_us.is_none()) {
            return Err(format!(
                "column {name} is dropped and added again; say when it was dropped: DROP {name} USING TIMESTAMP microseconds"
            ));
        }
        self.table.columns.push(column);
        Ok(())
    }

    /// Of several drops of a name the last counts.
    fn drop(&mut self, name: &str, if_exists: bool, time_us: Option<i64>) -> Result<(), String> {
        let key = &self.table.key;
        if key.partition.iter().chain(&key.clustering).any(|column| column == name) {
            return Err(format!("column {name} of the key cannot be dropped"));
        }
        let Some(at) = self.table.columns.iter().position(|column| column.name == name) else {
            return if if_exists { Ok(()) } else { Err(no_column(name)) };
        };
        let column = self.table.columns.remove(at);
        self.dropped.retain(|old| old.column.name != name);
        self.dropped.push(DroppedRawColumn { column, time_us });
        Ok(())
    }

    fn rename(&mut self, old: &str, new: &str, if_exists: bool) -> Result<(), String> {
        if !self.has(old) {
            return if if_exists { Ok(()) } else { Err(no_column(old)) };
        }
        let RawTable { columns, key, options } = &mut self.table;
        let columns = columns.iter_mut().map(|column| &mut column.name);
        let order = options.order.iter_mut().map(|(name, _)| name);
        let key = key.partition.iter_mut().chain(&mut key.clustering);
        columns.chain(order).chain(key).filter(|name| *name == old).for_each(|name| {
            new.clone_into(name);
        });
        Ok(())
    }
}

fn no_column(name: &str) -> String {
    format!("it has no column {name}")
}
