//! How a part of the benchmark runs commands and prints what they spent.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// What a command spent, with its processes.
#[derive(Clone, Copy)]
pub struct Spent {
    /// Processor time in seconds.
    seconds: f64,
    /// The memory of the largest process, in MB.
    megabytes: f64,
}

/// A part of the benchmark.
pub struct Part {
    /// The word that chooses it.
    pub name: &'static str,
    /// What N counts.
    pub unit: &'static str,
    /// The first N, and the variable of the environment that holds another one.
    pub first: (&'static str, usize),
    /// The lines that it prints.
    pub rows: &'static [&'static str],
    /// What each of them spent for N.
    pub measure: fn(usize) -> Outcome<Vec<Spent>>,
}

/// The argument with which the benchmark starts itself to run one command, whose resources are then the only ones.
const ONE: &str = "measure-one-command";

/// Runs the command of the arguments, if this process is to measure one, and prints its resources.
pub fn is_one_command() -> Outcome<bool> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() != Some(ONE) {
        return Ok(false);
    }
    let program = arguments.next().ok_or("no command")?;
    let status = Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .status()?;
    // A report on files without all games is one too.
    if !matches!(status.code(), Some(0 | 1)) {
        return Err(status.to_string().into());
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let microseconds = (usage.user_time() + usage.system_time()).num_microseconds();
    println!(
        "{} {}",
        microseconds as f64 / 1e6,
        usage.max_rss() as f64 / 1024.0
    );
    Ok(true)
}

/// Runs a command in a folder. `referee` is the measured program.
pub fn run(folder: &Path, command: &[&str]) -> Outcome<Spent> {
    let [program, arguments @ ..] = command else {
        return Err("no command".into());
    };
    let referee = std::env::var("REFEREE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_referee").into());
    let program = if *program == "referee" { &referee } else { *program };
    let ran = Command::new(std::env::current_exe()?)
        .args([ONE, program])
        .args(arguments)
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()?;
    let text = String::from_utf8(ran.stdout)?;
    let numbers: Vec<f64> = text
        .split_whitespace()
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    match numbers[..] {
        [seconds, megabytes] if ran.status.success() => Ok(Spent { seconds, megabytes }),
        _ => Err(format!("{command:?} failed").into()),
    }
}

/// The exponent of the growth over two doublings.
fn exponent(values: [f64; 3]) -> f64 {
    (values[2] / values[0]).log2() / 2.0
}

impl Part {
    /// Prints a line for each row: time and memory for N, 2N and 4N, and their exponents.
    pub fn print(&self) -> Outcome<()> {
        let (variable, default) = self.first;
        let first = std::env::var(variable).map_or(Ok(default), |text| text.parse())?;
        let spent = [1, 2, 4].map(|factor| (self.measure)(factor * first));
        let [one, two, four] = spent;
        let spent = [one?, two?, four?];
        for (place, name) in self.rows.iter().enumerate() {
            let of_row = spent.each_ref().map(|spent| spent[place]);
            let (seconds, megabytes) = (of_row.map(|one| one.seconds), of_row.map(|one| one.megabytes));
            let [times, sizes] = [(seconds, 3), (megabytes, 0)]
                .map(|(values, digits)| values.map(|value| format!("{value:8.digits$}")).join(" "));
            println!(
                "{name:24} {first:>8} {:8} × 1, 2, 4: {times} s ^{:.2} {sizes} MB ^{:.2}",
                self.unit,
                exponent(seconds),
                exponent(megabytes),
            );
        }
        Ok(())
    }
}
