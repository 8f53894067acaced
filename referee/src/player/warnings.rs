//! What was noticed of a player that costs it nothing.

use crate::player::{Claim, Claimed};

/// What was noticed of one player, by all of its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// Lines that it wrote out of turn.
    pub unsolicited: u64,
    /// Answers to questions that are not those of the rules.
    pub wrong_claims: u64,
    /// Questions that it did not answer. Behind the first one it is asked
    /// nothing any more, but several games may be played at a time.
    pub unanswered: u64,
    /// Those that the user was told of, one of a kind.
    told: Vec<Claim>,
}

impl Warnings {
    /// Whether the player is still asked what it makes of a position.
    #[must_use]
    pub const fn answers_queries(&self) -> bool {
        self.unanswered == 0
    }

    /// Counts a claim; whether it is the first of its kind.
    pub fn count(&mut self, claim: &Claim) -> bool {
        match &claim.answer {
            Claimed::Other(_) => self.wrong_claims += 1,
            Claimed::Nothing(_) => self.unanswered += 1,
        }
        let is_new = !self.told.iter().any(|told| is_same_kind(told, claim));
        if is_new {
            self.told.push(claim.clone());
        }
        is_new
    }
}

/// Wrong answers to the same question are alike, and so are all that are missing.
fn is_same_kind(one: &Claim, other: &Claim) -> bool {
    match (&one.answer, &other.answer) {
        (Claimed::Other(_), Claimed::Other(_)) => one.question == other.question,
        (Claimed::Nothing(_), Claimed::Nothing(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use lodestone::protocol::{Query, Response};

    use super::*;

    fn claim(question: Query, answer: Claimed) -> Claim {
        Claim {
            question,
            position: "8/8/8/8/8/8/8/8 x".into(),
            rules: Response::False,
            answer,
        }
    }

    #[test]
    fn everything_is_counted_and_told_of_once_a_kind() {
        let mut warnings = Warnings::default();
        let wrong = |question, text: &str| claim(question, Claimed::Other(text.into()));
        assert!(warnings.count(&wrong(Query::GameOver, "true")));
        assert!(!warnings.count(&wrong(Query::GameOver, "perhaps")));
        assert!(warnings.count(&wrong(Query::Result, "draw")));
        assert!(warnings.answers_queries());
        assert!(warnings.count(&claim(Query::GameOver, Claimed::Nothing("it ended"))));
        assert!(!warnings.count(&claim(Query::Result, Claimed::Nothing("it slept"))));
        assert!(!warnings.answers_queries());
        assert_eq!((warnings.wrong_claims, warnings.unanswered), (3, 2));
    }
}
