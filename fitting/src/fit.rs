//! Training: logistic regression on samples by stochastic gradient descent.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use lodestone::board::Side;
use lodestone::game::Game;
use lodestone::game::magnetic_cave::features::INPUT_GROUPS;
use lodestone::game::magnetic_cave::network::{INPUT_SCALE, NEUTRAL_HEAD, WEIGHTS_BYTES};
use lodestone::random::Random;
use referee::io::interrupt::Interrupt;
use referee::progress::Task;

use crate::ending::Ending;
use crate::model::{Example, Model, cross_entropy, points_of};
use crate::sample::Sample;

/// In games between equals, the weight of the game's result in the target; the rest is the
/// search's value.
const RESULT_WEIGHT: f32 = 0.7;

/// Positions with fewer empty cells are left out: the solver plays them.
const MIN_EMPTY: u32 = 10;

/// Counted values are clamped to ± this, in the unit of evaluations.
const MAX_COUNTED: f32 = 6000.0;

/// The number of samples between two looks at progress and signals.
const STEP: u64 = 1000;

/// One of this many samples is used for validation.
const VALIDATION_DIVISOR: usize = 20;

#[derive(Args)]
pub struct Fit {
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
    /// Parts of the evaluation to leave out, to measure what they are worth
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = PossibleValuesParser::new(parts()))]
    without: Vec<String>,
    /// Output file for the weights
    #[arg(long)]
    out: PathBuf,
}

/// Values of `--without` beside the names of the groups of inputs.
const HIDDEN: &str = "hidden";
const COUNTED: &str = "counted";

/// The values of `--without`.
fn parts() -> Vec<PossibleValue> {
    let inputs = INPUT_GROUPS
        .map(|group| PossibleValue::new(group.name).help(format!("Inputs: {}", group.description)));
    let others = [
        PossibleValue::new(HIDDEN).help("The hidden units, which leaves a weighted sum of inputs"),
        PossibleValue::new(COUNTED).help("The counted value"),
    ];
    inputs.into_iter().chain(others).collect()
}

impl Fit {
    fn leaves_out(&self, part: &str) -> bool {
        self.without.iter().any(|name| name == part)
    }

    fn leaves_out_input(&self, input: usize) -> bool {
        let group = INPUT_GROUPS.iter().find(|group| group.inputs.contains(&input));
        group.is_some_and(|group| self.leaves_out(group.name))
    }

    /// The network before training.
    fn initial_model(&self, random: &mut Random) -> Result<Model, String> {
        let mut model = match &self.from {
            Some(path) => load(path)?,
            None => Model::randomized(random),
        };
        model.zero_inputs(|input| self.leaves_out_input(input));
        if self.leaves_out(HIDDEN) {
            model.zero_hidden_units();
        }
        if self.leaves_out(COUNTED) {
            model.zero_counted();
        }
        Ok(model)
    }

    /// Removes the parts that are left out from an example.
    fn mask(&self, example: &mut Example) {
        let inputs = &mut example.inputs;
        inputs.retain(|&input| !self.leaves_out_input(input.into()));
        if self.leaves_out(COUNTED) {
            example.counted = 0.0;
        }
    }
}

#[derive(Args)]
pub struct Blank {
    /// Output file for the weights
    #[arg(long)]
    pub out: PathBuf,
}

/// Reads samples, trains, and writes the weights. A signal ends the training.
pub fn run(fit: &Fit, interrupt: &Interrupt) -> Result<Ending, String> {
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for path in &fit.samples {
        let mut examples = read(path)?;
        for example in &mut examples {
            fit.mask(example);
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
        loss(&validation, |example| points_of(example.counted))
    );
    let mut random = Random::new(fit.seed);
    let mut model = fit.initial_model(&mut random)?;
    println!(
        "before training: validation loss {:.4}",
        loss(&validation, |example| model.points(example))
    );
    let total = u64::from(fit.epochs) * training.len() as u64;
    let task = Task::start("samples", 0, total);
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
fn load(path: &Path) -> Result<Model, String> {
    let failed = |why: String| format!("{}: {why}", path.display());
    let bytes = fs::read(path).map_err(|error| failed(error.to_string()))?;
    let bytes = bytes.as_slice().try_into().map_err(|_| {
        failed(format!(
            "expected weights of {WEIGHTS_BYTES} bytes, found {}",
            bytes.len()
        ))
    })?;
    Ok(Model::from_bytes(bytes))
}

/// Writes `weights.bin`.
pub fn write(model: &Model, out: &Path) -> Result<(), String> {
    fs::write(out, model.to_bytes()).map_err(|error| format!("{}: {error}", out.display()))
}

/// The mean cross-entropy of predicted points against results.
fn loss(examples: &[Example], mut points: impl FnMut(&Example) -> f32) -> f64 {
    let sum: f64 = examples
        .iter()
        .map(|example| f64::from(cross_entropy(points(example), example.points)))
        .sum();
    sum / examples.len().max(1) as f64
}

/// Reads the samples of a file, without positions near the end of the game.
fn read(path: &Path) -> Result<Vec<Example>, String> {
    let failed = |error| format!("{}: {error}", path.display());
    let mut examples = Vec::new();
    for (index, line) in BufReader::new(File::open(path).map_err(failed)?)
        .lines()
        .enumerate()
    {
        let sample: Sample = line
            .map_err(failed)?
            .parse()
            .map_err(|error| format!("{}: line {}: {error}", path.display(), index + 1))?;
        if sample.position.plies_left() >= MIN_EMPTY {
            examples.push(example(&sample));
        }
    }
    Ok(examples)
}

/// Converts a sample to inputs and target of the network.
pub fn example(sample: &Sample) -> Example {
    let (features, counted) = sample.position.network_features();
    let mut inputs = Vec::new();
    features.active_inputs(|input| inputs.push(input as u16));
    let searched = sample.value.filter(|_| sample.stronger.is_none()).map(|value| {
        let value = f32::from(match sample.position.side_to_move() {
            Side::First => value,
            Side::Second => -value,
        });
        points_of(value / INPUT_SCALE)
    });
    Example {
        inputs,
        counted: (counted as f32).clamp(-MAX_COUNTED, MAX_COUNTED) / INPUT_SCALE,
        bucket: features.output_bucket(),
        head: sample.stronger.map_or(NEUTRAL_HEAD, Side::index),
        target: searched.map_or(sample.points, |searched| {
            RESULT_WEIGHT * sample.points + (1.0 - RESULT_WEIGHT) * searched
        }),
        points: sample.points,
    }
}

#[cfg(test)]
mod tests {
    use lodestone::game::magnetic_cave::features::OUTPUT_BUCKETS;
    use lodestone::game::magnetic_cave::network::HEADS;

    use super::*;

    #[test]
    fn parts_that_are_left_out_stay_zero() {
        let folder = tempfile::tempdir().unwrap();
        let [samples, all, fewer] = ["samples", "all", "fewer"].map(|name| folder.path().join(name));
        fs::write(&samples, "x6o/8/8/8/8/8/8/8 x 1 - -\nx7/8/8/8/8/8/8/8 o 0 - -\n").unwrap();
        let fit = |from: Option<&Path>, without: &[String], out: &Path| {
            let fit = Fit {
                samples: vec![samples.clone()],
                epochs: 5,
                rate: 0.5,
                seed: 1,
                from: from.map(Path::to_path_buf),
                without: without.to_vec(),
                out: out.to_path_buf(),
            };
            run(&fit, &Interrupt::unreachable().unwrap()).unwrap();
            fs::read(out).unwrap()
        };
        let trained = fit(None, &[], &all);
        let every_part: Vec<String> = parts().iter().map(|part| part.get_name().to_string()).collect();
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
