//! The options of `referee grade` and `referee collect`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::shared::{DISPLAY, MAX_SLOTS, PLAYERS, RESOURCES, RESULTS};
use crate::config::values::WholeNumber;

/// The form of the results of one submission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ResultsFormat {
    /// The results of an autograder of Gradescope.
    #[default]
    Gradescope,
    /// The results of a test runner of GitHub Classroom.
    Classroom,
}

/// The options of `referee grade`.
#[derive(Args, Debug)]
pub struct GradeArgs {
    /// What submissions are graded on
    #[arg(value_name = "RUBRIC.toml", value_hint = ValueHint::FilePath)]
    pub rubric: PathBuf,

    /// Folder of submissions, or with --results one submission
    #[arg(value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,

    /// Write the grades, the feedback and the games to this folder; run the same command again to resume
    #[arg(short, long, value_name = "GRADES", value_hint = ValueHint::DirPath, required_unless_present = "results", conflicts_with = "results", help_heading = RESULTS)]
    pub out: Option<PathBuf>,

    /// Grade one submission, and write its results to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = RESULTS)]
    pub results: Option<PathBuf>,

    /// Write the file of --results in this form: gradescope or classroom
    ///
    /// With `classroom`, the feedback is printed as Markdown.
    #[arg(long, value_enum, default_value_t, value_name = "FORM", hide_possible_values = true, requires = "results", help_heading = RESULTS)]
    pub format: ResultsFormat,

    /// Keep the grades although the wrapper has changed
    #[arg(long, conflicts_with = "results", help_heading = RESULTS)]
    pub accept: bool,

    /// Say what would be graded and how long it takes, and grade nothing
    #[arg(long, conflicts_with = "results", help_heading = RESULTS)]
    pub dry_run: bool,

    /// Grade up to C submissions at the same time
    #[arg(short = 'j', long, default_value = "1", value_name = "C", conflicts_with = "results", help_heading = RESOURCES)]
    pub concurrency: WholeNumber<1, MAX_SLOTS>,

    /// Run the submission as this user if the kernel has no sandbox; needs root
    #[arg(long, value_name = "NAME", requires = "results", help_heading = PLAYERS)]
    pub user: Option<String>,

    /// Print a JSON object for each submission, with its points and what was measured
    #[arg(long, conflicts_with = "results", help_heading = DISPLAY)]
    pub json: bool,
}

/// The options of `referee collect`.
#[derive(Args, Debug)]
pub struct CollectArgs {
    /// Folder with what students have sent: a folder or an archive for each
    #[arg(value_name = "INBOX", value_hint = ValueHint::DirPath)]
    pub inbox: PathBuf,

    /// Folder of submissions, which is created if necessary
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,

    /// Add the files of this folder to each submission; they replace files of the same name
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, help_heading = RESULTS)]
    pub wrapper: Option<PathBuf>,

    /// Write feedback on each submission that was not collected to this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = RESULTS)]
    pub feedback: Option<PathBuf>,
}
