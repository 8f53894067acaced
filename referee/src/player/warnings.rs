//! Warnings about a player that cost it nothing.

use crate::player::{Claim, Claimed};

/// Warnings about one player, over all of its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    /// Number of unsolicited lines.
    pub unsolicited: u64,
    /// Number of wrong answers to queries.
    pub wrong_claims: u64,
    /// Number of unanswered queries. The first one stops the queries, but several games may
    /// be running.
    pub unanswered: u64,
    /// Whether the user was warned of a wrong claim about a result, or of an illegal line.
    pub has_false_claims: bool,
    /// One claim of each kind that was shown to the user.
    shown: Vec<Claim>,
}

impl Warnings {
    /// Whether queries are still sent to the player.
    pub const fn answers_queries(&self) -> bool {
        self.unanswered == 0
    }

    /// Counts a claim. Returns whether it is the first of its kind.
    pub fn count(&mut self, claim: &Claim) -> bool {
        match &claim.answer {
            Claimed::Other(_) => self.wrong_claims += 1,
            Claimed::Nothing(_) => self.unanswered += 1,
        }
        let is_new = !self.shown.iter().any(|shown| is_same_kind(shown, claim));
        if is_new {
            self.shown.push(claim.clone());
        }
        is_new
    }
}

/// Wrong answers to the same query are one kind, missing answers another.
fn is_same_kind(one: &Claim, other: &Claim) -> bool {
    match (&one.answer, &other.answer) {
        (Claimed::Other(_), Claimed::Other(_)) => one.query == other.query,
        (Claimed::Nothing(_), Claimed::Nothing(_)) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use lodestone::protocol::{Query, Response};

    use super::*;

    fn claim(query: Query, answer: Claimed) -> Claim {
        Claim {
            query,
            position: "8/8/8/8/8/8/8/8 x".into(),
            rules: Response::False,
            answer,
        }
    }

    #[test]
    fn counts_all_and_reports_one_of_each_kind() {
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
