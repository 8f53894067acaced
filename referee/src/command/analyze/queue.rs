//! Several games at a time, delivered in their order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::io::failure::Failure;

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
            scope.spawn(move || work_through(state, sender))
        };
        let threads: Vec<_> = states.into_iter().map(spawn).collect();
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        let mut ended = Ok(());
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
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order() {
        let mut delivered = Vec::new();
        let work = |(): &mut (), number: usize| {
            thread::sleep(Duration::from_millis(20 * ((number as u64 + 1) % 3)));
            Ok(number * 10)
        };
        let (ended, states) = run(
            9,
            vec![(); 3],
            work,
            || panic!("nothing fails"),
            |number, result| {
                delivered.push((number, result));
                Ok(())
            },
        );
        assert!(ended.is_ok());
        assert_eq!(states.len(), 3);
        assert_eq!(
            delivered,
            (0..9).map(|number| (number, number * 10)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_failure_ends_all() {
        let begun = AtomicUsize::new(0);
        let stopped = Cell::new(false);
        let mut delivered = Vec::new();
        let work = |(): &mut (), number: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            if number == 3 {
                return Err(Failure::Usage("wrong".into()));
            }
            Ok(number)
        };
        let (ended, _) = run(
            1000,
            vec![()],
            work,
            || stopped.set(true),
            |number, _| {
                delivered.push(number);
                Ok(())
            },
        );
        assert_eq!(ended.unwrap_err().to_string(), "wrong");
        assert_eq!((begun.load(Ordering::SeqCst), stopped.get()), (4, true));
        assert_eq!(delivered, [0, 1, 2]);
    }

    #[test]
    fn a_failed_delivery_ends_all() {
        let (ended, states) = run(
            1000,
            vec![(); 2],
            |(), number| Ok(number),
            || (),
            |number, _| {
                if number == 5 {
                    return Err(Failure::Output("full".into()));
                }
                assert!(number < 5);
                Ok(())
            },
        );
        assert_eq!(ended.unwrap_err().to_string(), "full");
        assert_eq!(states.len(), 2);
    }
}
