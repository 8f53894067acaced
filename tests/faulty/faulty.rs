//! A correct bot for both games and dialects, with one fault or habit at a time:
//! `faulty NAME`. Without arguments it lists the names.
//!
//! `tests/referee/check_faults.rs` has the check that finds each fault.

mod bot;
mod fault;

use std::io::{self, BufRead};
use std::process::exit;
use std::sync::mpsc;
use std::thread;

use clap::ValueEnum;

use self::bot::Bot;
use self::fault::{Fault, Habit};

fn list<T: ValueEnum>(kind: &str) {
    for value in T::value_variants().iter().filter_map(T::to_possible_value) {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        println!("{kind}\t{}\t{help}", value.get_name());
    }
}

fn main() {
    let Some(name) = std::env::args().nth(1) else {
        list::<Fault>("fault");
        list::<Habit>("habit");
        return;
    };
    if name == bot::CHILD {
        bot::be_a_child();
    }
    let fault = Fault::from_str(&name, false).ok();
    let habit = Habit::from_str(&name, false).ok();
    if fault.is_none() && habit.is_none() {
        eprintln!("there is no fault or habit `{name}`");
        exit(2);
    }
    let (sender, lines) = mpsc::channel();
    // A thread of its own reads, so that the bot reads while it thinks.
    thread::spawn(move || {
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { return };
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    Bot::new(fault, habit).run(&lines);
}
