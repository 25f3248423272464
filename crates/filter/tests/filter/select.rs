use outpour_filter::Filter;

use crate::conditions::any_condition;
use crate::oracle;
use crate::random::Random;
use crate::rows::Rows;

#[test]
fn filters_select_what_the_oracle_says() {
    let mut random = Random::seeded(0x6669_6c74_6572);
    let (mut selected, mut all) = (0_usize, 0_usize);
    for round in 0..300 {
        let rows = Rows::random(&mut random, 6, 2);
        for _ in 0..20 {
            let condition = any_condition(&mut random, &rows, 3);
            let got = rows.select(&Filter::new(&condition));
            for (row, (cells, got)) in rows.cells.iter().zip(got).enumerate() {
                let expected = oracle::answer(&condition, cells) == Some(true);
                assert_eq!(got, expected, "round {round}, row {row}: {cells:02x?}\n{condition:#?}");
                selected += usize::from(got);
                all += 1;
            }
        }
    }
    println!("{selected} of {all} rows selected");
    assert!(selected > all / 10 && selected < all * 9 / 10, "{selected} of {all}");
}
