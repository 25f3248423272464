use std::io::{self, Write};

use outpour_engine::{self as engine, Error};

use super::{Outcome, output_error, tell};
use crate::arguments::Schema;

pub(super) fn run(schema: &Schema) -> Result<Outcome, Error> {
    let mut notice = |text: &str| tell(&text);
    let text =
        engine::schema_text(&schema.source.options(), &schema.schema.options(), &mut notice)?;
    io::stdout().write_all(text.as_bytes()).map_err(|e| output_error(&e))?;
    Ok(Outcome::Done)
}
