//! The games of a match or a report as PGN (`--pgn`).

use std::path::Path;

use crate::config::cli::MatchArgs;
use crate::io::failure::Failure;
use crate::report::pgn_file::{Appender, Export};
use crate::results::{Header, Store};
use crate::tournament::archive::{self, Match};

/// The PGN output of a match.
#[derive(Debug, Default)]
pub struct MatchPgn {
    /// All games at the end, from the result file that keeps them.
    pub at_the_end: Option<Export>,
    /// Each game as it ends, without a result file.
    pub game_by_game: Option<Appender>,
}

impl MatchPgn {
    /// Opens the output of `--pgn`, if given.
    pub fn open(args: &MatchArgs, header: &Header) -> Result<MatchPgn, Failure> {
        let Some(path) = args.pgn.as_ref().map(|pgn| &pgn.path) else {
            return Ok(MatchPgn::default());
        };
        // A device or a pipe keeps nothing.
        let is_kept = args.out.as_deref().is_some_and(Path::is_file);
        Ok(if is_kept {
            MatchPgn {
                at_the_end: Some(open_export(path, header)?),
                game_by_game: None,
            }
        } else {
            let appender = Appender::open(path, header.clone());
            MatchPgn {
                at_the_end: None,
                game_by_game: Some(appender.map_err(|error| usage(path, &error))?),
            }
        })
    }
}

/// [`MatchPgn::open`]; if that fails, removes a result file without games.
pub fn open_beside(
    store: Option<Store>,
    args: &MatchArgs,
    header: &Header,
) -> Result<(Option<Store>, MatchPgn), Failure> {
    match (MatchPgn::open(args, header), store) {
        (Ok(pgn), store) => Ok((store, pgn)),
        (Err(failure), store) => {
            if let Some(store) = store {
                store.remove_if_empty();
            }
            Err(failure)
        }
    }
}

/// Writes the games of the result file of a match as PGN, if `--pgn` is given.
pub fn write_match(export: Option<&Export>, args: &MatchArgs) -> Result<(), Failure> {
    let (Some(export), Some(out)) = (export, &args.out) else {
        return Ok(());
    };
    let matches = archive::read(std::slice::from_ref(out));
    let matches = matches.map_err(|error| failed(&error.to_string()))?;
    write_export(export, &matches, &mut || Ok(()))
}

/// Checks that games of this match can be written to a file.
pub fn open_export(path: &Path, header: &Header) -> Result<Export, Failure> {
    Export::open(path, header).map_err(|error| usage(path, &error))
}

/// Writes the games of these matches. Calls `watch` before each game.
pub fn write_export(
    export: &Export,
    matches: &[Match],
    watch: &mut dyn FnMut() -> Result<(), String>,
) -> Result<(), Failure> {
    export.write(matches, watch).map_err(|why| failed(&why))
}

fn usage(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Usage(format!("--pgn {}: {error}", path.display()))
}

fn failed(why: &str) -> Failure {
    Failure::Output(format!("the games cannot be written as PGN: {why}"))
}
