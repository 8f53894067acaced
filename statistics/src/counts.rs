//! Counts of games and of pairs of games, from one player's point of view.
//!
//! Counts of several runs or files are added with `+=`; sums saturate.
//! `reversed` gives the opponent's point of view.

use std::ops::AddAssign;

use serde::Serialize;

/// The result of one game for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Points {
    /// 0 points.
    Loss,
    /// ½ point.
    Draw,
    /// 1 point.
    Win,
}

impl Points {
    /// The opponent's result of the same game.
    #[must_use]
    pub const fn reversed(self) -> Points {
        match self {
            Points::Loss => Points::Win,
            Points::Draw => Points::Draw,
            Points::Win => Points::Loss,
        }
    }
}

/// Games, counted by result.
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
    /// The number of games.
    pub const fn games(&self) -> u64 {
        self.wins.saturating_add(self.draws).saturating_add(self.losses)
    }

    /// The total score: 1 point for a win, ½ for a draw.
    pub const fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// The same games from the opponent's point of view.
    #[must_use]
    pub const fn reversed(&self) -> Trinomial {
        Trinomial {
            wins: self.losses,
            draws: self.draws,
            losses: self.wins,
        }
    }

    /// The share of drawn games, from 0 to 1; `None` without games.
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

impl AddAssign for Trinomial {
    fn add_assign(&mut self, other: Trinomial) {
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
    }
}

/// Pairs of games, counted by the results of both games. A pair is one opening
/// played twice, with sides swapped.
///
/// Only complete pairs are counted. A single finished game of a pair may be
/// counted in [`Sample::singles`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial {
    /// Two losses: 0 points.
    pub loss_loss: u64,
    /// A loss and a draw: ½ point.
    pub loss_draw: u64,
    /// A win and a loss: 1 point.
    pub win_loss: u64,
    /// Two draws: 1 point.
    pub draw_draw: u64,
    /// A win and a draw: 1½ points.
    pub win_draw: u64,
    /// Two wins: 2 points.
    pub win_win: u64,
}

impl Pentanomial {
    /// One pair, from the results of its two games in either order.
    pub fn of_pair(games: [Points; 2]) -> Pentanomial {
        use Points::{Draw, Loss, Win};
        let mut pair = Pentanomial::default();
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

    /// The pentanomial counts: pairs with 0, ½, 1, 1½ and 2 points.
    pub const fn bins(&self) -> [u64; 5] {
        [
            self.loss_loss,
            self.loss_draw,
            self.win_loss.saturating_add(self.draw_draw),
            self.win_draw,
            self.win_win,
        ]
    }

    /// The number of pairs of games.
    pub fn pairs(&self) -> u64 {
        self.bins().into_iter().fold(0, u64::saturating_add)
    }

    /// The games of all pairs, two per pair.
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

    /// The same pairs from the opponent's point of view.
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

    /// The share of pairs with 1 point for each player, from 0 to 1:
    /// fastchess's `DrawRatio` for pairs. `None` without pairs.
    pub fn draw_ratio(&self) -> Option<f64> {
        let [_, _, even, _, _] = self.bins();
        ratio(even, self.pairs())
    }

    /// Pairs above 1 point divided by pairs below, fastchess's `PairsRatio`:
    /// infinite without pairs below, `None` without either.
    pub fn pairs_ratio(&self) -> Option<f64> {
        let [none, half, _, more, all] = self.bins();
        ratio(more.saturating_add(all), none.saturating_add(half))
    }

    /// Win-loss pairs divided by draw-draw pairs, fastchess's `WL/DD Ratio`:
    /// infinite without draw-draw pairs, `None` without either.
    pub fn wl_dd_ratio(&self) -> Option<f64> {
        ratio(self.win_loss, self.draw_draw)
    }
}

impl AddAssign for Pentanomial {
    fn add_assign(&mut self, other: Pentanomial) {
        self.loss_loss = self.loss_loss.saturating_add(other.loss_loss);
        self.loss_draw = self.loss_draw.saturating_add(other.loss_draw);
        self.win_loss = self.win_loss.saturating_add(other.win_loss);
        self.draw_draw = self.draw_draw.saturating_add(other.draw_draw);
        self.win_draw = self.win_draw.saturating_add(other.win_draw);
        self.win_win = self.win_win.saturating_add(other.win_win);
    }
}

/// The games of two players as a statistical sample: complete pairs, and single
/// games that belong to no complete pair. Each game is counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Complete pairs.
    pub pairs: Pentanomial,
    /// The other games.
    pub singles: Trinomial,
}

impl Sample {
    /// All games, those of pairs included.
    pub fn games(&self) -> Trinomial {
        let mut games = self.pairs.games();
        games += self.singles;
        games
    }

    /// The same games from the opponent's point of view.
    #[must_use]
    pub const fn reversed(&self) -> Sample {
        Sample {
            pairs: self.pairs.reversed(),
            singles: self.singles.reversed(),
        }
    }
}

impl AddAssign for Sample {
    fn add_assign(&mut self, other: Sample) {
        self.pairs += other.pairs;
        self.singles += other.singles;
    }
}

/// Counts of `N` evenly spaced outcomes from 0 to 1 in ascending order: `N` is 3
/// for a game (0, ½, 1) and 5 for a pair (0, ¼, ½, ¾, 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distribution<const N: usize>(pub [f64; N]);

impl From<&Trinomial> for Distribution<3> {
    fn from(games: &Trinomial) -> Self {
        Distribution([games.losses, games.draws, games.wins].map(|count| count as f64))
    }
}

impl From<&Pentanomial> for Distribution<5> {
    fn from(pairs: &Pentanomial) -> Self {
        Distribution(pairs.bins().map(|count| count as f64))
    }
}

impl<const N: usize> Distribution<N> {
    /// Games per observation: 1 for games, 2 for pairs.
    pub const GAMES: f64 = (N as f64 - 1.0) / 2.0;

    /// The outcomes, from 0 to 1.
    pub fn values() -> [f64; N] {
        std::array::from_fn(|place| place as f64 / (N as f64 - 1.0))
    }

    /// The number of observations.
    pub fn size(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The mean outcome; `None` without observations.
    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self
            .0
            .iter()
            .zip(Self::values())
            .map(|(count, value)| count * value)
            .sum();
        let size = self.size();
        (size > 0.0).then(|| sum / size)
    }

    /// The population variance, given the mean; NaN without observations.
    /// Exactly 0 where all outcomes are equal: sums of fewer than 2⁵¹ outcomes
    /// are exact.
    pub fn variance(&self, mean: f64) -> f64 {
        let squares = self.0.iter().zip(Self::values());
        let sum: f64 = squares.map(|(count, value)| count * (value - mean).powi(2)).sum();
        sum / self.size()
    }
}

/// `part / whole`: `None` for 0/0, otherwise infinite where `whole` is 0.
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (part > 0 || whole > 0).then(|| part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::pentanomial as pairs;

    const ALL: [Points; 3] = [Points::Loss, Points::Draw, Points::Win];

    #[test]
    fn pair_contains_its_two_games() {
        let mut sum = Sample::default();
        for first in ALL {
            for second in ALL {
                let pair = Pentanomial::of_pair([first, second]);
                let mut games = Trinomial::from(first);
                games += second.into();
                assert_eq!(pair.games(), games);
                assert_eq!(pair.pairs(), 1);
                let bin = pair.bins().iter().position(|&count| count == 1).unwrap();
                assert_eq!(bin as f64 / 2.0, games.points(), "{first:?} {second:?}");
                assert_eq!(
                    pair.reversed(),
                    Pentanomial::of_pair([first.reversed(), second.reversed()])
                );
                assert_eq!(pair.reversed().games(), games.reversed());
                sum.pairs += pair;
                sum.singles += games;
            }
        }
        assert_eq!(sum.pairs, pairs([1, 2, 2, 1, 2, 1]));
        assert_eq!(sum.pairs.games(), sum.singles);
        let (mut twice, mut reversed) = (sum, sum.reversed());
        twice += sum;
        reversed += sum.reversed();
        assert_eq!(twice.reversed().games(), reversed.games());
    }

    #[test]
    fn ratios_match_fastchess() {
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
    fn ratio_is_undefined_for_zero_over_zero_and_infinite_over_zero() {
        let empty = Pentanomial::default();
        assert_eq!(empty.draw_ratio(), None);
        assert_eq!(empty.pairs_ratio(), None);
        assert_eq!(empty.wl_dd_ratio(), None);
        assert_eq!(Trinomial::default().draw_ratio(), None);
        let won = pairs([0, 0, 1, 0, 0, 1]);
        assert_eq!(won.pairs_ratio(), Some(f64::INFINITY));
        assert_eq!(won.wl_dd_ratio(), Some(f64::INFINITY));
    }

    #[test]
    fn counts_saturate() {
        let most = pairs([u64::MAX; 6]);
        let mut twice = most;
        twice += most;
        assert_eq!(twice, most);
        assert_eq!(most.games().games(), u64::MAX);
        assert_eq!(most.pairs(), u64::MAX);
    }
}
