//! The progress of commands that read result files.

use crate::io::interrupt::Interrupt;
use crate::io::progress::Task;

/// The progress of one step of a report, shown on a terminal. A signal stops it.
pub struct Progress<'a> {
    interrupt: &'a Interrupt,
    task: Task,
    /// The size of the unit that is shown.
    unit: u64,
    done: u64,
}

impl<'a> Progress<'a> {
    /// A step of this size. `what` is what is counted in `unit`s, in the plural.
    pub fn start(interrupt: &'a Interrupt, what: &'static str, unit: u64, size: u64) -> Progress<'a> {
        Progress {
            interrupt,
            task: Task::start(what, 0, size.div_ceil(unit)),
            unit,
            done: 0,
        }
    }

    /// Adds to the finished part. An error, if a signal has come.
    pub fn add(&mut self, size: u64) -> Result<(), String> {
        let before = self.done / self.unit;
        self.done += size;
        if self.done / self.unit != before {
            self.task.set(self.done / self.unit);
        }
        if self.interrupt.is_stopped() {
            return Err(self.interrupt.signal().to_string());
        }
        Ok(())
    }
}
