//! The most common mistakes of docs/check.md: what `referee check` says to each of them.

use crate::support::{Scene, assert_starts, joined, run};

/// The chapter.
const CHAPTER: &str = include_str!("../../docs/check.md");

/// The bot of the README. Each mistake is a change of it.
const BOT: &str = include_str!("../../examples/bot.py");

/// A change of the bot's source: this text, and its replacement.
type Change = (&'static str, &'static str);

/// Each mistake in the order of the chapter: the check that finds it, and the changes of
/// the bot.
const MISTAKES: [(&str, &[Change]); 5] = [
    ("handshake", &[(", flush=True", "")]),
    (
        "long-game",
        &[(
            "for line in sys.stdin:",
            "for line in (word for line in sys.stdin for word in line.split()):",
        )],
    ),
    (
        "movetime-200",
        &[
            ("import sys\n", "import sys\nimport time\n"),
            (
                "        moves = position.moves()  #",
                "        time.sleep(0.5)\n        moves = position.moves()  #",
            ),
        ],
    ),
    (
        "output",
        &[(
            "        moves = position.moves()  #",
            "        print(\"thinking\")\n        moves = position.moves()  #",
        )],
    ),
    (
        "whole-game",
        &[
            (
                "position = Position(start := START[\"magnetic-cave\"])\nfor",
                "position = Position(start := START[\"magnetic-cave\"])\nseen = 0\nfor",
            ),
            (
                "        position = Position(setup.partition(\"fen\")[2] or start)\n",
                "",
            ),
            (
                "played.lower().split():\n            position.play(move)\n",
                "played.lower().split()[seen:]:\n            position.play(move)\n            seen += 1\n",
            ),
        ],
    ),
];

/// The bot with these changes, and always with its first good move.
fn changed(changes: &[Change]) -> String {
    let any = "random.choice(wins or moves or [\"0000\"])";
    let first = (any, "(wins or moves or [\"0000\"])[0]");
    changes
        .iter()
        .chain([&first])
        .fold(BOT.to_string(), |bot, (from, to)| {
            assert!(bot.contains(from), "the bot has changed: {from}");
            bot.replace(from, to)
        })
}

/// The parts of a failed check in a report: its name, the problem, the advice and others. A
/// part may have several lines. Numbers become `N`, because times differ.
fn parts(report: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let (_, failed) = report.split_once("  FAIL  ").unwrap_or_default();
    for line in failed.split("\n\n").next().unwrap_or_default().lines() {
        match parts.last_mut() {
            Some(last) if line.starts_with(&" ".repeat(18)) => last.extend([" ", &joined(line)]),
            _ => parts.push(joined(line)),
        }
    }
    // The time of the check follows its title.
    if let Some(title) = parts.first_mut() {
        let name = title
            .trim_end_matches(" ms")
            .trim_end_matches(|c: char| c.is_ascii_digit());
        *title = name.trim().into();
    }
    parts.iter().map(|part| without_numbers(part)).collect()
}

fn without_numbers(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        match c {
            '0'..='9' if !result.ends_with('N') => result.push('N'),
            '0'..='9' => {}
            // A decimal point.
            '.' if result.ends_with('N') => {}
            _ => result.push(c),
        }
    }
    result
}

/// What the chapter quotes of each mistake: a block with a failed check.
fn quoted() -> Vec<&'static str> {
    let (_, mistakes) = CHAPTER.split_once("\n## The most common mistakes\n").unwrap();
    let blocks = mistakes.split("```").skip(1).step_by(2);
    blocks.filter(|block| block.contains("  FAIL  ")).collect()
}

#[test]
#[ignore = "needs Python 3; .ci/run runs it"]
fn chapter_quotes_what_the_check_says_to_each_mistake() {
    let quoted = quoted();
    assert_eq!(quoted.len(), MISTAKES.len());
    for ((check, changes), quote) in MISTAKES.iter().zip(quoted) {
        let scene = Scene::new();
        scene.script("mybot", &changed(changes));
        let mut command = scene.command(&format!("check --only {check} ./mybot"));
        let outcome = run(command.env_remove("PYTHONUNBUFFERED"), "");
        println!("{}", outcome.stdout);
        assert_ne!(outcome.status, Some(2), "{outcome:?}");
        // On a busy machine, a sentence begins with the wait for a processor.
        let begin = "waited N ms for a processor, because other programs used them; without that, it ";
        let said: Vec<String> = parts(&outcome.stdout)
            .into_iter()
            .map(|part| part.replace(begin, ""))
            .collect();
        for part in parts(quote) {
            assert!(said.contains(&part), "{check}: {part}\nsaid: {said:#?}");
        }
    }
}

#[test]
fn chapter_shows_the_problem_and_the_advice_for_each_mistake() {
    for ((check, changes), quote) in MISTAKES.iter().zip(quoted()) {
        assert_ne!(changed(changes), BOT);
        let parts = parts(quote);
        assert_starts(&parts[0], without_numbers(&format!("{check} ")));
        for name in ["problem ", "try "] {
            assert!(
                parts.iter().any(|part| part.starts_with(name)),
                "{check}: {parts:?}"
            );
        }
    }
}
