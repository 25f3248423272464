use outpour_cql::{CqlType, Table, type_text};

use super::{Reader, Result};
use crate::{Column, Path, Place, Step};

impl Reader<'_> {
    /// Takes a column or a part of one.
    pub(super) fn path(&mut self) -> Result<Path> {
        let mut path = Path { column: self.column()?, steps: Vec::new() };
        loop {
            let step = if self.p.symbol(".") {
                self.field(&path)?
            } else if self.p.symbol("[") {
                self.element(&path)?
            } else {
                return Ok(path);
            };
            path.steps.push(step);
        }
    }

    pub(super) fn column(&mut self) -> Result<Column> {
        let at = self.p.at();
        let name = self.p.name().map_err(|_| self.p.error("a column"))?;
        find_column(self.table, &name).ok_or_else(|| {
            let known: Vec<_> = self.table.select_order().map(|c| c.name.as_str()).collect();
            let known = known.join(", ");
            self.p.message(at, &format!("there is no column {name}; the columns are {known}"))
        })
    }

    fn field(&mut self, path: &Path) -> Result<Step> {
        let at = self.p.at();
        let name = self.p.name()?;
        let CqlType::Udt(udt) = path.cql_type() else {
            let message = format!("{} is no UDT and has no fields", shown(path));
            return Err(self.p.message(at, &message));
        };
        let index = udt.fields.iter().position(|field| field.name == name);
        index.map(Step::Field).ok_or_else(|| {
            let known: Vec<_> = udt.fields.iter().map(|field| field.name.as_str()).collect();
            let known = known.join(", ");
            self.p.message(at, &format!("{} has no field {name}; it has {known}", udt.name))
        })
    }

    fn element(&mut self, path: &Path) -> Result<Step> {
        let at = self.p.at();
        let name = shown(path);
        let step = match path.cql_type() {
            CqlType::Map(key, _) => Step::Key(self.value(&name, key)?),
            CqlType::List(_) | CqlType::Vector(..) => {
                let index = self.value(&name, &CqlType::Int)?;
                let index = <[u8; 4]>::try_from(index).map_or(-1, i32::from_be_bytes);
                let index = usize::try_from(index);
                let message = format!("{name}: elements are counted from 0");
                Step::Index(index.map_err(|_| self.p.message(at, &message))?)
            }
            _ => {
                let message = format!("{name} is no map, list or vector and has no elements");
                return Err(self.p.message(at, &message));
            }
        };
        self.p.expect("]")?;
        Ok(step)
    }
}

/// A path and its type, for messages.
pub(super) fn shown(path: &Path) -> String {
    let part = if path.steps.is_empty() { "" } else { "a part of " };
    let cql_type = type_text(path.cql_type(), true);
    format!("{part}column {} of type {cql_type}", path.column.name)
}

fn find_column(table: &Table, name: &str) -> Option<Column> {
    let column = table.select_order().find(|column| column.name == name)?;
    let of_key = table.partition_key.iter().position(|column| column.name == name);
    let clustering = table.clustering.iter().position(|c| c.column.name == name);
    let place = match (of_key, clustering) {
        (Some(index), _) => Place::PartitionKey(index),
        (None, Some(index)) => Place::Clustering(index),
        (None, None) => Place::Other,
    };
    Some(Column { name: name.to_owned(), place, cql_type: column.cql_type.clone() })
}
