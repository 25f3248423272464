mod quantity;
mod table;

use std::io::{self, Write as _};

use outpour_engine::{self as engine, Error, InfoOptions, TableInfo};

use super::{Outcome, output_error, tell};
use crate::arguments::Info;
use crate::time;

pub(super) fn run(info: &Info) -> Result<Outcome, Error> {
    let options = InfoOptions {
        source: info.source.options(),
        schema: info.schema.clone(),
        now: info.now.unwrap_or_else(time::now),
        gc_grace_seconds: info.gc_grace,
    };
    let tables = engine::info(&options, &mut |text| tell(&text))?;
    let text = match info.json {
        true => format!("{:#}\n", serde_json::json!({ "tables": tables })),
        false => tables.iter().map(table::text).collect::<Vec<_>>().join("\n"),
    };
    io::stdout().write_all(text.as_bytes()).map_err(|e| output_error(&e))?;
    let is_whole = |table: &TableInfo| table.errors.is_empty();
    Ok(if tables.iter().all(is_whole) { Outcome::Done } else { Outcome::Found })
}
