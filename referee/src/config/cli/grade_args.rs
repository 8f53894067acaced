//! The options of `referee grade` and `referee collect`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::shared::RESULTS;

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
