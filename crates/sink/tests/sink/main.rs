//! What the sinks write, as whole texts.

mod cqlsh;
mod goldens;
mod random_tables;
mod support;
