//! Help, completions, man pages, versions and messages: what a user sees before a game.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use lodestone_game::Variant;

use crate::driver::Driver;
use crate::support::{Scene, assert_has, assert_has_all, assert_lacks, assert_starts, example, rows, run};

/// The visible commands.
const COMMANDS: [&str; 18] = [
    "match",
    "ladder",
    "tune",
    "play",
    "serve",
    "openings",
    "report",
    "show",
    "analyze",
    "check",
    "grade",
    "collect",
    "rules",
    "verify",
    "adapt",
    "new-bot",
    "new-rules",
    "completions",
];

/// The internal commands.
const INTERNAL: [&str; 2] = ["launch", "builtin"];

/// What the referee prints on a terminal of this width, without escape sequences.
fn on_terminal(scene: &Scene, columns: u16, line: &str) -> String {
    let script = format!("TERM=dumb NO_COLOR=1 \"$REFEREE\" {line}; true");
    Driver::shell_on_terminal(scene, &script, (24, columns)).ends(0)
}

/// Asserts that no line is wider than the terminal. A single word may be, such as a path.
fn assert_fits(text: &str, columns: u16, line: &str) {
    for row in text.lines() {
        let words = row.trim_end_matches('\\').split_whitespace().count();
        let fits = row.chars().count() <= usize::from(columns) || words == 1;
        assert!(fits, "{line} at {columns} columns: {row}\n{text}");
    }
}

#[test]
fn errors_are_wrapped_between_words() {
    let scene = Scene::new();
    let long = "a-rather-long-name-of-a-bot";
    for line in [
        "match random plain --variant gridlok",
        "match --engine dpeth=3",
        "match random --board --quiet",
        "match mobility random",
        "match nowhere random",
        "match -engine cmd=a -engine cmd=b -rounds 10 -resign x -log y",
    ] {
        let text = on_terminal(&scene, 40, line);
        assert!(text.lines().count() > 1, "{text}");
        assert_fits(&text, 40, line);
    }
    // In a pipe, nothing is wrapped; a long list is a line of its own.
    let error = scene.referee(&format!("match {long} random")).stderr;
    assert_eq!(error.lines().count(), 2, "{error}");
}

#[test]
fn the_short_help_is_short_and_the_long_help_has_examples() {
    let scene = Scene::new();
    for command in [""].into_iter().chain(COMMANDS) {
        let short = scene.referee(&format!("{command} -h")).stdout;
        let long = scene.referee(&format!("{command} --help")).stdout;
        assert!(short.lines().count() < long.lines().count(), "{command}");
        assert!(
            !short.contains("Examples:") && short.contains("--help"),
            "{short}"
        );
        let (_, examples) = long.split_once("\nExamples:\n").unwrap();
        let count = examples.matches("    referee").count();
        assert!(count >= 2, "{long}");
        assert_has(&long, "\nExit status:\n");
        for name in INTERNAL {
            assert!(!long.contains(&format!("  {name} ")), "{long}");
        }
    }
    let help = scene.referee("match -h").stdout;
    assert!(help.lines().count() <= 45, "{help}");
    let headings: Vec<&str> = help
        .lines()
        .filter(|line| !line.starts_with(' '))
        .filter_map(|line| line.strip_suffix(':'))
        .collect();
    assert!(
        headings.len() >= 7 && headings.contains(&"Display"),
        "{headings:?}"
    );
    let players = "More players, such as `squares`; the first has the rating 0";
    assert_has(scene.referee("ladder -h").stdout, players);
}

#[test]
fn bash_completes_commands_options_and_names() {
    let scene = Scene::new();
    scene.file("script", &scene.referee("completions bash").stdout);
    scene.file("engine", &scene.referee("completions bash lodestone").stdout);
    let complete = |words: &str| {
        let program = words.split(' ').next().unwrap();
        let test = format!(
            "source ./script; source ./engine; COMP_WORDS=({words}); \
             COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _{program} {program} \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             echo ${{COMPREPLY[@]}}"
        );
        let mut bash = Command::new("bash");
        bash.args(["-c", &test]).current_dir(scene.path(""));
        run(&mut bash, "").succeeds().stdout.trim().to_string()
    };
    let games = Variant::ALL.iter().map(|variant| variant.name());
    let games: Vec<&str> = games.collect();
    for [words, completion] in rows(&format!(
        "referee m | match
         referee match sq | squares
         referee match squares --save | --save-config
         referee match --variant '' | {}
         referee play --first g | groups
         referee completions bash l | lodestone
         lodestone b | bench
         lodestone --s | --single-thread",
        games.join(" ")
    )) {
        assert_eq!(complete(words), completion, "{words}");
    }
    for name in INTERNAL {
        assert_eq!(complete(&format!("referee {}", &name[..3])), "", "{name}");
    }
}

#[test]
fn scripts_of_all_shells_have_names_but_no_internal_command() {
    let scene = Scene::new();
    let completions = |shell: &str| scene.referee(&format!("completions {shell}")).succeeds().stdout;
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = completions(shell);
        assert_has(&script, "save-config");
        for (name, sign) in INTERNAL
            .iter()
            .flat_map(|name| ["'", "\"", " "].map(|sign| (name, sign)))
        {
            assert_lacks(&script, format!("{sign}{name}{sign}"));
        }
        if ["zsh", "fish", "bash"].contains(&shell) {
            assert_has_all(&script, ["gridlock", "squares"]);
        }
        let script = completions(&format!("{shell} lodestone"));
        assert_has_all(&script, ["single-thread", "bench"]);
        assert_lacks(&script, "concurrency");
    }
    // A player may be a file.
    assert_has_all(
        completions("zsh"),
        [":WHO:_referee_players'", "files:program:_files"],
    );
    assert_has(completions("fish"), "-r -F -a \"human");
}

#[test]
fn writes_a_man_page_for_each_command() {
    let scene = Scene::new();
    // Pages of an older version are replaced.
    for _ in 0..2 {
        run(
            Command::new(example("man-pages")).arg(scene.path("share/man1")),
            "",
        )
        .succeeds();
    }
    let pages = fs::read_dir(scene.path("share/man1")).unwrap();
    let names: BTreeSet<String> = pages
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected = COMMANDS.iter().map(|name| format!("referee-{name}.1"));
    let programs = [
        "referee.1",
        "lodestone.1",
        "lodestone-bench.1",
        "lodestone-games.1",
    ]
    .map(String::from);
    assert_eq!(names, expected.chain(programs).collect());
    let page = |name: &str| scene.text(&format!("share/man1/{name}.1"));
    let parts = [
        ".TH referee-match 1",
        "\\-\\-concurrency",
        "\n  tc=[MOVES/]SECONDS[+INC]\n",
        "\nExamples:\n",
        "\nExit status:\n",
    ];
    assert_has_all(page("referee-match"), parts);
    let parts = [".TH lodestone 1", "\\-\\-single\\-thread", "lodestone\\-bench(1)"];
    assert_has_all(page("lodestone"), parts);
    assert_lacks(page("referee"), "launch");
}

#[test]
fn version_names_the_target() {
    let scene = Scene::new();
    for line in ["--version", "-V"] {
        let outcome = scene.referee(line);
        assert_eq!(outcome.stdout, format!("referee {}\n", lodestone_game::VERSION));
    }
    let (version, details) = lodestone_game::VERSION.split_once(' ').unwrap();
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let target = details.trim_end_matches(')').rsplit(", ").next().unwrap();
    assert!(target.starts_with(std::env::consts::ARCH), "{details}");
}

#[test]
fn warnings_are_messages_of_the_referee() {
    let scene = Scene::new();
    for name in ["course/empty", "course/other"] {
        scene.folder(name);
    }
    scene.script("course/other/run", "#!/bin/sh\nexit\n");
    let warning = "course/empty has no file `run`";
    let line = "match --engines course --each st=x";
    scene.referee(line).exits(2);
    let line = "match --engines course";
    let plain = scene.referee(line).stderr;
    assert_starts(&plain, format!("referee: warning: not in the match: {warning}"));
    assert!(!plain.contains("submissions"), "no module path: {plain}");
    let empty = run(scene.command(line).env("RUST_LOG", ""), "").stderr;
    assert_eq!(empty, plain, "an empty RUST_LOG is none");
    let log = run(scene.command(line).env("RUST_LOG", "warn"), "").stderr;
    let first = log.lines().next().unwrap();
    assert!(
        first.contains("WARN  referee::matches::plan]") && first.contains(warning),
        "{log}"
    );
    let wrapped = on_terminal(&scene, 40, line);
    assert_starts(&wrapped, "referee: warning: not in the match:\n");
    assert_fits(&wrapped, 40, line);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn help_fits_every_terminal() {
        let scene = Scene::new();
        for columns in [40, 60, 80, 200] {
            for command in [""].into_iter().chain(COMMANDS) {
                for help in ["-h", "--help"] {
                    let line = format!("{command} {help}");
                    let text = on_terminal(&scene, columns, &line);
                    assert!(text.contains("Usage: "), "{text}");
                    assert_fits(&text, columns.min(100), &line);
                }
            }
        }
    }
}
