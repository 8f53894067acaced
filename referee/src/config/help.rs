//! The long help of each command: what `--help` shows below the options, and a man page in
//! sections of their own.

use std::fmt::Write as _;
use std::io;

use super::settings;
use crate::io::terminal;
use crate::io::text::{columns, wrap};

/// The width of help that is not for a terminal, and the largest width on one.
const MAX_WIDTH: usize = 100;

/// Below this width, the right column of a table goes below the left one, unless the left
/// column is narrow.
const NARROW: usize = 60;

/// The largest width of a narrow left column.
const NARROW_LEFT: usize = 14;

/// The largest width of the left column of a table, with the space on both sides.
const MAX_LEFT: usize = 20;

/// The indentation of text below its heading.
const INDENT: usize = 2;

/// Commands whose help has the settings of players.
const WITH_SETTINGS: [&str; 4] = ["match", "ladder", "tune", "openings"];

/// The exit statuses, behind the commands that have them; `*` for all.
const STATUSES: [(&str, &str, &str); 16] = [
    (
        "*",
        "0",
        "the command succeeded, whatever the results of the games",
    ),
    (
        "report",
        "1",
        "the files lack games of the schedule; the report names them",
    ),
    (
        "match ladder tune",
        "1",
        "`--strict`: a warning about an engine ended the command",
    ),
    ("check", "1", "the bot failed a required check"),
    ("rules", "1", "a check failed, or the two programs differ"),
    ("verify", "1", "a game differs"),
    (
        "referee",
        "1",
        "`report`: games are missing; `match --strict`: a warning; `check` and `rules`: a check failed",
    ),
    ("*", "2", "the command, an input file or an output path is wrong"),
    (
        "referee match ladder tune play serve openings check rules verify",
        "3",
        "an engine did not start, or did not complete the handshake",
    ),
    (
        "analyze",
        "3",
        "the engine did not start, or some games could not be analysed",
    ),
    (
        "adapt",
        "3",
        "the program did not start, or did not behave as its file describes",
    ),
    ("*", "4", "an output could not be written"),
    (
        "match ladder tune play serve openings check verify show analyze",
        "5",
        "the rules program failed after its start; what was played is saved",
    ),
    ("report", "10", "`--sprt-decide`: the test has not decided yet"),
    (
        "match ladder tune",
        "130, 143",
        "interrupted (Ctrl-C) or terminated; the finished games are saved",
    ),
    (
        "referee play serve openings analyze check rules verify report",
        "130, 143",
        "interrupted (Ctrl-C) or terminated",
    ),
];

/// Notes on a command that belong to no single option.
#[derive(Debug, Default)]
pub struct Notes {
    pub paragraphs: Vec<String>,
    /// Whether the settings of players belong to these notes.
    pub has_settings: bool,
    /// Purposes and commands.
    pub examples: Vec<(String, String)>,
    /// Exit statuses and their meanings.
    pub statuses: Vec<(&'static str, &'static str)>,
}

/// Notes on the commands: behind the name of each (`referee` itself first), paragraphs, and examples, which are a
/// purpose and an indented command.
const NOTES: &str = r#"
# referee

Play against the computer
    referee

Play two games between built-in players
    referee match

Play ten games between two programs, at one second a move
    referee match ./mybot ./other --games 10 --each st=1

# match

A player is the path of a program, the name of a built-in player, or `human`. A built-in name has priority
over a file: `random` is the built-in player, `./random` is a file. Without players, `lodestone` plays a
reference player.

The keys of a --config file are the long options without dashes. Its tables [each] and [[engine]] have the
settings of players.

Play ten games at one second a move
    referee match ./mybot ./other --games 10 --each st=1

Play a Python program against the engine, with random openings, and save the games
    referee match --engine cmd=python3 args=bot.py name=mybot --engine cmd=lodestone option.Hash=32 --each
    tc=10+0.1 --games 20 --openings random:2 -o games.jsonl

Run a tournament of submissions, four games at a time
    referee match --engines submissions --skip-broken --games 4 --each st=1 -j 4 -o course.jsonl

Test a change, and end each game when a solver proves its result
    referee match ./new ./old --games 2000 --each st=0.5 --openings random:4 --sprt elo0=0 elo1=10 --prove

# ladder

Each run takes the submissions in DIR as they are, plays rounds in which those meet whose games say most about
their ratings, and writes the standings. The next run goes on where the last one ended, even after a crash. A
submission is known by its name and the digest of its files, without `__pycache__` and `.git`: an unchanged one
keeps its games; a changed one is a new version, which begins at the rating of its predecessor; a deleted one
leaves the table.

Beside FILE.jsonl, FILE.submissions has the copies that play, and FILE.faults the transcripts of games lost by a
fault. A submission that does not start is left out until the next run. Without --openings, each round has
random openings of four moves.

Rate all submissions until six o'clock, from a timer, with standings and feedback
    referee ladder submissions --out course.jsonl --until 06:00 --each st=1 -j 4 --csv grades.csv --feedback
    feedback --html course.html --quiet

Stop when the first three are certain, with a built-in player for comparison
    referee ladder submissions squares --out course.jsonl --each st=1 --settle 3

Take new submissions, and write standings and feedback without playing
    referee ladder submissions --out course.jsonl --each st=1 --games 0 --csv grades.csv --feedback feedback

# play

Without --first and --second, the command asks who plays; in Gridlock, it also asks for the pieces and
turns. At each move, `help` lists the commands, and `q` quits.

Choose the players at the prompt
    referee play

Move second against your bot
    referee play --first ./mybot --second human

Play Gridlock with seven pieces a side against the engine at one second a move
    referee play --variant gridlock --pieces 7 --turns 60 --first human --second lodestone --st 1

# serve

The command prints the address of a page and serves it until Ctrl-C. The address contains a secret: only a
browser that was given it can use the page. The page starts no program that the command does not name.

Matches are child processes with ordinary result files in the folder of --results, and the command line can
resume them. Games played by hand are saved after each move. Submissions that are broken are left out.

Play in the browser, against built-in players or another person
    referee serve --open

Let students watch and play against all submissions, each in a sandbox
    referee serve --engines submissions --sandbox --results course

Play a game of your own against your bot
    referee serve --rules ./nim.py ./nimbot.py

# tune

The method is SPSA, as in fishtest and OpenBench. Each iteration perturbs all options at random, plays a
pair of games between the engine with these values and the engine with the opposite values, and moves all
values towards those of the winner. `setoption` sets the options between two games; `restart=on` starts a new
process instead.

With a node or depth limit, the same command gives the same values on every machine. With --out, the same
command resumes a stopped tuning. `docs/testing.md` explains how to choose the numbers.

Tune two options with 20000 games, two at a time, at 5000 nodes a move
    referee tune ./mybot --param Margin=60,0,300,10 --param Reduction=50,0,200,8 --iterations 10000 --each
    nodes=5000 --openings random:6 -j 2 -o tuning.jsonl --plot tuning.svg

Test the new values
    referee match --engine cmd=./mybot name=tuned option.Margin=74 option.Reduction=43 --engine cmd=./mybot
    --each st=0.1 --games 20000 --openings random:6 --sprt elo0=0 elo1=5

# openings

No two openings of a book lead to the same position, even rotated or mirrored. The engine searches each
opening once. The book leaves out openings with a score outside the window or with a proven result. With a
`depth` or `nodes` limit, the same command writes the same book. Without a time limit, the engine has one
minute for each opening.

A book is a text file with one opening a line: `startpos` or a FEN, then optionally `moves` and the moves; or
only moves. Lines that begin with # are comments.

Write a book of 500 openings of six plies with nearly equal chances
    referee openings --plies 6 --count 500 --window -50..50 -o book.txt

Play a match with this book
    referee match ./mybot lodestone --openings book.txt --games 1000

# report

Prints the tables that the match itself prints. A game in two files counts once. Each match has its own
tables. The match may still be running.

Print the table of a tournament
    referee report games.jsonl

Combine the shards of a match, with a table of all pairings
    referee report shard-*.jsonl --crosstable

Write the table for a spreadsheet
    referee report games.jsonl --csv > games.csv

Write the games for other programs
    referee report games.jsonl --pgn games.pgn

Test whether the shards of a match decide a sequential test
    referee report --sprt-decide elo0=0 elo1=5 shard-*.jsonl

# show

Prints the board after each move, with the move, its time and its score. `referee show FILE --game N | less`
scrolls through the game, and the page of `referee report --html` steps through it.

A mistake costs its player 0.10 expected points (win 1, draw 0.5, loss 0), a blunder 0.15. Losing a proven
win is at least a mistake. The points follow from the scores that the player reported with this move and its
next move. If it reported none, they follow from the scores of its opponent before and after the move.

List the games of a file
    referee show games.jsonl

Print one game
    referee show games.jsonl --game 4

# analyze

The engine searches each position of a game once, from the end to the beginning. A move loses the difference
of the expected points (win 1, draw 0.5, loss 0) before and after it. A move that loses at least --threshold
is a mistake. So is a move that turns a proven result into a worse proven result.

Without --out, the command prints the mistakes of each game and the counts of each player. With --out,
`referee show` and `referee report` show the analysis, too.

--engine takes the settings that `referee match --help` lists, except tc and restart. The engine may answer
up to 10 seconds late, unless timemargin is set.

A position has no values if the engine fails there. The engine is restarted once in each game.

Print the mistakes of all games
    referee analyze games.jsonl

Print every move of one game, at two seconds a position
    referee analyze games.jsonl --game 4 --st 2

Analyse a tournament for reports, four games at a time
    referee analyze games.jsonl --engine nodes=200000 -j 4 -o analysed.jsonl

# check

Each failed check reports what was sent, what came back, what was expected and what to try. A bot that passes
the required checks can play matches. The recommended checks cover clocks, interruptions and other clients.
The optional checks cover further parts of the protocol.

A correct bot takes less than 30 seconds. A bot that hangs or exits is restarted for the next check. If the
handshake fails, the other checks are skipped. Check a bot for both games once in each game.

Check a program
    referee check ./mybot

Check a Python program in Gridlock
    referee check --variant gridlock python3 bot.py

Check a Java program
    referee check java -cp . Bot

Repeat two checks after a correction
    referee check --only flush --only movetime-200 ./mybot

# rules

A rules program answers questions about positions: who is to move, which moves are legal, whether the game is
over and who has won. The chapter "Rules programs" of protocol.md lists the questions. `rules.md` of the manual
shows how to write one.

With one program, the command plays random games and reports contradictions and statistics. With two, it plays
the same moves in both and prints a shortest line of moves after which they differ. `magnetic-cave` and
`gridlock` are the built-in rules.

A program may have settings behind it: args='WORDS', dir=FOLDER, name=NAME, option.NAME=VALUE, timeout=SECONDS
for each answer (default: 5), starttime=SECONDS, sandbox=on, and the other settings of a program in a match.

Check a program
    referee rules ./nim.py

Check the game of another size
    referee rules ./hex.py option.size=5 --games 1000

Compare your rules of Gridlock with the built-in ones
    referee rules gridlock ./gridlock.py

Compare two versions
    referee rules cmd=python3 args=old.py cmd=python3 args=new.py

# verify

Each game is replayed: its moves must be legal, its players must have moved when it was their turn, and it must
end as the record says. Games that a fault, a person, an adjudication or a limit has ended must not be over.

Without `--rules`, the games of a rules program are replayed by the program that the file names. Because a file
is not trusted, that program runs in a sandbox, which needs Linux. If the program has changed, a warning says so.

Check a file of results
    referee verify games.jsonl

Find the games that corrected rules would have ended differently
    referee verify games.jsonl --rules ./nim2.py

# adapt

The program runs on its own terminal. The file describes what to type at its menu, how to write a move, and
how to find its moves in its output. In a match, the file belongs to the settings of a player: `cmd=referee
args="adapt FILE.toml"`. In a folder of submissions, it is called `adapt.toml`.

The chapter `adapt.md` of the manual has a complete example and all keys of the file.

Show what the program prints and what is typed
    referee adapt menu.toml --try

Play two games against the engine
    referee match --engine cmd=referee args='adapt menu.toml' name=menu --engine cmd=lodestone

# new-bot

Writes a complete bot for both games, of at most 150 lines, and a script `run` that compiles and starts it. The
folder must be new or empty. It is a submission for `--engines`.

A bot in Python comes with a copy of the module `lodestone`, which has the rules and the protocol. With
`--single-file` it is one file without it, to hand in.

Improve the functions `evaluate` and `search`. The command prints how to start, check and play the bot.

With `--rules`, the bot is for another game. A bot in Python gets copies of the rules and imports them, if they
use the module. Any other bot has the protocol, and a function `choose` without the rules of the game.

Write a bot in Python
    referee new-bot python mybot

Write a bot in Python to hand in as one file
    referee new-bot python mybot --single-file

Write a bot in C++ to a folder of submissions
    referee new-bot c++ submissions/alice

Write a bot for another game
    referee new-bot python nimbot --rules examples/rules/nim.py

# new-rules

Writes the rules of a small game in Python, a bot for it, and a README with the next commands. Change the rules in
`game.py`. The folder must be new or empty. It needs Python 3.9 or later.

The tutorial is the chapter `your-game.md` of the manual.

Begin a game
    referee new-rules mygame

Check its rules
    referee rules mygame/game.py

# completions

The script completes commands, options and values.

Complete in bash
    referee completions bash > ~/.local/share/bash-completion/completions/referee

Complete in zsh, with a folder of $fpath
    referee completions zsh > ~/.zfunc/_referee

Complete in fish
    referee completions fish > ~/.config/fish/completions/referee.fish

Complete in PowerShell
    referee completions powershell >> $PROFILE

Complete the commands of the engine in bash
    referee completions bash lodestone > ~/.local/share/bash-completion/completions/lodestone
"#;

/// The notes on a command, or on `referee` itself; `None` for a command without notes.
pub fn notes(command: &str) -> Option<Notes> {
    let mut sections = NOTES.split("\n# ");
    let text = sections.find_map(|section| section.strip_prefix(command)?.strip_prefix("\n\n"))?;
    let mut notes = Notes {
        has_settings: WITH_SETTINGS.contains(&command),
        statuses: STATUSES
            .iter()
            .filter(|(commands, ..)| commands.split(' ').any(|known| known == "*" || known == command))
            .filter(|_| command != "completions")
            .map(|&(_, status, meaning)| (status, meaning))
            .collect(),
        ..Notes::default()
    };
    for block in text.trim().split("\n\n") {
        match block.split_once("\n    ") {
            Some((purpose, example)) => notes.examples.push((purpose.into(), joined(example))),
            None => notes.paragraphs.push(joined(block)),
        }
    }
    Some(notes)
}

/// Lines of the notes as one.
fn joined(lines: &str) -> String {
    lines.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The width of help, in columns: the width of the terminal, but at most 100.
pub fn width() -> usize {
    let width = terminal::width(io::stdout()).or_else(|| terminal::width(io::stderr()));
    width.unwrap_or(MAX_WIDTH).min(MAX_WIDTH)
}

impl Notes {
    /// The notes as text, at most `width` columns wide, if its words allow it.
    pub fn render(&self, width: usize) -> String {
        let mut parts = Vec::new();
        if self.has_settings {
            let table = table(&settings::help(), width);
            let heading = wrap("Settings of players, for --engine and --each:", width);
            parts.push(format!("{heading}\n{table}"));
        }
        parts.extend(self.paragraphs.iter().map(|paragraph| wrap(paragraph, width)));
        if !self.examples.is_empty() {
            parts.push(format!("Examples:\n{}", self.rendered_examples(width)));
        }
        if !self.statuses.is_empty() {
            let rows: Vec<_> = self
                .statuses
                .iter()
                .map(|(status, meaning)| ((*status).into(), *meaning))
                .collect();
            parts.push(format!("Exit status:\n{}", table(&rows, width)));
        }
        parts.join("\n\n")
    }

    fn rendered_examples(&self, width: usize) -> String {
        let examples = self.examples.iter().map(|(purpose, command)| {
            let purpose = indented(&format!("{purpose}:"), INDENT, width);
            // A shell joins lines that end with a backslash. It takes two columns, and the next
            // line has two more spaces.
            let command = indented(command, 2 * INDENT, width.saturating_sub(2 + INDENT));
            let lines: Vec<&str> = command.lines().collect();
            format!("{purpose}\n{}", lines.join(" \\\n  "))
        });
        examples.collect::<Vec<_>>().join("\n")
    }
}

/// Wrapped text with this indentation.
fn indented(text: &str, indentation: usize, width: usize) -> String {
    wrap(&format!("{:indentation$}{text}", ""), width)
}

/// Two columns; the right one is wrapped.
fn table(rows: &[(String, &str)], width: usize) -> String {
    let widest = rows.iter().map(|(left, _)| columns(left)).max().unwrap_or(0);
    let column = (INDENT + widest + 2).min(MAX_LEFT);
    let mut text = String::new();
    for (left, right) in rows {
        let left = format!("{:INDENT$}{left}", "");
        if width < NARROW && column > NARROW_LEFT {
            let _ = writeln!(text, "{left}\n{}", indented(right, 3 * INDENT, width));
            continue;
        }
        let right = indented(right, column, width);
        let _ = if columns(&left) + 2 > column {
            writeln!(text, "{left}\n{right}")
        } else {
            writeln!(text, "{left:column$}{}", right.trim_start())
        };
    }
    text.trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::CommandFactory;

    use super::*;
    use crate::config::cli::Cli;
    use crate::config::command_line;

    #[test]
    fn every_visible_command_has_notes_and_examples() {
        let command = Cli::command();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        for name in visible.map(clap::Command::get_name) {
            let notes = notes(name).unwrap_or_else(|| panic!("{name} needs notes"));
            assert!(notes.examples.len() >= 2, "{name}");
        }
    }

    #[test]
    fn the_command_line_accepts_every_example() {
        let command = Cli::command();
        let commands = command
            .get_subcommands()
            .filter_map(|command| notes(command.get_name()));
        for (_, example) in commands.chain(notes("referee")).flat_map(|notes| notes.examples) {
            let command = example.split('>').next().unwrap();
            let words = shlex::split(command).unwrap();
            let result = command_line(words.into_iter().map(OsString::from));
            assert!(result.is_ok(), "{example}: {result:?}");
        }
    }

    #[test]
    fn short_options_have_one_meaning() {
        let shorts = [("concurrency", 'j'), ("out", 'o'), ("quiet", 'q')];
        for command in Cli::command().get_subcommands() {
            for option in command.get_arguments() {
                let expected = shorts.iter().find(|(long, _)| option.get_long() == Some(long));
                let expected = expected.map(|&(_, letter)| letter);
                assert_eq!(option.get_short(), expected, "{} {option}", command.get_name());
            }
        }
        for (short, long) in [
            (
                "match a b -j 2 -q -o x",
                "match a b --concurrency 2 --quiet --out x",
            ),
            (
                "tune a --param A=1,0,2,1 -qj4 -ox",
                "tune a --param A=1,0,2,1 --quiet --concurrency 4 --out x",
            ),
            ("analyze a -j 3 -o x", "analyze a --concurrency 3 --out x"),
            ("openings -o=x", "openings --out x"),
        ] {
            let [short, long] = [short, long].map(|line| {
                let words = ["referee"].into_iter().chain(line.split(' '));
                format!("{:?}", command_line(words.map(OsString::from)).unwrap())
            });
            assert_eq!(short, long);
        }
    }

    #[test]
    fn every_option_has_a_heading() {
        let mut command = Cli::command();
        command.build();
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        for command in visible.filter(|command| command.get_arguments().count() > 4) {
            for option in command.get_arguments() {
                let is_exempt =
                    option.is_positional() || ["help", "version"].contains(&option.get_id().as_str());
                assert!(
                    is_exempt || option.get_help_heading().is_some(),
                    "{} {option}",
                    command.get_name()
                );
            }
        }
    }

    #[test]
    fn notes_fit_every_width() {
        let command = Cli::command();
        for notes in command
            .get_subcommands()
            .filter_map(|command| notes(command.get_name()))
        {
            for width in [40, 60, 80, 100] {
                let text = notes.render(width);
                let too_long = text.lines().find(|line| {
                    // A single word that is too long, such as a path, stays whole.
                    columns(line) > width && line.trim_end_matches(" \\").trim_start().contains(' ')
                });
                assert_eq!(too_long, None, "{width}\n{text}");
            }
        }
    }

    #[test]
    fn a_wrapped_example_is_one_command_for_a_shell() {
        let notes = notes("match").unwrap();
        let text = notes.rendered_examples(40).replace(" \\\n", " ");
        let lines = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        let commands: Vec<String> = lines.filter(|line| line.starts_with("referee ")).collect();
        let expected: Vec<&str> = notes.examples.iter().map(|(_, command)| &**command).collect();
        assert_eq!(commands, expected);
    }
}
