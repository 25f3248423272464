//! Writes that are not in SSTables yet.
//!
//! ```text
//! <node>/data/<keyspace>/<table>-<id>/      <node>/commitlog/CommitLog-<version>-<id>.log
//!
//! segment   i32 version │ i64 id │ u16 length, JSON │ u32 CRC-32        header
//!           i32 where the next section starts, 0 if nothing follows │ u32 CRC-32
//!           i32 size of a mutation, 0 behind the last one of a section, …
//! ```
//! `db/commitlog/CommitLogDescriptor.java`, `CommitLogSegment.java` (3.0 to 5.0).

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::TableDirectory;

/// Sections of a segment of 32 MiB, synchronised every 10 s or MiB, are fewer.
const SECTIONS_MAX: usize = 10_000;

/// Tells of commit logs beside the data directories of `directories` that hold writes.
pub(super) fn announce<'a>(
    directories: impl Iterator<Item = &'a TableDirectory>,
    notice: &mut dyn FnMut(&str),
) {
    let live = directories.filter(|directory| directory.is_live());
    let data: BTreeSet<_> = live.filter_map(TableDirectory::data_directory).collect();
    for log in data.iter().filter_map(|data| Some(data.parent()?.join("commitlog"))) {
        let segments = segments(&log).into_iter().filter(|path| holds_writes(path));
        let (log, count) = (log.display(), segments.count());
        let what = if count == 1 { "segment" } else { "segments" };
        if count > 0 {
            notice(&format!(
                "{log} holds {count} {what} of writes, which are not read where they are not in SSTables yet: nodetool flush brings them there"
            ));
        }
    }
}

fn segments(log: &Path) -> Vec<PathBuf> {
    let is_segment = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("CommitLog-") && name.ends_with(".log")
    };
    let entries = std::fs::read_dir(log).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_segment).collect()
}

/// Whether a segment holds mutations; one that cannot be understood may.
fn holds_writes(path: &Path) -> bool {
    File::open(path).and_then(has_mutation).unwrap_or(true)
}

fn has_mutation(mut file: File) -> std::io::Result<bool> {
    let mut head = [0; 14];
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    file.read_exact(&mut head)?;
    if head == [0; 14] {
        return Ok(false);
    }
    let json_len = u16::from_be_bytes([head[12], head[13]]);
    let mut json = vec![0; usize::from(json_len)];
    file.read_exact(&mut json)?;
    let is_plain = json == b"{}";
    let mut at = 14 + u64::from(json_len) + 4;
    for _ in 0..SECTIONS_MAX {
        let mut section = [0; 12];
        file.seek(SeekFrom::Start(at))?;
        if file.read_exact(&mut section).is_err() {
            return Ok(false);
        }
        let [a, b, c, d, _, _, _, _, size @ ..] = section;
        let next = u64::from(u32::from_be_bytes([a, b, c, d]));
        if next == 0 {
            return Ok(false);
        }
        if !is_plain || size != [0; 4] || next <= at {
            return Ok(true);
        }
        at = next;
    }
    Ok(true)
}
