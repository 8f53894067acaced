//! Counts of games and of pairs of games, as one of the two players sees them.
//!
//! Counts are added (`+`), so those of several runs or files make one, and
//! turned round, which gives the other player's view. A sum that would not fit
//! stays at the largest number.

use std::ops::{Add, AddAssign};

use serde::Serialize;

/// What one game brought a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// Nothing.
    Loss,
    /// Half a point.
    Draw,
    /// A point.
    Win,
}

impl Points {
    /// What the same game brought the other player.
    #[must_use]
    pub const fn reversed(self) -> Points {
        match self {
            Points::Loss => Points::Win,
            Points::Draw => Points::Draw,
            Points::Win => Points::Loss,
        }
    }
}

/// Games, counted by what each brought the player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trinomial {
    /// Games won.
    pub wins: u64,
    /// Games drawn; `ties` in JSON.
    #[serde(rename = "ties")]
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Trinomial {
    /// How many games.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// A win is a point, a tie half of one.
    #[must_use]
    pub const fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The same games as the other player sees them.
    #[must_use]
    pub const fn reversed(&self) -> Trinomial {
        Trinomial {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// The share of draws among the games, from 0 to 1; `None` without games.
    #[must_use]
    pub fn draw_ratio(&self) -> Option<f64> {
        ratio(self.draws, self.games())
    }
}

impl From<Points> for Trinomial {
    /// One game.
    fn from(points: Points) -> Trinomial {
        Trinomial {
            wins: u64::from(points == Points::Win),
            draws: u64::from(points == Points::Draw),
            losses: u64::from(points == Points::Loss),
        }
    }
}

impl Add for Trinomial {
    type Output = Trinomial;

    fn add(self, other: Trinomial) -> Trinomial {
        Trinomial {
            wins: self.wins.saturating_add(other.wins),
            draws: self.draws.saturating_add(other.draws),
            losses: self.losses.saturating_add(other.losses),
        }
    }
}

impl AddAssign for Trinomial {
    fn add_assign(&mut self, other: Trinomial) {
        *self = *self + other;
    }
}

/// Pairs of games, counted by what the two games of each brought the player. A
/// pair is one opening played twice, with the sides swapped.
///
/// A pair is counted only when both of its games are over: its first game alone
/// belongs to [`Sample::singles`] at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Both games lost: no point.
    pub loss_loss: u64,
    /// One lost, one tied: half a point.
    pub loss_draw: u64,
    /// One won, one lost: a point.
    pub win_loss: u64,
    /// Both tied: a point as well.
    pub draw_draw: u64,
    /// One tied, one won: one and a half points.
    pub win_draw: u64,
    /// Both won: two points.
    pub win_win: u64,
}

impl Pentanomial {
    /// One pair, from its two games in any order.
    #[must_use]
    pub const fn of_pair(games: [Points; 2]) -> Pentanomial {
        use Points::{Draw, Loss, Win};
        let mut pair = Pentanomial {
            loss_loss: 0,
            loss_draw: 0,
            win_loss: 0,
            draw_draw: 0,
            win_draw: 0,
            win_win: 0,
        };
        match games {
            [Loss, Loss] => pair.loss_loss = 1,
            [Loss, Draw] | [Draw, Loss] => pair.loss_draw = 1,
            [Loss, Win] | [Win, Loss] => pair.win_loss = 1,
            [Draw, Draw] => pair.draw_draw = 1,
            [Draw, Win] | [Win, Draw] => pair.win_draw = 1,
            [Win, Win] => pair.win_win = 1,
        }
        pair
    }

    /// The pairs that brought 0, ½, 1, 1½ and 2 points.
    #[must_use]
    pub const fn bins(&self) -> [u64; 5] {
        [
            self.loss_loss,
            self.loss_draw,
            self.win_loss.saturating_add(self.draw_draw),
            self.win_draw,
            self.win_win,
        ]
    }

    /// How many pairs.
    pub fn pairs(&self) -> u64 {
        self.bins().into_iter().fold(0, u64::saturating_add)
    }

    /// The games of the pairs, two of each.
    #[must_use]
    pub fn games(&self) -> Trinomial {
        let sum = |twice: u64, once: [u64; 2]| {
            let once = once.into_iter().fold(0, u64::saturating_add);
            once.saturating_add(twice.saturating_mul(2))
        };
        Trinomial {
            wins: sum(self.win_win, [self.win_draw, self.win_loss]),
            draws: sum(self.draw_draw, [self.win_draw, self.loss_draw]),
            losses: sum(self.loss_loss, [self.loss_draw, self.win_loss]),
        }
    }

    /// The same pairs as the other player sees them.
    #[must_use]
    pub const fn reversed(&self) -> Pentanomial {
        Pentanomial {
            loss_loss: self.win_win,
            loss_draw: self.win_draw,
            win_loss: self.win_loss,
            draw_draw: self.draw_draw,
            win_draw: self.loss_draw,
            win_win: self.loss_loss,
        }
    }

    /// The share of pairs that brought both players a point, from 0 to 1: what
    /// fastchess calls `DrawRatio` when it counts pairs. `None` without pairs.
    #[must_use]
    pub fn draw_ratio(&self) -> Option<f64> {
        let [_, _, even, _, _] = self.bins();
        ratio(even, self.pairs())
    }

    /// Pairs of more than a point for each pair of less, fastchess's
    /// `PairsRatio`: infinite where only the latter are missing, `None` where
    /// both are.
    #[must_use]
    pub fn pairs_ratio(&self) -> Option<f64> {
        let [none, half, _, more, all] = self.bins();
        ratio(more.saturating_add(all), none.saturating_add(half))
    }

    /// Even pairs in which each player won a game, for each in which both games
    /// were tied, fastchess's `WL/DD Ratio`: infinite where only the latter are
    /// missing, `None` where both are.
    #[must_use]
    pub fn wl_dd_ratio(&self) -> Option<f64> {
        ratio(self.win_loss, self.draw_draw)
    }
}

impl Add for Pentanomial {
    type Output = Pentanomial;

    fn add(self, other: Pentanomial) -> Pentanomial {
        Pentanomial {
            loss_loss: self.loss_loss.saturating_add(other.loss_loss),
            loss_draw: self.loss_draw.saturating_add(other.loss_draw),
            win_loss: self.win_loss.saturating_add(other.win_loss),
            draw_draw: self.draw_draw.saturating_add(other.draw_draw),
            win_draw: self.win_draw.saturating_add(other.win_draw),
            win_win: self.win_win.saturating_add(other.win_win),
        }
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        *self = *self + other;
    }
}

/// All that two players played: whole pairs, and games whose pair is not whole
/// or that never had one. No game is in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Whole pairs.
    pub pairs: Pentanomial,
    /// The other games.
    pub singles: Trinomial,
}

impl Sample {
    /// Every game, whether of a pair or not.
    #[must_use]
    pub fn games(&self) -> Trinomial {
        self.pairs.games() + self.singles
    }

    /// The same games as the other player sees them.
    #[must_use]
    pub const fn reversed(&self) -> Sample {
        Sample {
            pairs: self.pairs.reversed(),
            singles: self.singles.reversed(),
        }
    }
}

impl Add for Sample {
    type Output = Sample;

    fn add(self, other: Sample) -> Sample {
        Sample {
            pairs: self.pairs + other.pairs,
            singles: self.singles + other.singles,
        }
    }
}

impl AddAssign for Sample {
    fn add_assign(&mut self, other: Sample) {
        *self = *self + other;
    }
}

/// `None` for 0 of 0, infinite for anything else of 0.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (part > 0 || whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const ALL: [Points; 3] = [Points::Loss, Points::Draw, Points::Win];

    /// Pairs in the order of fastchess: LL, LD, WL, DD, WD, WW.
    pub(in super::super) fn pairs(counts: [u64; 6]) -> Pentanomial {
        let [loss_loss, loss_draw, win_loss, draw_draw, win_draw, win_win] = counts;
        Pentanomial {
            loss_loss,
            loss_draw,
            win_loss,
            draw_draw,
            win_draw,
            win_win,
        }
    }

    #[test]
    fn a_pair_has_the_games_it_was_made_of() {
        for one in ALL {
            for other in ALL {
                let pair = Pentanomial::of_pair([one, other]);
                let games = Trinomial::from(one) + Trinomial::from(other);
                assert_eq!(pair.games(), games);
                assert_eq!(pair.pairs(), 1);
                let bin = pair.bins().iter().position(|&count| count == 1).unwrap();
                assert_eq!(bin as f64 / 2.0, games.points(), "{one:?} {other:?}");
                assert_eq!(
                    pair.reversed(),
                    Pentanomial::of_pair([one.reversed(), other.reversed()])
                );
                assert_eq!(pair.reversed().games(), games.reversed());
            }
        }
    }

    #[test]
    fn ratios_are_those_of_fastchess() {
        let counts = pairs([34, 54, 31, 32, 64, 75]);
        assert_eq!(counts.bins(), [34, 54, 63, 64, 75]);
        assert_eq!(counts.pairs(), 290);
        assert_eq!(counts.draw_ratio(), Some(63.0 / 290.0));
        assert_eq!(counts.pairs_ratio(), Some(139.0 / 88.0));
        assert_eq!(counts.wl_dd_ratio(), Some(31.0 / 32.0));
        let games = counts.games();
        assert_eq!((games.wins, games.draws, games.losses), (245, 182, 153));
        assert_eq!(games.draw_ratio(), Some(182.0 / 580.0));
        assert_eq!(games.points(), 336.0);
    }

    #[test]
    fn ratios_of_nothing_are_undefined_and_those_to_nothing_infinite() {
        let nothing = Pentanomial::default();
        assert_eq!(nothing.draw_ratio(), None);
        assert_eq!(nothing.pairs_ratio(), None);
        assert_eq!(nothing.wl_dd_ratio(), None);
        assert_eq!(Trinomial::default().draw_ratio(), None);
        let won = pairs([0, 0, 1, 0, 0, 1]);
        assert_eq!(won.pairs_ratio(), Some(f64::INFINITY));
        assert_eq!(won.wl_dd_ratio(), Some(f64::INFINITY));
    }

    #[test]
    fn counts_that_do_not_fit_stay_at_the_largest() {
        let most = pairs([u64::MAX; 6]);
        assert_eq!(most + most, most);
        assert_eq!(most.games().games(), u64::MAX);
        assert_eq!(most.pairs(), u64::MAX);
    }
}
