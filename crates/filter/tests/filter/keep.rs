use arrow_buffer::BooleanBuffer;
use outpour_cql::cells;
use outpour_filter::keep;

use crate::random::Random;
use crate::rows::Rows;

#[test]
fn rows_that_are_kept_keep_their_values() {
    let mut random = Random::seeded(0x6b65_6570);
    for round in 0..300 {
        let rows = Rows::random(&mut random, 4, 0);
        let density = *random.pick(&[1, 2, 3, 20, 1000]);
        let marks: Vec<_> = (0..rows.cells.len()).map(|_| random.one_in(density)).collect();
        let columns = random.below(5);
        let batch = rows.batch();
        let kept = keep(&batch, columns, &BooleanBuffer::from(marks.clone())).unwrap();
        assert_eq!((kept.record.num_columns(), kept.empties.len()), (columns, columns));
        assert_eq!(kept.record.num_rows(), marks.iter().filter(|mark| **mark).count());
        for column in 0..columns {
            let of = |batch: &outpour_cql::Batch, row: usize| {
                let array = batch.record.column(column);
                let mut cell = Vec::new();
                let column = cells(&rows.types[column], array, &batch.empties[column]).unwrap();
                column.append(row, &mut cell).then_some(cell)
            };
            let before = (0..marks.len()).filter(|row| marks[*row]).map(|row| of(&batch, row));
            let after = (0..kept.record.num_rows()).map(|row| of(&kept, row));
            assert!(before.eq(after), "round {round}, {:?}", rows.types[column]);
            kept.record.column(column).to_data().validate_full().unwrap();
        }
    }
}
