use outpour_cql::{Cell, CellError, ColumnBuilder};

use crate::read::Span;

/// Rows that are noted before their cells are appended to the columns: enough to make up for the
/// dispatch of a column, few enough to stay in the L1 cache.
pub(crate) const ROWS: usize = 256;
/// The number of the block's own buffer among the buffers that cells lie in.
pub(crate) const SIDE: u32 = 0;
/// Bytes of the block's own buffer above which it is appended early.
const SIDE_LEN: usize = 256 << 10;

/// Where a value lies: in which buffer, and where there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CellPlace {
    /// [`SIDE`], or 1 + the number of the cursor whose window holds it
    pub(crate) buffer: u32,
    pub(crate) span: Span,
}

impl CellPlace {
    pub(crate) const NULL: Self = Self { buffer: SIDE, span: Span::NULL };
}

/// Some rows as places of their values, output column by output column.
///
/// Cells are not copied here: most lie in the window of the SSTable that they come from. Values that
/// are put together from several cells, and those of the partition, lie in the block's own buffer.
#[derive(Debug)]
pub(crate) struct Block {
    /// Room for [`ROWS`], and for the one that a partition without rows may add
    columns: Vec<Vec<CellPlace>>,
    rows: usize,
    pub(crate) side: Vec<u8>,
}

/// A value that its column refused.
pub(crate) struct Refused {
    pub(crate) output: usize,
    pub(crate) place: CellPlace,
    pub(crate) error: CellError,
}

impl Block {
    pub(crate) fn new(outputs: usize) -> Self {
        Self { columns: vec![vec![CellPlace::NULL; ROWS + 1]; outputs], rows: 0, side: Vec::new() }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the rows should be appended before the next one starts.
    pub(crate) fn is_full(&self) -> bool {
        self.rows >= ROWS || self.side.len() > SIDE_LEN
    }

    /// Sets a value of the row that is being noted; all others of it are null.
    #[inline(always)]
    pub(crate) fn set(&mut self, output: u32, place: CellPlace) {
        self.columns[output as usize][self.rows] = place;
    }

    /// The place that was set in the row that is being noted.
    pub(crate) fn get(&self, output: u32) -> CellPlace {
        self.columns[output as usize][self.rows]
    }

    /// Copies a value to the block's own buffer.
    pub(crate) fn own(&mut self, value: &[u8]) -> CellPlace {
        let at = self.side.len();
        self.side.extend_from_slice(value);
        CellPlace { buffer: SIDE, span: Span::new(at, value.len()) }
    }

    /// Keeps the row that is being noted.
    #[inline]
    pub(crate) fn commit_row(&mut self) {
        self.rows += 1;
    }

    /// Forgets the row that is being noted.
    pub(crate) fn discard_row(&mut self) {
        for column in &mut self.columns {
            column[self.rows] = CellPlace::NULL;
        }
    }

    /// Appends all rows to the columns and empties the block. `windows` are the cursors' buffers.
    pub(crate) fn append_to(
        &mut self,
        builders: &mut [Box<dyn ColumnBuilder>],
        windows: &[&[u8]],
    ) -> Result<(), Refused> {
        let mut cells: Vec<Cell<'_>> = Vec::with_capacity(self.rows);
        for (output, (column, builder)) in self.columns.iter_mut().zip(builders).enumerate() {
            let places = &mut column[..self.rows];
            cells.clear();
            cells.extend(places.iter().map(|place| match place.buffer {
                SIDE => place.span.of(&self.side),
                cursor => place.span.of(windows[cursor as usize - 1]),
            }));
            builder.append(&cells).map_err(|error| {
                let place = places.get(error.index).copied().unwrap_or(CellPlace::NULL);
                Refused { output, place, error }
            })?;
            places.fill(CellPlace::NULL);
        }
        self.side.clear();
        self.rows = 0;
        Ok(())
    }
}
