//! What the sinks write, as whole texts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "only tests are here, and a test fails by a panic"
)]

mod cqlsh;
mod goldens;
mod random_tables;
mod support;
