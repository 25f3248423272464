//! CQL's data definition statements, as far as they tell how tables are stored.

mod assemble;
mod declared;
mod print;
mod raw_type;
mod resolve;
mod schema_file;
mod statement;
mod system;
mod type_text;

pub use print::create_table;
pub use schema_file::Schema;
pub use system::{
    ColumnRow, DroppedColumnRow, SystemRows, TableRow, TypeRow, ViewRow, system_table,
};
pub use type_text::{quoted, type_text};
