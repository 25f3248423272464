//! Clustering prefixes (`db/ClusteringPrefix.java`, `db/ClusteringBoundOrBoundary.java`).
//!
//! ```text
//! values   for each group of 32 components: vint header, then the values
//!          header bit 2i: component i is empty, bit 2i + 1: it is null; neither has bytes then
//! row      values of all components; no byte at all in a table without clustering columns
//! bound    u8 kind │ u16 component count │ values
//! ```
//! A value of a fixed-length type stands alone, another one behind a vint length.

use outpour_codec::{Reader, vint};
use outpour_cql::CqlType;

use crate::read::{Span, Stop};

/// How many bytes a value has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// Always so many
    Fixed(u32),
    /// A vint length stands before the value
    Prefixed,
}

impl Width {
    /// The width of values of a type.
    pub(crate) fn of(cql_type: &CqlType) -> Self {
        match cql_type.fixed_len().and_then(|len| u32::try_from(len).ok()) {
            Some(len) => Self::Fixed(len),
            None => Self::Prefixed,
        }
    }

    /// Where the value at `*at` lies; moves `*at` behind it.
    #[inline(always)]
    pub(crate) fn read(self, bytes: &[u8], at: &mut usize) -> Result<Span, Stop> {
        let len = match self {
            Self::Fixed(len) => u64::from(len),
            Self::Prefixed => vint::read_unsigned(bytes, at).ok_or(Stop::Incomplete)?,
        };
        if len > (bytes.len() - *at) as u64 {
            return Err(Stop::Incomplete);
        }
        let span = Span::new(*at, len as usize);
        *at += len as usize;
        Ok(span)
    }
}

/// Components in one header.
const GROUP_LEN: usize = 32;

/// Reads one value for each of `widths` and appends its place to `values`.
#[inline]
pub(crate) fn read_values(
    bytes: &[u8],
    at: &mut usize,
    widths: &[Width],
    values: &mut Vec<Span>,
) -> Result<(), Stop> {
    for group in widths.chunks(GROUP_LEN) {
        let header_at = *at;
        let header = vint::read_unsigned(bytes, at).ok_or(Stop::Incomplete)?;
        if header == 0 {
            for width in group {
                values.push(width.read(bytes, at)?);
            }
        } else {
            read_marked_values(bytes, at, (header, header_at), group, values)?;
        }
    }
    Ok(())
}

fn read_marked_values(
    bytes: &[u8],
    at: &mut usize,
    (header, header_at): (u64, usize),
    widths: &[Width],
    values: &mut Vec<Span>,
) -> Result<(), Stop> {
    if widths.len() < GROUP_LEN && header >> (2 * widths.len()) != 0 {
        let expected = format!("marks of {} components", widths.len());
        return Err(Stop::corrupt(header_at, "clustering header", expected, header));
    }
    for (i, width) in widths.iter().enumerate() {
        values.push(match header >> (2 * i) & 3 {
            0 => width.read(bytes, at)?,
            1 => Span::new(*at, 0),
            2 => Span::NULL,
            _ => {
                let expected = "empty or null, not both";
                return Err(Stop::corrupt(header_at, "clustering header", expected, header));
            }
        });
    }
    Ok(())
}

/// A row's clustering values or a bound, kept apart from the file it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClusteringPrefix {
    /// `None`: of a row
    bound: Option<BoundKind>,
    /// `None`: null
    values: Vec<Option<Box<[u8]>>>,
}

/// What stands in the place of a bound's kind before the values of a row, outside Data.db.
const KIND_ROW: u8 = 4;

impl ClusteringPrefix {
    /// The prefix of the row or bound whose values lie in `bytes`.
    pub(crate) fn of(bound: Option<BoundKind>, values: &[Span], bytes: &[u8]) -> Self {
        let values = values.iter().map(|value| value.of(bytes).map(Box::from)).collect();
        Self { bound, values }
    }

    /// Reads what stands in an index: as a bound, or `04` and the values of a row.
    pub(crate) fn read(bytes: &[u8], at: &mut usize, widths: &[Width]) -> Result<Self, Stop> {
        let kind_at = *at;
        let kind = *bytes.get(kind_at).ok_or(Stop::Incomplete)?;
        *at += 1;
        let (bound, count) = match BoundKind::parse(kind) {
            Some(bound) => (Some(bound), read_count(bytes, at)?),
            None if kind == KIND_ROW => (None, widths.len()),
            None => {
                let expected = "0, 1, 2, 4, 5, 6 or 7";
                return Err(Stop::corrupt(kind_at, "clustering kind", expected, kind));
            }
        };
        let widths = widths.get(..count).ok_or_else(|| {
            let expected = format!("0 to {}", widths.len());
            Stop::corrupt(kind_at + 1, "bound components", expected, count)
        })?;
        let mut values = Vec::with_capacity(count);
        read_values(bytes, at, widths, &mut values)?;
        Ok(Self::of(bound, &values, bytes))
    }

    /// Whether it is that of the row or bound whose values lie in `bytes`.
    pub(crate) fn is(&self, bound: Option<BoundKind>, values: &[Span], bytes: &[u8]) -> bool {
        self.bound == bound
            && self.values.iter().map(Option::as_deref).eq(values.iter().map(|v| v.of(bytes)))
    }
}

fn read_count(bytes: &[u8], at: &mut usize) -> Result<usize, Stop> {
    let rest = bytes.get(*at..).ok_or(Stop::Incomplete)?;
    let count = rest.first_chunk::<2>().ok_or(Stop::Incomplete)?;
    *at += 2;
    Ok(usize::from(u16::from_be_bytes(*count)))
}

/// Which side of its clustering values a bound lies on, and what it opens and closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BoundKind {
    ExclusiveEnd = 0,
    InclusiveStart = 1,
    ExclusiveEndInclusiveStart = 2,
    InclusiveEndExclusiveStart = 5,
    InclusiveEnd = 6,
    ExclusiveStart = 7,
}

impl BoundKind {
    /// The kind that Cassandra writes as `ordinal`; `None` for rows and kinds that are never
    /// written.
    pub(crate) fn parse(ordinal: u8) -> Option<Self> {
        Some(match ordinal {
            0 => Self::ExclusiveEnd,
            1 => Self::InclusiveStart,
            2 => Self::ExclusiveEndInclusiveStart,
            5 => Self::InclusiveEndExclusiveStart,
            6 => Self::InclusiveEnd,
            7 => Self::ExclusiveStart,
            _ => return None,
        })
    }

    /// Whether the bound lies before all rows that have its values as prefix, or behind them.
    pub(crate) fn is_before_rows(self) -> bool {
        (self as u8) < 3
    }

    /// Whether it closes one range tombstone and opens another.
    pub(crate) fn is_boundary(self) -> bool {
        matches!(self, Self::ExclusiveEndInclusiveStart | Self::InclusiveEndExclusiveStart)
    }

    /// Whether rows that have exactly the bound's values lie inside.
    pub(crate) fn is_inclusive(self) -> bool {
        matches!(self, Self::InclusiveStart | Self::InclusiveEnd)
    }

    /// Whether a range tombstone ends here.
    pub(crate) fn closes(self) -> bool {
        self.is_boundary() || matches!(self, Self::InclusiveEnd | Self::ExclusiveEnd)
    }

    /// Whether a range tombstone starts here.
    pub(crate) fn opens(self) -> bool {
        self.is_boundary() || matches!(self, Self::InclusiveStart | Self::ExclusiveStart)
    }
}

/// Reads the clustering types of the covered slice in Statistics.db.
pub(crate) fn read_widths(r: &mut Reader<'_>) -> outpour_codec::Result<Vec<Width>> {
    let count = r.vint_count("clustering types", 1)?;
    (0..count)
        .map(|_| {
            let offset = r.offset();
            let name = String::from_utf8_lossy(r.vint_bytes()?);
            let parsed = outpour_cql::marshal::parse(&name);
            let parsed = parsed.map_err(|e| outpour_codec::Error::Invalid {
                what: "clustering type",
                offset,
                expected: "a type".to_owned(),
                got: e.to_string(),
            })?;
            Ok(Width::of(&parsed.cql_type))
        })
        .collect()
}

/// Reads a bound of the covered slice in Statistics.db: its kind, and its values, of which `None` is
/// null.
pub(crate) fn read_slice_bound(
    r: &mut Reader<'_>,
    widths: &[Width],
) -> outpour_codec::Result<(BoundKind, Vec<Option<Vec<u8>>>)> {
    let invalid = |what, offset, expected: String, got: String| {
        Err(outpour_codec::Error::Invalid { what, offset, expected, got })
    };
    let offset = r.offset();
    let kind = r.u8()?;
    let Some(kind) = BoundKind::parse(kind).filter(|kind| !kind.is_boundary()) else {
        return invalid("bound kind", offset, "0, 1, 6 or 7".to_owned(), kind.to_string());
    };
    let offset = r.offset();
    let count = usize::from(r.u16()?);
    let Some(widths) = widths.get(..count) else {
        let expected = format!("0 to {}", widths.len());
        return invalid("bound components", offset, expected, count.to_string());
    };
    let mut values = Vec::with_capacity(count);
    for group in widths.chunks(GROUP_LEN) {
        let offset = r.offset();
        let header = r.unsigned_vint()?;
        for (i, width) in group.iter().enumerate() {
            values.push(match (header >> (2 * i) & 3, width) {
                (0, Width::Fixed(len)) => Some(r.take(*len as usize)?.to_vec()),
                (0, Width::Prefixed) => Some(r.vint_bytes()?.to_vec()),
                (1, _) => Some(Vec::new()),
                (2, _) => None,
                _ => {
                    let expected = "empty or null, not both".to_owned();
                    return invalid("clustering header", offset, expected, header.to_string());
                }
            });
        }
    }
    Ok((kind, values))
}
