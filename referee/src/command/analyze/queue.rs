//! Several games at a time, delivered in their order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use crate::io::failure::Failure;

/// What a slot reports.
enum Message<T> {
    /// A position was searched.
    Step,
    /// A game is finished.
    Done(usize, Result<T, Failure>),
}

/// Runs `work` for the numbers below `count` in `slots` threads, and passes the results to
/// `deliver` in the order of the numbers, whatever their order of completion. Each thread has
/// one value of `states`. `work` calls its last argument for each step, which calls `on_step`.
pub fn run<S: Send, T: Send>(
    count: usize,
    states: Vec<S>,
    work: impl Fn(&mut S, usize, &mut dyn FnMut()) -> Result<T, Failure> + Sync,
    stop: impl Fn(),
    mut on_step: impl FnMut(),
    mut deliver: impl FnMut(usize, T) -> Result<(), Failure>,
) -> (Result<(), Failure>, Vec<S>) {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        let threads: Vec<_> = states
            .into_iter()
            .map(|mut state| {
                let (sender, next, work) = (sender.clone(), &next, &work);
                scope.spawn(move || {
                    work_through(&mut state, next, count, work, &sender);
                    state
                })
            })
            .collect();
        drop(sender);
        let mut waiting = BTreeMap::new();
        let mut turn = 0;
        let mut ended = Ok(());
        for message in receiver {
            match message {
                Message::Step => on_step(),
                Message::Done(number, result) => {
                    waiting.insert(number, result);
                }
            }
            while let Some(result) = waiting.remove(&turn).filter(|_| ended.is_ok()) {
                turn += 1;
                ended = result.and_then(|result| deliver(turn - 1, result));
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

/// Works through the numbers that no other thread has taken, up to the first failure.
fn work_through<S, T>(
    state: &mut S,
    next: &AtomicUsize,
    count: usize,
    work: &(impl Fn(&mut S, usize, &mut dyn FnMut()) -> Result<T, Failure> + Sync),
    sender: &Sender<Message<T>>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::SeqCst);
        if number >= count {
            return;
        }
        // The receiver stays until all senders are gone.
        let result = work(state, number, &mut || {
            let _ = sender.send(Message::Step);
        });
        let has_failed = result.is_err();
        let _ = sender.send(Message::Done(number, result));
        if has_failed {
            next.store(count, Ordering::SeqCst);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    #[test]
    fn results_come_in_order() {
        let (steps, mut delivered) = (Cell::new(0), Vec::new());
        let work = |(): &mut (), number: usize, step: &mut dyn FnMut()| {
            thread::sleep(Duration::from_millis(20 * ((number as u64 + 1) % 3)));
            step();
            Ok(number * 10)
        };
        let (ended, states) = run(
            9,
            vec![(); 3],
            work,
            || panic!("nothing fails"),
            || steps.set(steps.get() + 1),
            |number, result| {
                delivered.push((number, result));
                Ok(())
            },
        );
        assert!(ended.is_ok());
        assert_eq!((steps.get(), states.len()), (9, 3));
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
        let work = |(): &mut (), number: usize, _: &mut dyn FnMut()| {
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
            || (),
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
            |(), number, _| Ok(number),
            || (),
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
