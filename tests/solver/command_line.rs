//! The arguments of `lodestone-solver` that all commands share.

use std::process::{Command, Output};

fn solver(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lodestone-solver-under-test"));
    command.args(arguments).output().unwrap()
}

#[test]
fn help_names_each_command_and_fits_a_narrow_terminal() {
    let help = |arguments: &[&str]| {
        let output = solver(arguments);
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= 40, "{line}");
        }
        text
    };
    let all = help(&["--help"]);
    for command in ["solve", "tables", "book"] {
        let way = format!("  lodestone-solver {command} --");
        assert!(all.contains(&way), "{all}");
        let own = help(&[command, "--help"]);
        assert!(own.contains(&way) && own.contains("Exit status:"), "{own}");
    }
}

#[test]
fn version_is_that_of_the_engine() {
    let output = solver(&["--version"]);
    let expected = format!("lodestone-solver {}\n", lodestone_game::VERSION);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn wrong_arguments_are_refused() {
    for (arguments, error) in [
        (&[][..], "expected a command"),
        (&["bench"], "unknown arguments: bench"),
        (&["--help", "solve"], "unknown arguments: --help solve"),
    ] {
        let output = solver(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let message = String::from_utf8(output.stderr).unwrap();
        let start = format!("lodestone-solver: {error}\n\nComputes ");
        assert!(message.starts_with(&start), "{message}");
    }
}
