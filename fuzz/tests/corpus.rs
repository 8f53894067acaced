//! Runs every input of the corpus, and a fixed sequence of mutations.

use fuzz::run::{Search, corpus, corpus_folder};
use fuzz::targets::{TARGETS, Target};

/// Number of mutations per target.
const MUTATIONS: usize = 500;

/// The stack of a thread, in bytes: that of a main thread, on which the programs read files. Nested TOML
/// takes more than the 2 MiB of a test's thread without optimisation.
const STACK: usize = 8 << 20;

/// Runs the corpus of every target, and this number of mutations of it.
fn run(mutations: usize) {
    let run = |target: &Target| {
        let inputs = corpus(target.name).unwrap();
        assert!(!inputs.is_empty(), "{} has inputs", target.name);
        let mut search = Search::new(target, inputs, 1);
        search.replay();
        for _ in 0..mutations {
            search.step();
        }
    };
    std::thread::scope(|scope| {
        for target in &TARGETS {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, || run(target)).unwrap();
        }
    });
}

#[test]
fn every_folder_of_the_corpus_belongs_to_a_target() {
    let root = corpus_folder("");
    for entry in std::fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(
            TARGETS.iter().any(|target| name.to_str() == Some(target.name)),
            "{} belongs to no target",
            name.display()
        );
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "slow: .ci/run"]
    fn properties_hold_for_the_corpus() {
        run(0);
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long: .ci/run --long"]
    fn properties_hold_for_mutations_of_the_corpus() {
        run(MUTATIONS);
    }
}
