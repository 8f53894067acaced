//! Swiss pairings: whoever has about as many points and has not met yet.
//!
//! Players are ranked by points, at first and among equals in the order in
//! which they were named. From the top down each is paired with somebody of
//! the same points, the upper half of them against the lower half; with
//! somebody of fewer points where nobody is left. Nobody meets an opponent
//! again, unless there is no other way. In an odd number the last who has not
//! been off yet is off for the round, which counts as won.
//!
//! These are the ideas of the Dutch system (FIDE Handbook C.04.3) without its
//! many rules on colours, which pairs of games with colours swapped do not
//! need.

use lodestone::game::GameResult;

/// What has happened to a player in the rounds before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// Twice the points.
    pub half_points: u64,
    /// The opponents so far, each as often as there was a game.
    pub opponents: Vec<usize>,
    /// How many games the player moved first in, minus those moved second.
    pub first_moves: i64,
    /// Whether the player has been off for a round.
    pub had_bye: bool,
}

/// The pairings of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Who plays whom; whoever moves first in the first game comes first.
    pub boards: Vec<[usize; 2]>,
    /// Who has no opponent.
    pub bye: Option<usize>,
}

/// Adds a game to what has happened.
pub fn remember(past: &mut [Past], seats: [usize; 2], result: GameResult) {
    let [first, second] = seats;
    let shares = match result {
        GameResult::Win(side) => [2 - 2 * side.index() as u64, 2 * side.index() as u64],
        GameResult::Draw => [1, 1],
    };
    for (player, opponent, share, moves) in [(first, second, shares[0], 1), (second, first, shares[1], -1)] {
        if let Some(past) = past.get_mut(player) {
            past.half_points += share;
            past.opponents.push(opponent);
            past.first_moves += moves;
        }
    }
}

/// The most rounds in which everybody can meet somebody new.
#[must_use]
pub const fn most_rounds(players: usize) -> u64 {
    let players = players as u64;
    if players.is_multiple_of(2) {
        players - 1
    } else {
        players
    }
}

/// As many rounds as it takes to leave one player without a loss: log₂ of the
/// number of players, rounded up.
#[must_use]
pub const fn usual_rounds(players: usize) -> u64 {
    players.next_power_of_two().trailing_zeros() as u64
}

/// The pairings of round number `round`, from 0, after this past of each
/// player.
#[must_use]
pub fn pair(past: &[Past], round: usize) -> Round {
    let mut ranking: Vec<usize> = (0..past.len()).collect();
    ranking.sort_by_key(|&player| (std::cmp::Reverse(half_points(past, player)), player));
    let bye = take_bye(past, &mut ranking);
    let mut search = Search {
        past,
        steps: MOST_STEPS,
        boards: Vec::new(),
    };
    let pairs = if search.pair(&mut ranking.clone()) {
        search.boards
    } else {
        pair_with_rematches(past, ranking)
    };
    let boards = pairs.into_iter().enumerate();
    let boards = boards
        .map(|(board, pair)| order(past, pair, board + round))
        .collect();
    Round { boards, bye }
}

fn half_points(past: &[Past], player: usize) -> u64 {
    past.get(player).map_or(0, |past| past.half_points)
}

fn have_met(past: &[Past], one: usize, other: usize) -> bool {
    past.get(one).is_some_and(|past| past.opponents.contains(&other))
}

/// Takes the player who is off out of an odd number.
fn take_bye(past: &[Past], ranking: &mut Vec<usize>) -> Option<usize> {
    if ranking.len().is_multiple_of(2) {
        return None;
    }
    let place = ranking
        .iter()
        .rposition(|&player| past.get(player).is_some_and(|past| !past.had_bye));
    Some(ranking.remove(place.unwrap_or(ranking.len() - 1)))
}

/// Who of a pair moves first in its first game: whoever did so less often, in
/// turns where both did as often.
fn order(past: &[Past], [one, other]: [usize; 2], turn: usize) -> [usize; 2] {
    let first_moves = |player: usize| past.get(player).map_or(0, |past| past.first_moves);
    let is_swapped = match first_moves(one).cmp(&first_moves(other)) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => !turn.is_multiple_of(2),
    };
    if is_swapped { [other, one] } else { [one, other] }
}

/// So many pairs are tried before somebody has to meet an opponent again. Far
/// more than a tournament needs whose rounds are fewer than half its players:
/// then there is always a way.
const MOST_STEPS: u32 = 200_000;

/// A search for pairings without rematches, depth first in the order in which
/// opponents are wanted.
struct Search<'a> {
    past: &'a [Past],
    /// How many more pairs may be tried.
    steps: u32,
    boards: Vec<[usize; 2]>,
}

impl Search<'_> {
    /// Pairs everybody in `ranking`, best first, if that can be done; the
    /// ranking is as before where it cannot.
    fn pair(&mut self, ranking: &mut Vec<usize>) -> bool {
        if ranking.is_empty() {
            return true;
        }
        let player = ranking.remove(0);
        for opponent in wanted(self.past, player, ranking) {
            if have_met(self.past, player, opponent) {
                continue;
            }
            if self.steps == 0 {
                break;
            }
            self.steps -= 1;
            let Some(place) = ranking.iter().position(|&other| other == opponent) else {
                continue;
            };
            ranking.remove(place);
            self.boards.push([player, opponent]);
            if self.pair(ranking) {
                return true;
            }
            self.boards.pop();
            ranking.insert(place, opponent);
        }
        ranking.insert(0, player);
        false
    }
}

/// The opponents of `player` among `rest`, who are ranked, the most wanted
/// first: of those with as many points the middle, then those around it; then
/// those with fewer points, best first.
fn wanted(past: &[Past], player: usize, rest: &[usize]) -> Vec<usize> {
    let points = half_points(past, player);
    let equals = rest
        .iter()
        .take_while(|&&other| half_points(past, other) == points)
        .count();
    // With the player there is one more; the upper half plays the lower.
    let middle = equals.div_ceil(2).saturating_sub(1);
    let mut order: Vec<usize> = (0..equals).collect();
    order.sort_by_key(|&place| (place.abs_diff(middle), place < middle));
    order.extend(equals..rest.len());
    order
        .into_iter()
        .filter_map(|place| rest.get(place).copied())
        .collect()
}

/// Pairs from the top down with whoever was met least often: where there is no
/// way without rematches.
fn pair_with_rematches(past: &[Past], mut ranking: Vec<usize>) -> Vec<[usize; 2]> {
    let mut boards = Vec::new();
    while ranking.len() >= 2 {
        let player = ranking.remove(0);
        let met = |opponent: usize| {
            let games = past.get(player).map_or(&[][..], |past| &past.opponents);
            games.iter().filter(|&&other| other == opponent).count()
        };
        let best = wanted(past, player, &ranking)
            .into_iter()
            .min_by_key(|&opponent| met(opponent));
        let place = best.and_then(|opponent| ranking.iter().position(|&other| other == opponent));
        let opponent = ranking.remove(place.unwrap_or(0));
        boards.push([player, opponent]);
    }
    boards
}

#[cfg(test)]
mod tests {
    use lodestone::board::Side;
    use lodestone::random::Random;

    use super::*;

    /// Plays rounds in which the better number wins more often; gives back all
    /// pairings and the past at the end.
    fn tournament(players: usize, rounds: u64, seed: u64) -> (Vec<Round>, Vec<Past>) {
        tournament_seen(players, rounds, seed, |_, _| {})
    }

    /// The same; `look` sees each game before it is played, with the past.
    fn tournament_seen(
        players: usize,
        rounds: u64,
        seed: u64,
        mut look: impl FnMut(&[Past], [usize; 2]),
    ) -> (Vec<Round>, Vec<Past>) {
        let mut random = Random::new(seed);
        let mut past = vec![Past::default(); players];
        let mut all = Vec::new();
        for number in 0..rounds {
            let round = pair(&past, number as usize);
            if let Some(player) = round.bye {
                past[player].half_points += 2;
                past[player].had_bye = true;
            }
            for &seats in &round.boards {
                look(&past, seats);
                let result = match random.below(4) {
                    0 => GameResult::Draw,
                    1 => GameResult::Win(Side::First),
                    _ => GameResult::Win(if seats[0] < seats[1] {
                        Side::First
                    } else {
                        Side::Second
                    }),
                };
                remember(&mut past, seats, result);
            }
            all.push(round);
        }
        (all, past)
    }

    #[test]
    fn everybody_plays_once_a_round_and_nobody_meets_again() {
        for players in 2..=61 {
            let rounds = usual_rounds(players);
            let (all, past) = tournament(players, rounds, players as u64);
            for round in &all {
                let mut seated: Vec<usize> = round.boards.iter().flatten().copied().collect();
                seated.extend(round.bye);
                seated.sort_unstable();
                assert_eq!(seated, (0..players).collect::<Vec<_>>());
            }
            for (player, past) in past.iter().enumerate() {
                let mut opponents = past.opponents.clone();
                opponents.sort_unstable();
                opponents.dedup();
                assert_eq!(
                    opponents.len(),
                    past.opponents.len(),
                    "{player} of {players} met somebody twice"
                );
            }
        }
    }

    #[test]
    fn a_long_tournament_is_paired_all_the_same() {
        for players in [4, 6, 7, 20, 60] {
            let (all, past) = tournament(players, most_rounds(players), 5);
            assert!(all.iter().all(|round| round.boards.len() == players / 2));
            let off = past.iter().filter(|past| past.had_bye).count();
            assert_eq!(off, if players % 2 == 1 { players } else { 0 });
        }
    }

    #[test]
    fn the_upper_half_meets_the_lower_half_first() {
        let boards = |players| {
            let mut boards = pair(&vec![Past::default(); players], 0).boards;
            for board in &mut boards {
                board.sort_unstable();
            }
            boards
        };
        assert_eq!(boards(6), [[0, 3], [1, 4], [2, 5]]);
        assert_eq!(boards(8), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(boards(7), [[0, 3], [1, 4], [2, 5]], "the last is off");
    }

    #[test]
    fn points_meet_equal_points() {
        let mut past = vec![Past::default(); 8];
        for (winner, loser) in [(4, 0), (1, 5), (2, 6), (7, 3)] {
            remember(&mut past, [winner, loser], GameResult::Win(Side::First));
        }
        for [one, other] in pair(&past, 1).boards {
            assert_eq!(past[one].half_points, past[other].half_points, "{one} {other}");
        }
    }

    #[test]
    fn who_has_the_fewest_points_is_off_and_only_once() {
        let mut past = vec![Past::default(); 5];
        for (winner, loser) in [(4, 0), (3, 1)] {
            remember(&mut past, [winner, loser], GameResult::Win(Side::First));
        }
        past[2].half_points = 2;
        past[2].had_bye = true;
        assert_eq!(pair(&past, 1).bye, Some(1), "the last of those without a point");
        past[1].had_bye = true;
        assert_eq!(pair(&past, 1).bye, Some(0));
        past[0].had_bye = true;
        assert_eq!(pair(&past, 1).bye, Some(4));
    }

    #[test]
    fn a_difference_in_points_stays_small() {
        let mut widest = 0;
        tournament_seen(60, 7, 1, |past, [one, other]| {
            widest = widest.max(past[one].half_points.abs_diff(past[other].half_points));
        });
        assert!(widest <= 4, "two points, in the smallest groups: {widest}");
    }

    #[test]
    fn who_moved_first_less_often_moves_first() {
        let mut past = vec![Past::default(); 4];
        remember(&mut past, [2, 0], GameResult::Draw);
        remember(&mut past, [1, 3], GameResult::Draw);
        let round = pair(&past, 1);
        for [first, second] in round.boards {
            assert!(past[first].first_moves <= past[second].first_moves);
        }
    }

    #[test]
    fn usual_numbers_of_rounds() {
        assert_eq!([2, 3, 4, 5, 8, 9, 60].map(usual_rounds), [1, 2, 2, 3, 3, 4, 6]);
    }
}
