use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use outpour_sstable::{Coverage, Split, Splits};

use super::encoder::Text;
use crate::Result;

/// Splits that several threads make text of, in order.
///
/// Texts wait here until all in front of them have been taken. So that not too many do, a thread that has
/// one more waits too, unless it is the one whose turn it is.
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Bytes of text that may wait
    room: u64,
    /// Buffers to keep for further texts
    spare_max: usize,
}

struct State {
    splits: Splits,
    /// Of those that were handed out and not yet taken to their end, in order
    tasks: VecDeque<Task>,
    /// The number of the first of them
    first: u64,
    waiting: u64,
    spare: Vec<Vec<u8>>,
    is_closed: bool,
}

/// A split that a thread is at, or has been.
struct Task {
    split: Split,
    texts: VecDeque<Text>,
    /// How it ended
    end: Option<Result<Coverage>>,
}

/// What the first split has next.
pub(super) enum Piece {
    Text(Text),
    /// Its end, and how it came
    End(Result<Coverage>),
}

impl State {
    fn task(&mut self, number: u64) -> Option<&mut Task> {
        self.tasks.get_mut(usize::try_from(number.checked_sub(self.first)?).ok()?)
    }

    fn next_piece(&mut self) -> Option<Piece> {
        let task = self.tasks.front_mut()?;
        if let Some(text) = task.texts.pop_front() {
            self.waiting -= text.bytes.len() as u64;
            return Some(Piece::Text(text));
        }
        let end = task.end.take()?;
        self.tasks.pop_front();
        self.first += 1;
        Some(Piece::End(end))
    }
}

impl Queue {
    pub(super) fn new(splits: Splits, room: u64, spare_max: usize) -> Self {
        let state = State {
            splits,
            tasks: VecDeque::new(),
            first: 0,
            waiting: 0,
            spare: Vec::new(),
            is_closed: false,
        };
        Self { state: Mutex::new(state), changed: Condvar::new(), room, spare_max }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panics ends the run anyhow.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    /// For a reader: the next split and its number; none if there is nothing more to do.
    pub(super) fn take_split(&self) -> Option<(u64, Split)> {
        let mut state = self.lock();
        if state.is_closed {
            return None;
        }
        let split = state.splits.next();
        self.changed.notify_all();
        let (number, split) = (state.first + state.tasks.len() as u64, split?);
        state.tasks.push_back(Task { split: split.clone(), texts: VecDeque::new(), end: None });
        Some((number, split))
    }

    /// For the reader of split `number`: hands its next text on. Returns a buffer for another; none if
    /// nothing more is wanted.
    pub(super) fn push(&self, number: u64, text: Text) -> Option<Vec<u8>> {
        let len = text.bytes.len() as u64;
        let mut state = self.lock();
        while !state.is_closed && number != state.first && state.waiting + len > self.room {
            state = self.wait(state);
        }
        if state.is_closed {
            return None;
        }
        state.waiting += len;
        state.task(number)?.texts.push_back(text);
        self.changed.notify_all();
        Some(state.spare.pop().unwrap_or_default())
    }

    /// For the reader of split `number`: ends it.
    pub(super) fn end(&self, number: u64, end: Result<Coverage>) {
        let mut state = self.lock();
        if let Some(task) = state.task(number) {
            task.end = Some(end);
        }
        self.changed.notify_all();
    }

    /// For the writer: the first split, once there is one; none if all have ended.
    pub(super) fn first_split(&self) -> Option<Split> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.tasks.front() {
                return Some(task.split.clone());
            }
            if state.splits.is_done() {
                return None;
            }
            state = self.wait(state);
        }
    }

    /// For the writer: what the first split has next. Behind its end the next one is first.
    pub(super) fn next_piece(&self) -> Piece {
        let mut state = self.lock();
        loop {
            if let Some(piece) = state.next_piece() {
                self.changed.notify_all();
                return piece;
            }
            state = self.wait(state);
        }
    }

    /// For the writer: gives the buffer of a text back.
    pub(super) fn give_back(&self, buffer: Vec<u8>) {
        let mut state = self.lock();
        if state.spare.len() < self.spare_max {
            state.spare.push(buffer);
        }
    }

    /// For the writer: passes over the first split, whose reader may still be at it.
    pub(super) fn drop_first(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.first += u64::from(state.tasks.pop_front().is_some());
    }

    /// Readers stop, and what waits is dropped.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        for task in &mut state.tasks {
            task.texts.clear();
        }
        self.changed.notify_all();
    }

    /// The splits that are not written: those that were handed out, and the others.
    pub(super) fn into_splits(self) -> (Vec<Split>, Splits) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.tasks.into_iter().map(|task| task.split).collect(), state.splits)
    }
}
