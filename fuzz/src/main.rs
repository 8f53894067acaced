//! The command line of the crate; see its library.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use fuzz::targets::{TARGETS, Target};
use fuzz::{corpus, run};

/// Try everything that is read with input that nobody would write
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// How long in total, in seconds; the targets share it
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,

    /// What the changes are drawn from; by default another one every time
    #[arg(long)]
    seed: Option<u64>,

    /// Keep the inputs that brought a new answer in this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,

    /// Try this file alone, once, in one target
    #[arg(long, value_name = "FILE", requires = "targets")]
    input: Option<PathBuf>,

    /// What is tried, all by default
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

fn main() -> ExitCode {
    match tried(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("fuzz: {why}");
            ExitCode::FAILURE
        }
    }
}

fn tried(cli: &Cli) -> Result<(), String> {
    let targets = chosen(&cli.targets)?;
    if let Some(path) = &cli.input {
        let input = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        for target in targets {
            println!("{}: {}", target.name, (target.answer)(&input));
        }
        return Ok(());
    }
    let seed = cli.seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |now| now.as_nanos() as u64)
    });
    let share = Duration::try_from_secs_f64(cli.seconds / targets.len() as f64)
        .map_err(|error| format!("--seconds {}: {error}", cli.seconds))?;
    let folder = PathBuf::from("target/fuzz");
    for folder in [Some(&folder), cli.keep.as_ref()].into_iter().flatten() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    println!("seed {seed}");
    for target in targets {
        let kept = |input: &[u8], number: usize| {
            if let Some(keep) = &cli.keep {
                let path = keep.join(format!("{}-{number}", target.name));
                if let Err(error) = fs::write(&path, input) {
                    eprintln!("fuzz: {}: {error}", path.display());
                }
            }
        };
        let inputs = corpus::read(target.name)
            .map_err(|error| format!("{}: {error}", corpus::folder(target.name).display()))?;
        let current = folder.join(target.name);
        let tried = run::search(target, inputs, seed, share, &current, kept)?;
        println!(
            "{:<12} {:>9} inputs, {:>4} answers, {:>5.1} ms the slowest",
            target.name,
            tried.inputs,
            tried.answers,
            tried.slowest.as_secs_f64() * 1000.0
        );
    }
    Ok(())
}

/// The targets of these names.
fn chosen(names: &[String]) -> Result<Vec<&'static Target>, String> {
    if names.is_empty() {
        return Ok(TARGETS.iter().collect());
    }
    let found = |name: &String| {
        let target = TARGETS.iter().find(|target| target.name == name);
        target.ok_or_else(|| {
            let all: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            format!("there is no target `{name}`; there are {}", all.join(", "))
        })
    };
    names.iter().map(found).collect()
}
