//! Training: logistic regression on samples by stochastic gradient descent.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use lodestone_game::Variant;
use lodestone_game::random::Random;
use referee::ProgressTask;
use referee_core::io::interrupt::Interrupt;

use crate::ending::Ending;
use crate::loss::cross_entropy;
use crate::pipeline::{Example, Model, Pipeline};
use crate::sample::Sample;

/// The number of samples between two looks at progress and signals.
const STEP: u64 = 1000;

/// One of this many samples is used for validation.
const VALIDATION_DIVISOR: usize = 20;

#[derive(Args)]
pub struct Fit {
    /// The game
    #[arg(long, default_value_t, value_parser = crate::pipeline::variant())]
    pub variant: Variant,
    /// Files of samples
    #[arg(required = true)]
    samples: Vec<PathBuf>,
    /// Number of passes over the samples
    #[arg(long, default_value_t = 2)]
    epochs: u32,
    /// Learning rate of the first epoch; it falls to a tenth in the last
    #[arg(long, default_value_t = 0.05)]
    rate: f32,
    /// Seed of the order of the samples and of the initial weights
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Initial weights; without this option, training starts from random weights
    #[arg(long)]
    from: Option<PathBuf>,
    /// Parts of the evaluation to leave out, to measure what they are worth; a wrong name lists
    /// them
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    without: Vec<String>,
    /// Output file for the weights
    #[arg(long)]
    out: PathBuf,
}

impl Fit {
    /// Checks the names of `--without`.
    fn check_parts<G: Pipeline>(&self) -> Result<(), String> {
        let parts = G::parts();
        let is_known = |name: &String| parts.iter().any(|(part, _)| part == name);
        match self.without.iter().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(wrong) => {
                let list: Vec<String> = parts
                    .iter()
                    .map(|(part, text)| format!("\n  {part}: {text}"))
                    .collect();
                Err(format!(
                    "--without {wrong}: there is no such part; expected one of{}",
                    list.concat()
                ))
            }
        }
    }

    /// The model before training.
    fn initial_model<G: Pipeline>(&self, random: &mut Random) -> Result<G::Model, String> {
        let mut model = match &self.from {
            Some(path) => load(path)?,
            None => G::Model::randomized(random),
        };
        model.leave_out(&self.without);
        Ok(model)
    }
}

#[derive(Args)]
pub struct Blank {
    /// The game
    #[arg(long, default_value_t, value_parser = crate::pipeline::variant())]
    pub variant: Variant,
    /// Output file for the weights
    #[arg(long)]
    pub out: PathBuf,
}

/// Reads samples, trains, and writes the weights. A signal ends the training.
pub fn run<G: Pipeline>(fit: &Fit, interrupt: &Interrupt) -> Result<Ending, String> {
    fit.check_parts::<G>()?;
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for path in &fit.samples {
        let mut examples = read::<G>(path)?;
        for example in &mut examples {
            example.leave_out(&fit.without);
        }
        // The last part of each file, so that positions of one game stay together.
        validation.extend(examples.split_off(examples.len() - examples.len() / VALIDATION_DIVISOR));
        training.append(&mut examples);
    }
    println!(
        "{} training samples, {} validation samples",
        training.len(),
        validation.len()
    );
    println!(
        "counted value alone: validation loss {:.4}",
        loss(&validation, Example::counted)
    );
    let mut random = Random::new(fit.seed);
    let mut model = fit.initial_model::<G>(&mut random)?;
    println!(
        "before training: validation loss {:.4}",
        loss(&validation, |example| model.points(example))
    );
    let total = u64::from(fit.epochs) * training.len() as u64;
    let task = ProgressTask::start("samples", 0, total);
    let mut done = 0;
    for epoch in 0..fit.epochs {
        random.shuffle(&mut training);
        let decay = 0.9 * epoch as f32 / (fit.epochs - 1).max(1) as f32;
        let mut sum = 0.0;
        for example in &training {
            if done % STEP == 0 {
                task.set(done);
                if let Some(signal) = interrupt.caught() {
                    drop(task);
                    write(&model, &fit.out)?;
                    let file = fit.out.display();
                    let saved = format!(
                        "the weights after {done} of {total} samples are in {file}; `--from {file}` trains them further"
                    );
                    return Ok(Ending::Interrupted(signal, saved));
                }
            }
            sum += f64::from(model.train(example, fit.rate * (1.0 - decay)));
            done += 1;
        }
        let mean = sum / training.len().max(1) as f64;
        let line = format!(
            "epoch {epoch}: training loss {mean:.4}, validation loss {:.4}",
            loss(&validation, |example| model.points(example))
        );
        task.print(&line)
            .map_err(|error| format!("standard output: {error}"))?;
    }
    drop(task);
    write(&model, &fit.out)?;
    Ok(Ending::Complete)
}

/// Reads a `weights.bin`.
fn load<M: Model>(path: &Path) -> Result<M, String> {
    let failed = |why: String| format!("{}: {why}", path.display());
    let bytes = fs::read(path).map_err(|error| failed(error.to_string()))?;
    M::from_bytes(&bytes).map_err(failed)
}

/// Writes neutral weights.
pub fn blank<G: Pipeline>(blank: &Blank) -> Result<Ending, String> {
    write(&G::Model::blank(), &blank.out).map(|()| Ending::Complete)
}

/// Writes `weights.bin`.
fn write(model: &impl Model, out: &Path) -> Result<(), String> {
    fs::write(out, model.to_bytes()).map_err(|error| format!("{}: {error}", out.display()))
}

/// The mean cross-entropy of predicted points against results.
fn loss<E: Example>(examples: &[E], mut points: impl FnMut(&E) -> f32) -> f64 {
    let sum: f64 = examples
        .iter()
        .map(|example| f64::from(cross_entropy(points(example), example.result())))
        .sum();
    sum / examples.len().max(1) as f64
}

/// Reads the samples of a file, without positions near the end of the game.
fn read<G: Pipeline>(path: &Path) -> Result<Vec<<G::Model as Model>::Example>, String> {
    let failed = |error| format!("{}: {error}", path.display());
    let mut examples = Vec::new();
    for (index, line) in BufReader::new(File::open(path).map_err(failed)?)
        .lines()
        .enumerate()
    {
        let sample: Sample<G> = line
            .map_err(failed)?
            .parse()
            .map_err(|error| format!("{}: line {}: {error}", path.display(), index + 1))?;
        if sample.position.is_trained() {
            examples.push(sample.into());
        }
    }
    Ok(examples)
}

#[cfg(test)]
mod tests {
    use lodestone::game::magnetic_cave::features::OUTPUT_BUCKETS;
    use lodestone::game::magnetic_cave::network::HEADS;
    use lodestone_game::magnetic_cave::MagneticCave;

    use super::*;

    #[test]
    fn parts_that_are_left_out_stay_zero() {
        let folder = tempfile::tempdir().unwrap();
        let [samples, all, fewer] = ["samples", "all", "fewer"].map(|name| folder.path().join(name));
        fs::write(&samples, "x6o/8/8/8/8/8/8/8 x 1 - -\nx7/8/8/8/8/8/8/8 o 0 - -\n").unwrap();
        let fit = |from: Option<&Path>, without: &[String], out: &Path| {
            let fit = Fit {
                variant: Variant::MagneticCave,
                samples: vec![samples.clone()],
                epochs: 5,
                rate: 0.5,
                seed: 1,
                from: from.map(Path::to_path_buf),
                without: without.to_vec(),
                out: out.to_path_buf(),
            };
            run::<MagneticCave>(&fit, &Interrupt::unreachable().unwrap()).unwrap();
            fs::read(out).unwrap()
        };
        let trained = fit(None, &[], &all);
        let every_part: Vec<String> = MagneticCave::parts()
            .iter()
            .map(|(part, _)| part.to_string())
            .collect();
        let emptied = fit(Some(&all), &every_part, &fewer);
        let count = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte != 0).count();
        assert!(count(&trained) > 40, "{}", count(&trained));
        // Only the constants of the output layer are left.
        assert!(
            (1..=2 * OUTPUT_BUCKETS * HEADS).contains(&count(&emptied)),
            "{}",
            count(&emptied)
        );
    }
}
