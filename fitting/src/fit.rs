//! Fits weights to samples by logistic regression, one sample after the other.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lodestone::board::Side;
use lodestone::game::Game;
use lodestone::game::magnetic_cave::network::{INPUT_SCALE, InputGroup, NEUTRAL_HEAD, WEIGHTS_BYTES};
use lodestone::random::Random;

use crate::model::{Example, Model, cross_entropy, points_of};
use crate::sample::Sample;

/// In games between equals, the part of the target that is the result; the rest
/// is what the search thought.
const RESULT_PART: f32 = 0.7;

/// Positions with fewer empty cells are searched to their end, not judged.
const FEWEST_EMPTY: u32 = 10;

/// Counted values beyond this say no more.
const MOST_COUNTED: f32 = 6000.0;

/// Of so many samples one is kept for the comparison.
const KEPT_PART: usize = 20;

#[derive(Args)]
pub struct Fit {
    /// Files of samples.
    #[arg(required = true)]
    samples: Vec<PathBuf>,
    /// How often each sample is looked at.
    #[arg(long, default_value_t = 2)]
    epochs: u32,
    /// How fast it learns; the last epoch goes a tenth as fast as the first.
    #[arg(long, default_value_t = 0.05)]
    rate: f32,
    /// What the order of the samples and the first weights are drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Weights to begin with; without, it begins anew.
    #[arg(long)]
    from: Option<PathBuf>,
    /// Parts of the evaluation to leave out, to see what they are worth.
    #[arg(long, value_name = "PART", value_delimiter = ',', conflicts_with = "from")]
    without: Vec<Part>,
    /// The file that the weights are written to.
    #[arg(long)]
    out: PathBuf,
}

/// A part of the evaluation that can be left out.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Inputs: the contents of each row.
    Rows,
    /// Inputs: the number of empty cells.
    EmptyCells,
    /// Inputs: the side to move.
    SideToMove,
    /// Inputs: who wins the zugzwang, and how.
    Zugzwang,
    /// Inputs: cells that would complete five but are not playable yet.
    Waiting,
    /// Inputs: cells of open lines with three bricks.
    Threes,
    /// Inputs: cells of open lines with two bricks.
    Twos,
    /// The hidden units: what is left is a sum of inputs.
    Hidden,
    /// The counted value.
    Counted,
}

impl From<InputGroup> for Part {
    fn from(group: InputGroup) -> Part {
        match group {
            InputGroup::Rows => Part::Rows,
            InputGroup::EmptyCells => Part::EmptyCells,
            InputGroup::SideToMove => Part::SideToMove,
            InputGroup::Zugzwang => Part::Zugzwang,
            InputGroup::Waiting => Part::Waiting,
            InputGroup::Threes => Part::Threes,
            InputGroup::Twos => Part::Twos,
        }
    }
}

impl Fit {
    fn leaves_out(&self, part: Part) -> bool {
        self.without.contains(&part)
    }

    /// The network before the first sample.
    fn first_model(&self, random: &mut Random) -> Result<Model, String> {
        let mut model = match &self.from {
            Some(path) => load(path)?,
            None if self.leaves_out(Part::Hidden) => Model::blank(),
            None => Model::ready_to_learn(random),
        };
        if self.leaves_out(Part::Counted) {
            model.leave_out_counted();
        }
        Ok(model)
    }

    /// Removes the parts that are left out from an example.
    fn mask(&self, example: &mut Example) {
        let is_seen = |&input: &u16| !self.leaves_out(InputGroup::of(usize::from(input)).into());
        example.inputs.retain(is_seen);
        if self.leaves_out(Part::Counted) {
            example.counted = 0.0;
        }
    }
}

#[derive(Args)]
pub struct Blank {
    /// The file that the weights are written to.
    #[arg(long)]
    pub out: PathBuf,
}

/// Reads, fits, and writes.
pub fn run(fit: &Fit) -> Result<(), String> {
    let (mut learned, mut kept) = (Vec::new(), Vec::new());
    for path in &fit.samples {
        let mut examples = read(path)?;
        examples.iter_mut().for_each(|example| fit.mask(example));
        // The last games of each file: positions of one game stay together.
        kept.extend(examples.split_off(examples.len() - examples.len() / KEPT_PART));
        learned.append(&mut examples);
    }
    println!(
        "{} samples to learn from, {} to compare with",
        learned.len(),
        kept.len()
    );
    println!(
        "counted value alone: loss {:.4}",
        loss(&kept, |example| points_of(example.counted))
    );
    let mut random = Random::new(fit.seed);
    let mut model = fit.first_model(&mut random)?;
    println!("before: loss {:.4}", loss(&kept, |example| model.points(example)));
    for epoch in 0..fit.epochs {
        random.shuffle(&mut learned);
        let slower = 0.9 * epoch as f32 / (fit.epochs - 1).max(1) as f32;
        let sum: f64 = learned
            .iter()
            .map(|example| f64::from(model.learn(example, fit.rate * (1.0 - slower))))
            .sum();
        let mean = sum / learned.len().max(1) as f64;
        println!(
            "epoch {epoch}: loss while learning {mean:.4}, kept {:.4}",
            loss(&kept, |example| model.points(example))
        );
    }
    write(&model, &fit.out)
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

/// The mean loss over examples, against results.
fn loss(examples: &[Example], mut points: impl FnMut(&Example) -> f32) -> f64 {
    let sum: f64 = examples
        .iter()
        .map(|example| f64::from(cross_entropy(points(example), example.points)))
        .sum();
    sum / examples.len().max(1) as f64
}

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
        if sample.position.plies_left() >= FEWEST_EMPTY {
            examples.push(example(&sample));
        }
    }
    Ok(examples)
}

/// A sample as the network sees it.
pub fn example(sample: &Sample) -> Example {
    let (view, counted) = sample.position.network_features();
    let mut inputs = Vec::new();
    view.inputs(|input| inputs.push(input as u16));
    let thought = sample.value.filter(|_| sample.thinker.is_none()).map(|value| {
        let value = f32::from(match sample.position.side_to_move() {
            Side::First => value,
            Side::Second => -value,
        });
        points_of(value / INPUT_SCALE)
    });
    Example {
        inputs,
        counted: (counted as f32).clamp(-MOST_COUNTED, MOST_COUNTED) / INPUT_SCALE,
        stage: view.stage(),
        head: sample.thinker.map_or(NEUTRAL_HEAD, Side::index),
        target: thought.map_or(sample.points, |thought| {
            RESULT_PART * sample.points + (1.0 - RESULT_PART) * thought
        }),
        points: sample.points,
    }
}
