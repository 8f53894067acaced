//! Words that an output must not have are words of the program. After better words, such a test would pass whatever
//! happens, and no command would find it.

use std::fs;
use std::path::Path;

/// Words that come from a test or the system, or that have a name or number in them.
const OF_OTHERS: [&str; 5] = [
    "Faults of bot",
    "Ponder hits of other",
    "sent no move within N s; EFFORT",
    "key of the user",
    "Invalid argument",
];

/// The files with Rust code in a folder.
fn code(folder: &Path, all: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code(&path, all);
        } else if path.extension().is_some_and(|end| end == "rs") {
            all.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
}

/// The words of `assert_lacks(…, "words")` and `!text.contains("words")`: two at least, because one word is a fact.
fn absent_words(text: &str) -> impl Iterator<Item = &str> {
    let lacking = text.split("assert_lacks(").skip(1).filter_map(|rest| {
        let call = rest.split(';').next()?;
        call.rsplit('"').nth(1)
    });
    let contained = text.match_indices(".contains(\"").filter_map(|(at, begin)| {
        let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let is_negated = text[..at].trim_end_matches(is_of_name).ends_with('!');
        text[at + begin.len()..].split('"').next().filter(|_| is_negated)
    });
    let is_sentence = |words: &&str| {
        let letters = words.as_bytes().windows(3);
        let mut gaps = letters
            .filter(|gap| gap[1] == b' ' && gap[0].is_ascii_lowercase() && gap[2].is_ascii_lowercase());
        !words.contains('\\') && gaps.next().is_some()
    };
    lacking.chain(contained).filter(is_sentence)
}

#[test]
fn words_that_must_be_absent_are_those_of_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let [mut program, mut tests] = [Vec::new(), Vec::new()];
    for folder in [
        "core/src",
        "game/src",
        "referee/src",
        "serve/src",
        "statistics/src",
    ] {
        code(&root.join(folder), &mut program);
    }
    // The words in tests of the program do not count. Lines of one string are joined.
    let program: String = program
        .iter()
        .filter_map(|(_, text)| text.split("#[cfg(test)]\nmod ").next())
        .flat_map(|text| text.split("\\\n").map(str::trim_start))
        .collect();
    code(&root.join("tests/referee"), &mut tests);
    let mut count = 0;
    for (file, text) in tests.iter().filter(|(file, _)| !file.ends_with("absent.rs")) {
        for words in absent_words(text) {
            let is_known = OF_OTHERS.contains(&words) || program.contains(words);
            assert!(is_known, "{file}: nothing says {words:?}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}
