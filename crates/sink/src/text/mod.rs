//! The text of single values, appended to a buffer.

pub(crate) mod calendar;
pub(crate) mod clock;
pub(crate) mod decimal;
pub(crate) mod duration;
pub(crate) mod escape;
pub(crate) mod float;
pub(crate) mod hex;
pub(crate) mod inet;
pub(crate) mod integer;
