use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_buffer::BooleanBuffer;
use outpour_cql::{Batch, CqlType, Empties, OutputColumn, Partitioner, Table, column_builder};
use outpour_filter::{ClusteringRange, Filter, Form, Input, Predicate, Restriction, keep};
use outpour_sstable::{Projection, ScannedBatch};

use crate::{Error, ErrorKind, Result};

/// Which of the rows that are read are written.
pub(crate) struct Selection {
    filter: Filter,
    /// What need not be read at all
    restriction: Restriction,
    /// For each input of the filter
    places: Vec<Place>,
    /// How many of the columns that are read are shown; the others are only looked at
    shown: usize,
}

/// Where an input stands among the columns that are read.
struct Place {
    column: usize,
    /// Its type, if it is read as cells and the filter wants values
    cells_of: Option<CqlType>,
}

impl Selection {
    /// Of the rows that `condition`, a WHERE, is true of. `projection` is given the columns that only
    /// the condition looks at, behind those that are shown.
    ///
    /// # Errors
    /// Invalid for a condition that is none of the table's.
    pub(crate) fn new(
        condition: &str,
        (table, partitioner): (&Table, Partitioner),
        projection: &mut Projection,
    ) -> Result<Self> {
        let predicate = Predicate::parse(condition, table, partitioner);
        let predicate = predicate.map_err(|e| Error::invalid(format!("--where: {e}")))?;
        let filter = Filter::new(&predicate);
        let restriction = Restriction::of(&predicate, table, partitioner);
        let shown = projection.columns().len();
        let place = |input: &Input| {
            let column = match input.form {
                Form::Values => projection.place_of(table, &input.column)?,
                Form::Cells => projection.place_of_cells(table, &input.column)?,
            };
            let is_decoded = input.form == Form::Values && projection.is_raw();
            Ok(Place { column, cells_of: is_decoded.then(|| input.cql_type.clone()) })
        };
        let places = filter.inputs().iter().map(place).collect::<Result<Vec<_>>>()?;
        Ok(Self { filter, restriction, places, shown })
    }

    /// The part of the table that the rows are in.
    pub(crate) fn restriction(&self) -> &Restriction {
        &self.restriction
    }

    /// The part of each partition that they are in.
    pub(crate) fn rows(&self) -> ClusteringRange {
        self.restriction.clustering.clone()
    }

    /// The columns that are shown, of those that are read.
    pub(crate) fn shown<'a>(&self, columns: &'a [OutputColumn]) -> &'a [OutputColumn] {
        columns.get(..self.shown).unwrap_or(columns)
    }

    /// The selected rows, maybe none.
    pub(super) fn apply(&self, scanned: ScannedBatch) -> Result<ScannedBatch> {
        let ScannedBatch { batch, mut reservation } = scanned;
        // What is kept is a copy, and what is decoded is another.
        let len = reservation.bytes();
        let copies = 1 + u64::from(self.places.iter().any(|place| place.cells_of.is_some()));
        reservation.resize(len.saturating_mul(1 + copies))?;
        let rows = self.select(&batch)?;
        let kept = keep(&batch, self.shown, &rows);
        let kept = kept.map_err(|e| Error::new(ErrorKind::Limit, e.to_string()))?;
        drop(batch);
        reservation.resize(len.min(kept.record.get_array_memory_size() as u64))?;
        Ok(ScannedBatch { batch: kept, reservation })
    }

    fn select(&self, batch: &Batch) -> Result<BooleanBuffer> {
        let decoded = self.places.iter().map(|place| place.decoded(batch));
        let decoded = decoded.collect::<Result<Vec<_>>>()?;
        let columns = self.places.iter().zip(&decoded).map(|(place, decoded)| match decoded {
            Some((array, empties)) => (array, empties),
            None => (batch.record.column(place.column), &batch.empties[place.column]),
        });
        let columns: Vec<_> = columns.collect();
        let rows = self.filter.select(batch.record.num_rows(), &columns);
        rows.map_err(|e| Error::invalid(e.to_string()))
    }
}

impl Place {
    /// The values of the cells, if that is how the column was read.
    fn decoded(&self, batch: &Batch) -> Result<Option<(ArrayRef, Empties)>> {
        let Some(cql_type) = &self.cells_of else { return Ok(None) };
        let array = batch.record.column(self.column);
        let Some(array) = array.as_any().downcast_ref::<BinaryArray>() else { return Ok(None) };
        let cells: Vec<_> = array.iter().collect();
        let mut builder = column_builder(cql_type);
        builder.append(&cells).map_err(|e| {
            let name = batch.record.schema().field(self.column).name().clone();
            Error::new(ErrorKind::Corrupt, format!("a value of column {name}: {e}"))
        })?;
        let values = builder.finish();
        Ok(Some((values.array, values.empties)))
    }
}
