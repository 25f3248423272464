//! Lines of a lossless dump to the uncompressed bytes of Data.db (`db/rows/UnfilteredSerializer.java`).

use outpour_codec::vint;
use outpour_cql::{CqlType, marshal};
use serde_json::Value;

/// Makes Data.db of its dump.
pub(crate) fn data(dump: &str, of_cassandra_5: bool) -> Vec<u8> {
    let mut lines = dump.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let head = lines.next().unwrap()["sstable"].take();
    let mut encoder = Encoder::new(&head, of_cassandra_5);
    for line in lines {
        encoder.line(&line);
    }
    encoder.out
}

struct Encoder {
    has_uint_times: bool,
    of_cassandra_5: bool,
    timestamp_min: i64,
    local_deletion_time_min: i64,
    ttl_min: i64,
    clustering: Vec<Option<usize>>,
    statics: Vec<Column>,
    regulars: Vec<Column>,
    out: Vec<u8>,
    partition_start: usize,
    /// Where the unfiltered before starts; `None` before the first one
    previous: Option<usize>,
    in_partition: bool,
    met: [u64; 4],
}

struct Column {
    name: String,
    fixed_len: Option<usize>,
    multi_cell: bool,
}

fn column(column: &Value) -> Column {
    let parsed = marshal::parse(column["type"].as_str().unwrap()).unwrap();
    let multi_cell = parsed.multi_cell;
    let fixed_len = parsed.cql_type.fixed_len().filter(|_| !multi_cell);
    Column { name: column["name"].as_str().unwrap().to_owned(), fixed_len, multi_cell }
}

fn columns(all: &Value) -> Vec<Column> {
    all.as_array().unwrap().iter().map(column).collect()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap().as_bytes();
    let digit = |digit: u8| (digit as char).to_digit(16).unwrap() as u8;
    hex.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

impl Encoder {
    fn new(head: &Value, of_cassandra_5: bool) -> Self {
        let clustering = head["clustering"]["types"].as_array().unwrap().iter();
        let clustering_type =
            |java: &Value| -> CqlType { marshal::parse(java.as_str().unwrap()).unwrap().cql_type };
        Self {
            has_uint_times: head["version"].as_str().unwrap() >= "o"
                || matches!(head["version"].as_str().unwrap(), "da" | "ea"),
            of_cassandra_5,
            timestamp_min: number(&head["timestamp_min"]),
            local_deletion_time_min: number(&head["local_deletion_time_min"]),
            ttl_min: number(&head["ttl_min"]),
            clustering: clustering.map(|java| clustering_type(java).fixed_len()).collect(),
            statics: columns(&head["statics"]),
            regulars: columns(&head["regulars"]),
            out: Vec::new(),
            partition_start: 0,
            previous: None,
            in_partition: false,
            met: [0; 4],
        }
    }

    fn line(&mut self, line: &Value) {
        let keys = ["partition", "static", "row", "bound", "end"];
        match keys.into_iter().find(|key| line.get(key).is_some()) {
            Some("partition") => self.partition(line),
            Some("static") => self.row(line, true),
            Some("row") => self.row(line, false),
            Some("bound") => self.bound(line),
            Some("end") => self.end(&line["end"]),
            _ => panic!("{line}"),
        }
    }

    fn end(&mut self, told: &Value) {
        if self.in_partition {
            self.out.push(0x01);
        }
        let told = ["partitions", "rows", "bounds", "cells"].map(|key| told[key].as_u64().unwrap());
        assert_eq!(told, self.met);
    }

    fn partition(&mut self, line: &Value) {
        if self.in_partition {
            self.out.push(0x01);
        }
        self.in_partition = true;
        self.met[0] += 1;
        self.partition_start = self.out.len();
        self.previous = None;
        let key = bytes(&line["partition"]);
        self.out.extend_from_slice(&(key.len() as u16).to_be_bytes());
        self.out.extend_from_slice(&key);
        let deletion = line.get("deletion");
        let marked = deletion.map_or(i64::MIN, |d| number(&d["marked_for_delete_at"]));
        let local = deletion.map(|d| number(&d["local_deletion_time"]));
        match (self.has_uint_times, local) {
            (true, None) => self.out.push(0x80),
            (true, Some(local)) => {
                self.out.extend_from_slice(&marked.to_be_bytes());
                self.out.extend_from_slice(&(local as u32).to_be_bytes());
            }
            (false, _) => {
                let local = local.unwrap_or(i64::from(i32::MAX));
                self.out.extend_from_slice(&(local as i32).to_be_bytes());
                self.out.extend_from_slice(&marked.to_be_bytes());
            }
        }
    }

    fn timestamp(&self, timestamp: i64, out: &mut Vec<u8>) {
        vint::write_unsigned(timestamp.wrapping_sub(self.timestamp_min) as u64, out);
    }

    fn local_deletion_time(&self, time: i64, out: &mut Vec<u8>) {
        let delta = time.wrapping_sub(self.local_deletion_time_min) as i32;
        vint::write_unsigned(i64::from(delta) as u64, out);
    }

    fn ttl(&self, ttl: i64, out: &mut Vec<u8>) {
        let delta = ttl.wrapping_sub(self.ttl_min) as i32;
        vint::write_unsigned(i64::from(delta) as u64, out);
    }

    fn deletion(&self, deletion: &Value, out: &mut Vec<u8>) {
        self.timestamp(number(&deletion["marked_for_delete_at"]), out);
        self.local_deletion_time(number(&deletion["local_deletion_time"]), out);
    }

    fn live_deletion(&self, out: &mut Vec<u8>) {
        self.timestamp(i64::MIN, out);
        let never = if self.of_cassandra_5 { -1 } else { i64::from(i32::MAX) };
        self.local_deletion_time(never, out);
    }

    /// Values of as many components as there are.
    fn values(&self, values: &Value, out: &mut Vec<u8>) {
        let values = values.as_array().unwrap();
        let components: Vec<_> = values.iter().zip(&self.clustering).collect();
        for group in components.chunks(32) {
            let mark = |value: &Value| match value.as_str() {
                None => 2,
                Some("") => 1,
                Some(_) => 0,
            };
            let marks = group.iter().enumerate().map(|(i, (value, _))| mark(value) << (2 * i));
            vint::write_unsigned(marks.sum(), out);
            for (value, fixed_len) in group.iter().filter(|(value, _)| mark(value) == 0) {
                value_bytes(&bytes(value), **fixed_len, out);
            }
        }
    }

    /// Ends the unfiltered that starts with `head` by its size, the previous one's and its body.
    fn unfiltered(&mut self, head: &[u8], body: &[u8], is_static: bool) {
        let start = self.out.len();
        let previous = match (is_static, self.previous) {
            (true, _) => 0,
            (false, None) => start - self.partition_start,
            (false, Some(previous)) => start - previous,
        };
        let mut rest = Vec::new();
        vint::write_unsigned(previous as u64, &mut rest);
        rest.extend_from_slice(body);
        self.out.extend_from_slice(head);
        vint::write_unsigned(rest.len() as u64, &mut self.out);
        self.out.extend_from_slice(&rest);
        if !is_static {
            self.previous = Some(start);
        }
    }

    fn bound(&mut self, line: &Value) {
        self.met[2] += 1;
        let kind = match line["bound"].as_str().unwrap() {
            "EXCL_END_BOUND" => 0,
            "INCL_START_BOUND" => 1,
            "EXCL_END_INCL_START_BOUNDARY" => 2,
            "INCL_END_EXCL_START_BOUNDARY" => 5,
            "INCL_END_BOUND" => 6,
            "EXCL_START_BOUND" => 7,
            other => panic!("{other}"),
        };
        let count = line["clustering"].as_array().unwrap().len() as u16;
        let mut head = vec![0x02, kind];
        head.extend_from_slice(&count.to_be_bytes());
        self.values(&line["clustering"], &mut head);
        let mut body = Vec::new();
        for deletion in ["closes", "opens"].into_iter().filter_map(|key| line.get(key)) {
            self.deletion(deletion, &mut body);
        }
        self.unfiltered(&head, &body, false);
    }

    fn row(&mut self, line: &Value, is_static: bool) {
        let columns = if is_static { &self.statics } else { &self.regulars };
        let cells = line["cells"].as_array().unwrap();
        let is_of = |column: &Column, cell: &Value| cell["column"] == column.name;
        let of = |column: &Column| -> Vec<&Value> {
            cells.iter().filter(|cell| is_of(column, cell)).collect()
        };
        let groups: Vec<_> = columns.iter().map(of).collect();
        let is_complex_deletion = |cell: &Value| cell.get("deletion").is_some_and(Value::is_object);
        let has_complex_deletion = cells.iter().any(is_complex_deletion);
        let missing: Vec<_> =
            (0..).zip(&groups).filter(|(_, g)| g.is_empty()).map(|(i, _)| i).collect();
        let (mut flags, mut extended) = (0_u8, u8::from(is_static));
        let mut body = Vec::new();
        if let Some(liveness) = line.get("liveness") {
            flags |= 0x04;
            self.timestamp(number(&liveness["timestamp"]), &mut body);
            if let Some(ttl) = liveness.get("ttl") {
                flags |= 0x08;
                self.ttl(number(ttl), &mut body);
                self.local_deletion_time(number(&liveness["local_deletion_time"]), &mut body);
            }
        }
        if let Some(deletion) = line.get("deletion") {
            flags |= 0x10;
            self.deletion(deletion, &mut body);
        }
        if let Some(deletion) = line.get("shadowable_deletion") {
            let of_scylla = line.get("keeps_deletion").is_some();
            flags |= if of_scylla { 0 } else { 0x10 };
            extended |= if of_scylla { 0x80 } else { 0x02 };
            self.deletion(deletion, &mut body);
        }
        flags |= if missing.is_empty() { 0x20 } else { 0 };
        flags |= if has_complex_deletion { 0x40 } else { 0 };
        flags |= if extended != 0 { 0x80 } else { 0 };
        subset(&missing, columns.len(), &mut body);
        let mut met = 0;
        for (column, cells) in columns.iter().zip(&groups).filter(|(_, cells)| !cells.is_empty()) {
            met += self.cells(column, cells, line.get("liveness"), has_complex_deletion, &mut body);
        }
        let mut head = vec![flags];
        head.extend((extended != 0).then_some(extended));
        if !is_static {
            self.values(&line["row"], &mut head);
        }
        self.met[1] += 1;
        self.met[3] += met;
        self.unfiltered(&head, &body, is_static);
    }

    /// The cells of one column; how many.
    fn cells(
        &self,
        column: &Column,
        cells: &[&Value],
        liveness: Option<&Value>,
        has_complex_deletion: bool,
        out: &mut Vec<u8>,
    ) -> u64 {
        let elements = match column.multi_cell {
            false => cells,
            true => {
                let (first, elements) = cells.split_first().unwrap();
                match first["deletion"].is_null() {
                    false => self.deletion(&first["deletion"], out),
                    true if has_complex_deletion => self.live_deletion(out),
                    true => {}
                }
                vint::write_unsigned(elements.len() as u64, out);
                elements
            }
        };
        for cell in elements {
            self.cell(column, cell, liveness, out);
        }
        elements.len() as u64
    }

    fn cell(&self, column: &Column, cell: &Value, liveness: Option<&Value>, out: &mut Vec<u8>) {
        let (ttl, local) = (cell.get("ttl"), cell.get("local_deletion_time"));
        let same = |key: &str| liveness.is_some_and(|row| row.get(key) == cell.get(key));
        let value = bytes(&cell["value"]);
        let uses_row_ttl = ttl.is_some() && same("ttl") && same("local_deletion_time");
        let flags = u8::from(local.is_some() && ttl.is_none())
            | u8::from(ttl.is_some()) << 1
            | u8::from(value.is_empty()) << 2
            | u8::from(same("timestamp")) << 3
            | u8::from(uses_row_ttl) << 4;
        out.push(flags);
        if !same("timestamp") {
            self.timestamp(number(&cell["timestamp"]), out);
        }
        if let Some(local) = local.filter(|_| !uses_row_ttl) {
            self.local_deletion_time(number(local), out);
        }
        if let Some(ttl) = ttl.filter(|_| !uses_row_ttl) {
            self.ttl(number(ttl), out);
        }
        if let Some(path) = cell.get("path") {
            value_bytes(&bytes(path), None, out);
        }
        if !value.is_empty() {
            value_bytes(&value, column.fixed_len, out);
        }
    }
}

fn value_bytes(value: &[u8], fixed_len: Option<usize>, out: &mut Vec<u8>) {
    match fixed_len {
        Some(len) => assert_eq!(value.len(), len),
        None => vint::write_unsigned(value.len() as u64, out),
    }
    out.extend_from_slice(value);
}

/// Which columns a row has, unless it has all.
fn subset(missing: &[u64], columns: usize, out: &mut Vec<u8>) {
    if missing.is_empty() {
        return;
    }
    if columns < 64 {
        return vint::write_unsigned(missing.iter().map(|column| 1 << column).sum(), out);
    }
    vint::write_unsigned(missing.len() as u64, out);
    let lists_present = columns - missing.len() < columns / 2;
    for column in (0..columns as u64).filter(|c| missing.contains(c) != lists_present) {
        vint::write_unsigned(column, out);
    }
}
