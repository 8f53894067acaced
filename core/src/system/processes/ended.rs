//! The processor time of processes that have ended, where the system does not keep that of a process for which nobody
//! waits.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// What the system counts processor time in, where it is not exact.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// What a process has inherited is rounded down to a tick, in user mode and in the kernel.
const ROUNDING: Duration = TICK.saturating_mul(2);

/// A process: its number, and when it started.
pub type ProcessId = (i32, u64);

/// The processor time of a process, and that of the children that it has waited for.
pub type Times = [Duration; 2];

/// What looks at the processes of an engine tell of those that end between them.
///
/// A parent inherits the time of a child for which it waits. What has ended and was not inherited is lost. Only a
/// part of it was seen, so as soon as something is lost, a process that was not there at the look before counts as if it
/// and others like it had computed ever since: its parent could choose what to show.
#[derive(Clone, Debug)]
pub struct EndedProcesses {
    /// The last look.
    at: Option<Instant>,
    known: HashMap<ProcessId, Known>,
    /// The time of the orphans for which their new parent had waited then.
    pub reaped: Duration,
    /// What was inherited since the beginning.
    pub inherited: Duration,
    ended: Ended,
    /// The same at the look before: a parent may wait for its child after it was looked at.
    settled: Ended,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    times: Times,
    /// What it may have computed, with others like it.
    at_most: Duration,
}

/// The time of processes that have ended, with that of their children.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    seen: Duration,
    at_most: Duration,
}

impl EndedProcesses {
    /// Begins with this look.
    pub fn new(
        at: Option<Instant>,
        processes: &HashMap<ProcessId, Times>,
        reaped: Duration,
    ) -> EndedProcesses {
        let known = |(id, times): (&ProcessId, &Times)| {
            (
                *id,
                Known {
                    times: *times,
                    at_most: times[0],
                },
            )
        };
        EndedProcesses {
            at,
            known: processes.iter().map(known).collect(),
            reaped,
            inherited: Duration::ZERO,
            ended: Ended::default(),
            settled: Ended::default(),
        }
    }

    /// Adds a look on a machine with so many processors.
    pub fn look(
        &mut self,
        at: Option<Instant>,
        processes: &HashMap<ProcessId, Times>,
        reaped: Duration,
        processors: u32,
    ) {
        let since = at
            .zip(self.at)
            .map_or(Duration::ZERO, |(now, then)| now.saturating_duration_since(then));
        self.at = at;
        self.settled = self.ended;
        self.inherited += reaped.saturating_sub(self.reaped);
        self.reaped = self.reaped.max(reaped);
        let before = std::mem::take(&mut self.known);
        let is_new = |id: &ProcessId| !before.contains_key(id);
        let begun = processes
            .iter()
            .filter(|(id, [own, _])| is_new(id) && !own.is_zero())
            .count();
        let begun = u32::try_from(begun).unwrap_or(u32::MAX).max(1);
        let share = since * processors.min(begun) / begun;
        for (id, [own, children]) in processes {
            let mut at_most = if own.is_zero() { *own } else { share.max(*own) };
            if let Some(known) = before.get(id) {
                let [own_before, children_before] = known.times;
                self.inherited += children.saturating_sub(children_before);
                at_most = known.at_most + own.saturating_sub(own_before);
            }
            let times = [*own, *children];
            self.known.insert(*id, Known { times, at_most });
        }
        for (
            id,
            Known {
                times: [own, children],
                at_most,
            },
        ) in before
        {
            if !processes.contains_key(&id) {
                self.ended.seen += own + children;
                self.ended.at_most += at_most + children;
            }
        }
    }

    /// What may be lost: too much, if a parent has many children.
    pub fn doubtful(&self) -> Duration {
        self.ended.seen.saturating_sub(self.inherited + ROUNDING)
    }

    /// What is lost.
    pub fn lost(&self) -> Duration {
        let processes = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        let rounding = ROUNDING.saturating_mul(processes.saturating_add(1));
        if self.settled.seen > self.inherited + rounding {
            self.settled.at_most.saturating_sub(self.inherited)
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(time: u64) -> Duration {
        Duration::from_millis(time)
    }

    /// Processes with a number, their own time and that of their children, and the time of orphans.
    type SeenTimes<'a> = (&'a [(i32, u64, u64)], u64);

    /// Looks every 100 ms on a machine with two processors: what is lost after each.
    fn lost(looks: &[SeenTimes]) -> Vec<u128> {
        let begin = Instant::now();
        let mut ended = EndedProcesses::new(Some(begin), &HashMap::new(), Duration::ZERO);
        let mut at = begin;
        let look = |(processes, reaped): &SeenTimes| {
            let times = |&(id, own, children): &(i32, u64, u64)| ((id, 0), [own, children].map(ms));
            at += ms(100);
            ended.look(Some(at), &processes.iter().map(times).collect(), ms(*reaped), 2);
            ended.lost().as_millis()
        };
        looks.iter().map(look).collect()
    }

    #[test]
    fn what_a_parent_has_inherited_is_not_lost() {
        // Its parent waits for 2 after it had used more, for 3 only after it has been looked at, and this process for 4.
        let looks: [(&[_], u64); 6] = [
            (&[(1, 100, 0), (2, 50, 0)], 0),
            (&[(1, 100, 70), (3, 90, 0)], 0),
            (&[(1, 100, 70)], 0),
            (&[(1, 120, 160), (4, 60, 0)], 0),
            (&[(1, 120, 160)], 60),
            (&[], 340),
        ];
        assert_eq!(lost(&looks), [0; 6]);
        // Less than a tick is not inherited yet.
        let looks: [(&[_], u64); 4] = [
            (&[(1, 9, 0), (2, 19, 0)], 0),
            (&[(1, 9, 0), (3, 15, 0)], 0),
            (&[(1, 9, 30)], 0),
            (&[(1, 9, 30)], 0),
        ];
        assert_eq!(lost(&looks), [0; 4]);
    }

    #[test]
    fn a_child_for_which_nobody_waits_counts_once() {
        let looks: [(&[_], u64); 4] = [
            (&[(1, 500, 0), (2, 130, 0)], 0),
            (&[(1, 510, 0), (2, 180, 0)], 0),
            (&[(1, 520, 0)], 0),
            (&[(1, 520, 0)], 0),
        ];
        assert_eq!(lost(&looks), [0, 0, 0, 180]);
    }

    #[test]
    fn short_children_for_which_nobody_waits_count_as_if_there_were_always_some() {
        let looks: Vec<[(i32, u64, u64); 4]> = (0..20)
            .map(|look| {
                [
                    (1, 10 * look as u64, 0),
                    (3 * look + 2, 3, 0),
                    (3 * look + 3, 2, 0),
                    (3 * look + 4, 4, 0),
                ]
            })
            .collect();
        let looks: Vec<(&[_], u64)> = looks.iter().map(|look| (&look[..], 0)).collect();
        let lost = lost(&looks);
        // Until a part has been seen that is not rounding.
        assert_eq!(lost[..10], [0; 10]);
        // Two processors were busy all the time: 18 looks are settled.
        assert!((3599..=3600).contains(&lost[19]), "{lost:?}");
    }
}
