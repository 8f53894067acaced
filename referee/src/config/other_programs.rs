//! Options of fastchess, cutechess-cli and c-chess-cli, for users who come from these programs,
//! and options that the referee once had.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::Command;

/// Options of these programs and keys of their options, as in `engine cmd`. The letters are the
/// programs that have it: `f` fastchess, `c` cutechess-cli, `l` c-chess-cli; without a letter, older
/// versions of the referee had it. Then the counterpart here.
pub const OPTIONS: &[(&str, &str, &str)] = &[
    ("engine", "fcl", "--engine KEY=VALUE…"),
    ("engine cmd", "fcl", "cmd=PROGRAM; with arguments in args=WORDS"),
    (
        "engine conf",
        "c",
        "not available: there is no list of installed engines; use --config or --engines FILE.toml",
    ),
    ("engine name", "fcl", "name=NAME"),
    ("engine dir", "fc", "dir=FOLDER"),
    ("engine args", "f", "args=WORDS, quoted as for a shell"),
    ("engine arg", "c", "args=WORDS, quoted as for a shell"),
    (
        "engine initstr",
        "c",
        "not available: the protocol begins with uci",
    ),
    ("engine stderr", "c", "stderr=FILE"),
    ("engine restart", "fc", "restart=on"),
    (
        "engine trust",
        "c",
        "not needed: the rules decide every game; --check-claims counts wrong claims",
    ),
    ("engine proto", "fc", "proto=uci or proto=ugi"),
    (
        "engine tc",
        "fcl",
        "tc=[MOVES/]SECONDS[+INC]; minutes are written as seconds, so 1:30 is 90",
    ),
    ("engine st", "fc", "st=SECONDS"),
    ("engine movetime", "l", "st=SECONDS"),
    ("engine timemargin", "fc", "timemargin=MS"),
    (
        "engine timeout",
        "l",
        "not needed: after its time an engine has one second, then it loses by stall",
    ),
    (
        "engine book",
        "c",
        "not available: a book belongs to the match, --openings FILE",
    ),
    ("engine bookdepth", "c", "not available: --openings FILE plies=N"),
    ("engine whitepov", "c", "not available: scores are the mover's"),
    ("engine depth", "fcl", "depth=N"),
    ("engine plies", "f", "depth=N"),
    ("engine nodes", "fcl", "nodes=N"),
    ("engine ponder", "c", "--ponder, for all engines that offer it"),
    ("engine tscale", "c", "starttime=SECONDS, for the start alone"),
    ("engine debug", "c", "--log FILE engines=on"),
    ("engine option.NAME", "fcl", "option.NAME=VALUE"),
    ("each", "fcl", "--each KEY=VALUE…"),
    (
        "engines",
        "c",
        "not available: the manual lists the built-in players; --engines DIR adds players",
    ),
    (
        "quick",
        "f",
        "two players without an option: referee match ./new ./old",
    ),
    (
        "quick cmd",
        "f",
        "two players without an option: referee match ./new ./old",
    ),
    ("quick book", "f", "--openings FILE"),
    ("variant", "fc", "--variant NAME"),
    (
        "tournament",
        "fc",
        "--format round-robin|gauntlet|swiss|knockout|pyramid",
    ),
    ("gauntlet", "l", "--format gauntlet"),
    ("seeds", "fc", "--format gauntlet seeds=N"),
    (
        "games",
        "fcl",
        "--games N, with all games of a pairing (rounds × games)",
    ),
    (
        "rounds",
        "fcl",
        "--games N, with all games of a pairing (rounds × games)",
    ),
    (
        "repeat",
        "fcl",
        "not needed: each opening is played with both colours",
    ),
    ("noswap", "fc", "--no-swap"),
    ("reverse", "fc", "--reverse"),
    (
        "openings",
        "fcl",
        "--openings FILE order=random|sequential start=N plies=N, or --openings random:PLIES",
    ),
    ("openings file", "fcl", "--openings FILE"),
    (
        "openings format",
        "fc",
        "not needed: a book in lines and PGN of our own are told apart",
    ),
    ("openings order", "fcl", "--openings FILE order=random|sequential"),
    ("openings plies", "fc", "--openings FILE plies=N"),
    ("openings start", "fc", "--openings FILE start=N"),
    (
        "openings policy",
        "c",
        "not available: each pair of games has a new opening",
    ),
    ("openings srand", "l", "--seed S"),
    ("bookmode", "c", "not needed: a book is read once"),
    ("srand", "fc", "--seed S"),
    ("concurrency", "fcl", "--concurrency C"),
    (
        "force-concurrency",
        "f",
        "not needed: more games than cores are a warning",
    ),
    ("use-affinity", "f", "--affinity, or --affinity=3,5,7-11"),
    (
        "wait",
        "fc",
        "not available: each game begins when a place is free",
    ),
    ("sprt", "fcl", "--sprt elo0=E elo1=E alpha=A beta=B model=M"),
    ("draw", "fcl", "--draw movenumber=N movecount=N score=CP"),
    ("resign", "fcl", "--resign movecount=N score=CP twosided=true"),
    (
        "maxmoves",
        "fc",
        "not needed: the rules end every game; --turns T in Gridlock",
    ),
    ("tb", "fc", "--prove, with the solver of the referee"),
    ("tbpieces", "fc", "--prove empty=N"),
    ("tbignore50", "fc", "not needed: there is no such rule"),
    ("tbadjudicate", "f", "--prove result=both|win|draw"),
    ("pgnout", "fc", "--pgn FILE"),
    ("pgnout file", "f", "--pgn FILE"),
    ("pgnout notation", "f", "not needed: the games have one notation"),
    (
        "pgnout append",
        "f",
        "not needed: --out FILE.jsonl appends, and --pgn writes all of its games",
    ),
    ("pgnout nodes", "f", "--record nodes"),
    ("pgnout seldepth", "f", "--record seldepth"),
    ("pgnout nps", "f", "--record nps"),
    ("pgnout hashfull", "f", "--record hashfull"),
    ("pgnout tbhits", "f", "not available"),
    ("pgnout pv", "f", "--record pv"),
    ("pgnout timeleft", "f", "--record timeleft"),
    ("pgnout latency", "f", "--record latency"),
    (
        "pgnout min",
        "fc",
        "not needed: without --record, PGN has no comments on moves",
    ),
    ("pgnout fi", "c", "not needed: only finished games are written"),
    ("pgnout match_line", "f", "not available"),
    (
        "pgn",
        "l",
        "--pgn FILE, with --record depth for its verbosity 2 and 3",
    ),
    (
        "epdout",
        "fc",
        "not available: referee show prints each position of a game",
    ),
    ("event", "fc", "--pgn FILE event=NAME"),
    ("site", "fc", "--pgn FILE site=NAME"),
    ("output", "f", "--output cutechess, or --json for programs"),
    (
        "ratinginterval",
        "fc",
        "not available: the rating is shown after every ten games",
    ),
    ("scoreinterval", "f", SCORE_INTERVAL),
    ("outcomeinterval", "c", "not available: reports name each reason"),
    (
        "resultformat",
        "c",
        "not available: referee report prints text, CSV or JSON",
    ),
    ("report", "f", "not needed: pairs are always counted"),
    (
        "config",
        "f",
        "--config FILE.toml, and --out FILE.jsonl to resume a match",
    ),
    (
        "autosaveinterval",
        "f",
        "not needed: --out FILE.jsonl has each game when it ends",
    ),
    (
        "recover",
        "fc",
        "not needed: a fresh process replaces an engine that fails",
    ),
    ("strict", "f", "--strict"),
    ("show-latency", "f", "--record latency"),
    ("check-mate-pvs", "f", "--check-claims"),
    ("compliance", "f", "referee check PROGRAM"),
    (
        "crc32",
        "f",
        "not needed: the summary ends with a fingerprint of the games",
    ),
    (
        "testEnv",
        "f",
        "not needed: --quiet and --json are for other programs",
    ),
    (
        "log",
        "fl",
        "--log FILE level=LEVEL engines=on; compressed if FILE ends in .gz",
    ),
    ("debug", "c", "--log FILE engines=on"),
    ("startup-ms", "f", "starttime=SECONDS"),
    ("ucinewgame-ms", "f", "starttime=SECONDS"),
    ("ping-ms", "f", "starttime=SECONDS"),
    (
        "sample",
        "l",
        "not available: result files have moves and scores; the package fitting samples positions",
    ),
    ("version", "fcl", "--version"),
    ("help", "fc", "--help"),
];

/// In place of an interval between two scores.
const SCORE_INTERVAL: &str = "not available: --output cutechess prints the score after each game";

/// The explanation of the options in a command line that belong to these programs, or
/// that have one dash instead of two; `None` if there are none.
pub(crate) fn explanation(command: &Command, words: &[OsString]) -> Option<String> {
    let named = words.get(1).and_then(|word| command.find_subcommand(word));
    let here = named.or_else(|| command.find_subcommand("match"))?;
    let is_match = here.get_name() == "match";
    let ours = |name: &str| here.get_arguments().any(|option| option.get_long() == Some(name));
    let mut found: Vec<(&str, String)> = Vec::new();
    let options = words.iter().skip(1).filter_map(|word| word.to_str());
    for word in options.take_while(|word| *word != "--") {
        let word = word.split('=').next().unwrap_or_default();
        let (name, is_short) = match (word.strip_prefix("--"), word.strip_prefix('-')) {
            (Some(name), _) => (name, false),
            (None, Some(name)) if name.len() > 1 => (name, true),
            _ => continue,
        };
        let other = OPTIONS.iter().find(|(other, ..)| *other == name);
        let advice = match other {
            _ if !is_short && ours(name) => continue,
            Some((.., advice)) if is_match => (*advice).to_string(),
            _ if is_short && ours(name) => format!("--{name}"),
            _ => continue,
        };
        if !found.iter().any(|(known, _)| *known == word) {
            found.push((word, advice));
        }
    }
    if found.is_empty() {
        return None;
    }
    let mut text = String::from("options are spelled differently here:\n");
    for (word, advice) in found {
        let _ = write!(text, "\n  {word}: {advice}");
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::config::cli::Cli;

    #[test]
    fn nothing_that_we_have_is_called_unavailable() {
        let command = Cli::command();
        let command = command.find_subcommand("match").unwrap();
        for option in command.get_arguments().filter_map(|option| option.get_long()) {
            let other = OPTIONS.iter().find(|(other, ..)| *other == option);
            if let Some((.., advice)) = other {
                assert!(advice.contains("--"), "--{option}: {advice}");
            }
        }
    }

    #[test]
    fn advice_names_our_options() {
        let command = Cli::command();
        let command = command.find_subcommand("match").unwrap();
        let is_ours = |name: &str| {
            let mut options = command.get_arguments();
            ["help", "version"].contains(&name) || options.any(|option| option.get_long() == Some(name))
        };
        for (other, _, advice) in OPTIONS {
            for word in advice
                .split([' ', ',', '=', ';'])
                .filter_map(|word| word.strip_prefix("--"))
            {
                assert!(is_ours(word), "{other}: --{word}");
            }
        }
    }
}
