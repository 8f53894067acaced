//! The command line of the fuzzer; see the library.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use clap::builder::PossibleValuesParser;
use fuzz::run::{self, Length};
use fuzz::targets::{TARGETS, Target};

/// Run the parsers of lodestone and the referee on mutated input
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// Total time in seconds, shared by the targets
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,

    /// Number of mutations of each target, instead of a time
    ///
    /// With `--seed`, the inputs are then the same on every machine.
    #[arg(long, conflicts_with = "seconds")]
    mutations: Option<u64>,

    /// Seed of the mutations; by default a different one each time
    #[arg(long)]
    seed: Option<u64>,

    /// Write inputs with new answers to this folder
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,

    /// Run one target on this file only, once
    #[arg(long, value_name = "FILE", requires = "targets")]
    input: Option<PathBuf>,

    /// Targets to run; all by default
    #[arg(value_name = "TARGET", value_parser = PossibleValuesParser::new(TARGETS.map(|target| target.name)))]
    targets: Vec<String>,
}

fn main() -> Result<(), String> {
    let cli = Cli::parse();
    let is_chosen = |target: &&Target| cli.targets.iter().any(|name| name == target.name);
    let is_run = |target: &&Target| cli.targets.is_empty() || is_chosen(target);
    let targets: Vec<&Target> = TARGETS.iter().filter(is_run).collect();
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
    let length = cli.mutations.map_or(Length::Time(share), Length::Mutations);
    let folder = PathBuf::from("target/fuzz");
    for folder in [Some(&folder), cli.keep.as_ref()].into_iter().flatten() {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    println!("seed {seed}");
    for target in targets {
        let keep = |input: &[u8], number: usize| {
            if let Some(folder) = &cli.keep {
                let path = folder.join(format!("{}-{number}", target.name));
                if let Err(error) = fs::write(&path, input) {
                    eprintln!("fuzz: {}: {error}", path.display());
                }
            }
        };
        let inputs = run::corpus(target.name)
            .map_err(|error| format!("{}: {error}", run::corpus_folder(target.name).display()))?;
        let current = folder.join(target.name);
        let statistics = run::search(target, inputs, seed, length, &current, keep)?;
        println!(
            "{:<12} {:>9} inputs, {:>4} answers, slowest {:>5.1} ms",
            target.name,
            statistics.inputs,
            statistics.answers,
            statistics.slowest.as_secs_f64() * 1000.0
        );
    }
    Ok(())
}
