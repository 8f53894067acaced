//! The threads of a match: one per slot, each on its core with `--affinity`.

use std::thread;

use referee_core::failure::Failure;
use referee_core::io::log_file;
use referee_core::system::processes::{available_cores, pin_to_core};

use crate::config::values::Affinity;

/// The slots of a match: how many games run at a time, and where.
pub struct Slots {
    count: usize,
    /// The processor core of each slot, with `--affinity`.
    cores: Option<Vec<usize>>,
}

impl Slots {
    /// `count` slots, each on a core of its own unless `affinity` is off.
    pub fn new(count: usize, affinity: &Affinity) -> Result<Slots, Failure> {
        let usage = |why: String| Failure::Usage(format!("--affinity: {why}"));
        let available = || available_cores().map_err(|error| usage(error.to_string()));
        let (cores, owner) = match affinity {
            Affinity::Off => return Ok(Slots { count, cores: None }),
            Affinity::Any => (available()?, "this machine has"),
            Affinity::Cores(cores) => {
                let available = available()?;
                if let Some(core) = cores.iter().find(|core| !available.contains(core)) {
                    let names: Vec<String> = available.iter().map(ToString::to_string).collect();
                    return Err(usage(format!(
                        "there is no core {core}; the cores are {}",
                        names.join(", ")
                    )));
                }
                (cores.clone(), "the list has")
            }
        };
        if count > cores.len() {
            return Err(usage(format!(
                "{count} games at a time need a core each; {owner} {}",
                cores.len()
            )));
        }
        Ok(Slots {
            count,
            cores: Some(cores),
        })
    }

    /// Whether each slot has a core of its own.
    pub const fn are_pinned(&self) -> bool {
        self.cores.is_some()
    }

    /// The number of slots.
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Runs `work` in every slot at once, and returns when all have ended; a single slot runs on
    /// this thread. `fail` is called at once if a thread cannot start.
    pub fn run(&self, work: impl Fn(usize) + Sync, fail: impl Fn(Failure)) {
        if self.count == 1 {
            self.enter(0);
            work(0);
            return;
        }
        thread::scope(|scope| {
            for slot in 0..self.count {
                let work = &work;
                let body = move || {
                    self.enter(slot);
                    work(slot);
                };
                let thread = thread::Builder::new().name(format!("slot {slot}"));
                if let Err(error) = thread.spawn_scoped(scope, body) {
                    let why = format!("cannot start a thread for a game slot: {error}");
                    fail(Failure::Output(why));
                    return;
                }
            }
        });
    }

    /// Makes this thread that of a slot. Its core is also that of the engines that it starts.
    fn enter(&self, slot: usize) {
        let core = self.cores.as_ref().and_then(|cores| cores.get(slot));
        if let Some(&core) = core
            && let Err(error) = pin_to_core(core)
        {
            log::warn!("cannot pin slot {slot} to core {core}: {error}");
        }
        log_file::set_context(slot, 0);
    }
}
