//! The files of a ladder: what stands beside its result file, and the grade book.

use std::path::{Path, PathBuf};

use referee_core::failure::Failure;
use referee_core::io::text::ShowPath;
use referee_core::results::transcripts;

use crate::config::cli::LadderArgs;

/// The folder with copies of the submissions.
pub fn copies(out: &Path) -> PathBuf {
    out.with_extension("submissions")
}

/// The folder with the files of the parts of a round.
pub fn parts(out: &Path) -> PathBuf {
    out.with_extension("parts")
}

/// The result file, which the command line requires.
///
/// # Errors
/// There is none, or a folder that belongs to it is a link: it may have come with the file, and lead to folders of the
/// user, in which files would be deleted.
pub fn result_file(args: &LadderArgs) -> Result<&Path, Failure> {
    let out = args.run.out.as_deref();
    let out = out.ok_or_else(|| {
        Failure::Usage(
            "`--out FILE.jsonl` is missing: a ladder stores its games in this file and resumes \
            from it"
                .into(),
        )
    })?;
    let transcripts = transcripts::folder_beside(out);
    let transcripts = args.run.faults.is_none().then_some(transcripts);
    let mut own = [copies(out), parts(out)].into_iter().chain(transcripts);
    match own.find(|folder| folder.is_symlink()) {
        Some(link) => Err(Failure::Usage(format!(
            "{} belongs to {}, but is a link; replace it with the folder itself",
            link.shown(),
            out.shown()
        ))),
        None => Ok(out),
    }
}

/// Where the transcripts of a ladder are.
pub fn transcripts_of(args: &LadderArgs, out: &Path) -> PathBuf {
    let beside = || transcripts::folder_beside(out);
    let given = args.run.faults.as_deref().map(transcripts::folder_given);
    given.unwrap_or_else(beside)
}

/// A failure to write a file that an option names.
pub fn not_written(option: &str, path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::Output(format!("{option} {}: {error}", path.shown()))
}
