//! What the sinks write, as whole texts.

mod random_tables;
mod support;
