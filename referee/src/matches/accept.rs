//! A match that goes on with rules or a wrapper that have changed since its games so far (`--accept`).

use std::path::Path;

use referee_core::failure::Failure;
use referee_core::io::text::{ShowPath, counted, listed};
use referee_core::results::{Header, Line, MOST_DIFFERENCES, ProgramChange, read_content};
use referee_core::system::files::open_regular;

use crate::config::cli::RunArgs;
use crate::rules_check::replay;

/// The most games that a message names.
const MOST_GAMES: usize = 5;

/// Completes the header of a match by the changes that its file records. `past` are the last header of the file and the
/// number of its games, if they are known.
///
/// # Errors
/// Rules or a wrapper have changed since the last run, without `--accept`; or a game differs by the rules as they are
/// now.
pub(super) fn take_over(
    header: &mut Header,
    run: &RunArgs,
    past: Option<(Header, u64)>,
) -> Result<(), Failure> {
    let Some(out) = run.out.as_deref() else {
        return Ok(());
    };
    let may_change = header.rules.is_some() || !header.wrappers.is_empty();
    // What is wrong with the file is said when it is opened.
    let past = past.or_else(|| last_header(out).filter(|_| may_change));
    let Some((last, games @ 1..)) = past else {
        return Ok(());
    };
    if !header.schedule.stages.is_empty() {
        // The submissions of a wrapper may all be gone.
        for (path, digest) in &last.wrappers {
            header
                .wrappers
                .entry(path.clone())
                .or_insert_with(|| digest.clone());
        }
    }
    let mut accepted = last.accepted.clone();
    let change = header.changed_since(&last, games);
    accepted.extend(change.clone());
    let continued = Header {
        accepted,
        ..header.clone()
    };
    // The message about another match comes first.
    if last.differences(&continued).is_empty() {
        if let Some(change) = change {
            check(&change, header, out, run)?;
        }
        *header = continued;
    }
    Ok(())
}

/// The last header of a file, and the number of its games.
fn last_header(out: &Path) -> Option<(Header, u64)> {
    let (mut last, mut games) = (None, 0);
    let read = read_content(&mut open_regular(out).ok()?, |line| {
        match line {
            Line::Header(header) => last = Some(*header),
            Line::Record(_) => games += 1,
            _ => {}
        }
        Ok(())
    });
    read.ok()?;
    Some((last?, games))
}

/// Checks that the user accepts a change, and that the games are those of the rules now.
fn check(change: &ProgramChange, header: &Header, out: &Path, run: &RunArgs) -> Result<(), Failure> {
    let wrong = |why: String| Err(Failure::Usage(format!("--out {}: {why}", out.shown())));
    let games = counted(change.after as usize, "game");
    if !run.accept {
        let wrappers = change
            .wrappers
            .keys()
            .map(|path| format!("the wrapper `{}`", path.shown()));
        let rules = change.rules.iter().zip(&header.rules).map(|(old, now)| {
            let changes = listed(&old.changes(now), MOST_DIFFERENCES, "; ");
            format!("the rules program ({changes})")
        });
        let what: Vec<String> = rules.chain(wrappers).collect();
        let have = if what.len() == 1 { "has" } else { "have" };
        let replayed = match change.rules {
            Some(_) => ", which replays these games by the new rules first",
            None => "",
        };
        return wrong(format!(
            "since the {games} there, {} {have} changed. Add `--accept` to continue{replayed}, or use a new \
             file",
            what.join(" and ")
        ));
    }
    let Some(rules) = change.rules.as_ref().map(|_| run.game.variant) else {
        return Ok(());
    };
    let differing = replay::differing(out, rules)?;
    if differing.is_empty() {
        return Ok(());
    }
    let shown = differing
        .iter()
        .take(MOST_GAMES)
        .map(|(id, why)| format!("\n  game {id}: {why}"));
    wrong(format!(
        "by the rules as they are now, {} of the {games} there {} different, so `--accept` cannot continue; \
         use a new file{}",
        differing.len(),
        if differing.len() == 1 { "is" } else { "are" },
        shown.collect::<String>()
    ))
}
