//! Work that several threads do, with results in order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use referee_core::failure::Failure;

/// Runs `work` for the numbers below `count`, in one thread for each of `states`, and passes the
/// results to `deliver` in the order of the numbers, whatever their order of completion. The first
/// failure ends all; one of `deliver` calls `stop`.
pub fn run<S: Send, T: Send>(
    count: usize,
    states: Vec<S>,
    work: impl Fn(&mut S, usize) -> Result<T, Failure> + Sync,
    stop: impl Fn(),
    mut deliver: impl FnMut(usize, T) -> Result<(), Failure>,
) -> (Result<(), Failure>, Vec<S>) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let work_through = |mut state: S, sender: mpsc::Sender<_>| {
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            if number >= count {
                return state;
            }
            let result = work(&mut state, number);
            if result.is_err() {
                next.store(count, Ordering::SeqCst);
            }
            // The receiver stays until all senders are gone.
            let _ = sender.send((number, result));
        }
    };
    let work_through = &work_through;
    thread::scope(|scope| {
        let spawn = |state| {
            let sender = sender.clone();
            thread::Builder::new().spawn_scoped(scope, move || work_through(state, sender))
        };
        // Fewer threads do, where the system does not give more.
        let (threads, refused): (Vec<_>, Vec<_>) = states.into_iter().map(spawn).partition(Result::is_ok);
        let threads: Vec<_> = threads.into_iter().flatten().collect();
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        let why = refused
            .into_iter()
            .find_map(Result::err)
            .filter(|_| threads.is_empty());
        let mut ended = why.map_or(Ok(()), |why| {
            Err(Failure::Output(format!("no thread can be started: {why}")))
        });
        for (number, result) in receiver {
            waiting.insert(number, result);
            while let Some(result) = waiting.remove(&turn).filter(|_| ended.is_ok()) {
                ended = result.and_then(|result| deliver(turn, result));
                turn += 1;
                if ended.is_err() {
                    next.store(count, Ordering::SeqCst);
                    stop();
                }
            }
        }
        // A stopped game may leave a gap before later results.
        if ended.is_ok()
            && let Some(failure) = waiting.into_values().find_map(Result::err)
        {
            ended = Err(failure);
        }
        // A panic was reported by its thread.
        let states = threads.into_iter().filter_map(|thread| thread.join().ok());
        (ended, states.collect())
    })
}

#[cfg(test)]
mod queue_tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    /// Runs work in this many threads that fails at a number, as does its delivery. Returns how it
    /// ended, what was delivered, and the numbers of threads and of calls of `stop`.
    fn outcome(
        count: usize,
        threads: usize,
        work: impl Fn(usize) -> Result<usize, Failure> + Sync,
        delivers: impl Fn(usize) -> Result<(), Failure>,
    ) -> (Result<(), String>, Vec<usize>, usize, u32) {
        let (stopped, mut delivered) = (Cell::new(0), Vec::new());
        let deliver = |number, result| {
            delivered.push(result);
            delivers(number)
        };
        let stop = || stopped.set(stopped.get() + 1);
        let (ended, states) = run(count, vec![(); threads], |(), number| work(number), stop, deliver);
        let ended = ended.map_err(|failure| failure.to_string());
        (ended, delivered, states.len(), stopped.get())
    }

    #[test]
    fn results_come_in_order() {
        let work = |number| {
            thread::sleep(Duration::from_millis(20 * ((number as u64 + 1) % 3)));
            Ok(number * 10)
        };
        let expected: Vec<usize> = (0..9).map(|number| number * 10).collect();
        assert_eq!(outcome(9, 3, work, |_| Ok(())), (Ok(()), expected, 3, 0));
    }

    #[test]
    fn a_failure_ends_all() {
        let begun = AtomicUsize::new(0);
        let work = |number| {
            begun.fetch_add(1, Ordering::SeqCst);
            if number == 3 {
                Err(Failure::Usage("wrong".into()))
            } else {
                Ok(number)
            }
        };
        let ended = outcome(1000, 1, work, |_| Ok(()));
        assert_eq!(ended, (Err("wrong".into()), vec![0, 1, 2], 1, 1));
        assert_eq!(begun.load(Ordering::SeqCst), 4);
    }

    #[test]
    fn a_failed_delivery_ends_all() {
        let deliver = |number| {
            if number == 5 {
                Err(Failure::Output("full".into()))
            } else {
                Ok(())
            }
        };
        let ended = outcome(1000, 2, Ok, deliver);
        assert_eq!(ended, (Err("full".into()), (0..6).collect(), 2, 1));
    }
}
