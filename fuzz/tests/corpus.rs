//! Every input of the corpus, and a few changes of them that are always the
//! same.

use fuzz::corpus;
use fuzz::run::Search;
use fuzz::targets::TARGETS;

/// How many mutations a target gets.
const MUTATIONS: usize = 1500;

#[test]
fn promises_are_kept_for_the_corpus_and_some_mutations_of_it() {
    for target in &TARGETS {
        let inputs = corpus::read(target.name).unwrap();
        assert!(!inputs.is_empty(), "{} has inputs", target.name);
        let mut search = Search::new(target, inputs, 1);
        search.replay();
        for _ in 0..MUTATIONS {
            search.step();
        }
    }
}

#[test]
fn every_folder_of_the_corpus_is_of_a_target() {
    let root = corpus::folder("");
    for entry in std::fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(
            TARGETS.iter().any(|target| name.to_str() == Some(target.name)),
            "{} is of no target",
            name.display()
        );
    }
}
