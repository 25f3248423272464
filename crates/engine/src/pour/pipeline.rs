use std::panic::resume_unwind;

use crossbeam_channel::{Receiver, Sender, bounded};
use outpour_sstable::ScannedBatch;

use super::Rows;
use super::encoder::{Encoder, Text};
use super::writer::Writer;
use crate::Result;

/// Batches in a queue between two threads.
const QUEUE_LEN: usize = 2;

/// One thread scans, another makes text, this one writes.
pub(super) fn pour<'a>(
    rows: Rows<'a>,
    encoder: Encoder,
    writer: &mut Writer<'_>,
) -> Result<Rows<'a>> {
    let (batches, scanned) = bounded(QUEUE_LEN);
    let (texts, encoded) = bounded(QUEUE_LEN);
    let (buffers, returned) = bounded(2 * QUEUE_LEN + 2);
    // The closure owns the queues' ends: if writing fails they close, and the threads stop.
    std::thread::scope(move |scope| {
        let scan = scope.spawn(move || scan_all(rows, &batches));
        scope.spawn(move || encode_all(encoder, &scanned, &texts, &returned));
        for text in &encoded {
            // A full queue of spare buffers needs no more.
            let _ = buffers.try_send(writer.write(text?)?);
        }
        Ok(scan.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// Ends early when no one takes the batches any more.
fn scan_all<'a>(mut rows: Rows<'a>, batches: &Sender<Result<ScannedBatch>>) -> Rows<'a> {
    while let Some(scanned) = rows.next().transpose() {
        let failed = scanned.is_err();
        if batches.send(scanned).is_err() || failed {
            break;
        }
    }
    rows
}

fn encode_all(
    mut encoder: Encoder,
    scanned: &Receiver<Result<ScannedBatch>>,
    texts: &Sender<Result<Text>>,
    spare: &Receiver<Vec<u8>>,
) {
    for batch in scanned {
        let buffer = spare.try_recv().unwrap_or_default();
        let text = batch.and_then(|batch| encoder.encode(&batch, buffer));
        let failed = text.is_err();
        if texts.send(text).is_err() || failed {
            return;
        }
    }
}
