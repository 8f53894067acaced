//! What the author of a bot reads about a fault in a game.

use std::fmt::Write as _;
use std::path::Path;

use referee_core::failure::Failure;
use referee_core::game::Ruleset;
use referee_core::results::transcripts::{FailedGame, PlayerLines};
use referee_core::results::{Header, Record, RecordedFault, StoredGame};

use super::show;
use crate::feedback::{error_text, of_copy};

/// The most lines that are shown of what a wrapper has exchanged with its agent.
const MOST_NOTES: usize = 40;

/// A player, as the text about its faults needs it.
pub(super) struct Author<'a> {
    pub name: &'a str,
    /// The folder of what plays: a copy of the submission.
    pub folder: &'a Path,
    /// Whether the bot is made with the Python package: then its author does not know the protocol.
    pub is_plain: bool,
}

/// What happened, what was exchanged with the agent, the last lines of the error message, the moves until then, and the
/// board.
pub(super) fn about(
    author: &Author<'_>,
    record: &Record,
    fault: &RecordedFault,
    (header, rules): (Option<&Header>, Ruleset),
    transcripts: &Path,
) -> Result<String, Failure> {
    let detail = fault.plain.as_ref().filter(|_| author.is_plain);
    let detail = detail.unwrap_or(&fault.detail);
    let mut text = format!("game {}, move {}: {}\n", record.id, fault.number, detail.shown());
    let transcript = FailedGame::of(&record.into()).and_then(|game| game.transcript(transcripts));
    let own = PlayerLines::of(&transcript.unwrap_or_default(), author.name);
    let notes = if author.is_plain { own.notes() } else { own.last() };
    for note in &notes[notes.len().saturating_sub(MOST_NOTES)..] {
        let _ = writeln!(text, "  {note}");
    }
    text += &error_text(&own.stderr, author.folder);
    let moves = record.moves.iter().take(fault.number.saturating_sub(1));
    let moves = moves.fold(String::new(), |text, mv| text + " " + &mv.shown().to_string());
    if !moves.is_empty() {
        let _ = writeln!(text, "  moves until then:{moves}");
    }
    if let Ok(game) = StoredGame::from_record(record, header, Some(rules)) {
        for line in show::before_move(game, fault.number)?.lines() {
            let _ = writeln!(text, "{}", format!("  {line}").trim_end());
        }
    }
    Ok(of_copy(&text, author.folder))
}
