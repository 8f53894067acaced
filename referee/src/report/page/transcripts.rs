//! The transcripts of a page.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::io::text::printable;
use crate::player::verdict::FaultKind;
use crate::tournament::Tournament;

/// The largest number of transcripts of one player and one kind of fault on a page.
const MAX_TRANSCRIPTS: usize = 2;

/// The largest size of a transcript on a page, in bytes. Of a longer one, the beginning and
/// the end are kept.
const MAX_TRANSCRIPT: usize = 24 * 1024;

/// What is kept of the beginning of a long transcript, in bytes.
const TRANSCRIPT_HEAD: usize = 2 * 1024;

/// The transcripts of a match by game number: of each player and kind of fault, the first
/// `MAX_TRANSCRIPTS` that exist.
pub fn of_match(tournament: &Tournament, folders: &[PathBuf]) -> BTreeMap<u64, String> {
    let mut texts = BTreeMap::new();
    let mut counts: BTreeMap<(&str, FaultKind), usize> = BTreeMap::new();
    for game in tournament.failed.iter() {
        let count = counts.entry(game.fault()).or_default();
        if *count >= MAX_TRANSCRIPTS {
            continue;
        }
        let name = game.file_name();
        let text = folders
            .iter()
            .find_map(|folder| fs::read(folder.join(&name)).ok());
        if let Some(text) = text {
            *count += 1;
            texts.insert(game.id(), shortened(&String::from_utf8_lossy(&text)));
        }
    }
    texts
}

/// The lines of a transcript, made safe to show; the beginning and the end of a long one.
fn shortened(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| printable(line, usize::MAX)).collect();
    let size = |line: &String| line.len() + 1;
    if lines.iter().map(size).sum::<usize>() <= MAX_TRANSCRIPT {
        return lines.join("\n");
    }
    let fitting = |lines: &mut dyn Iterator<Item = &String>, max: usize| {
        let mut used = 0;
        lines
            .take_while(|line| {
                used += size(line);
                used <= max
            })
            .count()
    };
    let head = fitting(&mut lines.iter(), TRANSCRIPT_HEAD);
    let tail = fitting(&mut lines[head..].iter().rev(), MAX_TRANSCRIPT - TRANSCRIPT_HEAD);
    let omitted = lines.len() - head - tail;
    let mut kept = lines[..head].to_vec();
    kept.push(format!("[{omitted} lines are left out]"));
    kept.extend_from_slice(&lines[lines.len() - tail..]);
    kept.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_transcripts_keep_both_ends() {
        let lines: Vec<String> = (0..10_000).map(|number| format!("line {number}\n")).collect();
        let text = lines.concat();
        let short = shortened(&text);
        assert!(short.len() <= MAX_TRANSCRIPT + 40, "{}", short.len());
        assert!(short.starts_with("line 0\nline 1\n") && short.ends_with("\nline 9999"));
        assert!(short.contains(" lines are left out]\n"));
        assert_eq!(shortened("a\u{1b}[31m\nb\n"), "a\\u{1b}[31m\nb");
    }
}
