//! Fragments to rows: what a query shows of them, as batches.

mod block;
mod complex;
mod project;
mod projection;

pub(crate) use block::{Block, CellPlace, Refused, SIDE};
pub(crate) use complex::ComplexValue;
pub(crate) use project::{ElementTimes, LiveCells, Noted, RowContext};
pub(crate) use projection::Outputs;
pub use projection::Projection;
