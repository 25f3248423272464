//! Filters beside a slow oracle, on random rows and conditions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // Tests.

mod cells;
mod conditions;
mod keep;
mod oracle;
mod random;
mod restrict;
mod rows;
mod select;
