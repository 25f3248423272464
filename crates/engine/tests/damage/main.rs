//! Damaged and mixed-up files end in an error or in the right rows; never in other rows, in fewer, in
//! a panic, in more memory than was given, or not at all. `docs/damage.md` tells what is tried.
//!
//! `OUTPOUR_DAMAGE=all` tries every length and every bit instead of a part of them, spread evenly.
//! The counts are printed: run with `--nocapture` to see them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // A test.

mod bytes;
mod chunks;
mod copy;
mod fuzz;
mod limits;
mod mixed;
mod older;
mod statistics;
mod sweep;
mod table;
mod verdict;
