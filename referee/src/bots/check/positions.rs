//! The positions that a bot must answer.

use lodestone::board::Move;
use lodestone::game::{AnyPosition, Setup, Variant};
use lodestone::protocol::{Command, Start};
use lodestone::random::Random;

/// A position as a `position` command gives it: a start and moves.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    start: Start,
    moves: Vec<String>,
    position: Box<dyn AnyPosition>,
}

impl Placed {
    /// The protocol's `startpos`.
    pub(super) fn startpos(variant: Variant) -> Placed {
        Placed {
            start: Start::Startpos,
            moves: Vec::new(),
            position: variant.startpos(),
        }
    }

    /// The position with this FEN; `startpos` if it is not one of this game.
    pub(super) fn fen(variant: Variant, fen: &str) -> Placed {
        match variant.parse_fen(fen) {
            Ok(position) => Placed::of(position),
            Err(error) => {
                log::error!("{fen}: {error}");
                Placed::startpos(variant)
            }
        }
    }

    /// This position, given as a FEN without moves.
    pub(super) fn of(position: Box<dyn AnyPosition>) -> Placed {
        Placed {
            start: Start::Fen(position.fen()),
            moves: Vec::new(),
            position,
        }
    }

    /// Plays a move.
    pub(super) fn play(&mut self, mv: Move) {
        self.moves.push(self.position.move_text(mv));
        self.position.play(mv);
    }

    /// Plays a legal move in its notation.
    pub(super) fn play_text(&mut self, text: &str) {
        if let Ok(mv) = self.position.parse_move(text) {
            self.play(mv);
        }
    }

    /// Whether a bot that knows `earlier` only has to play further moves.
    pub(super) fn continues(&self, earlier: &Placed) -> bool {
        self.start == earlier.start && self.moves.starts_with(&earlier.moves)
    }

    /// Plays up to `plies` random moves, but does not end the game, and leaves a choice of
    /// moves.
    pub(super) fn play_randomly(&mut self, plies: usize, random: &mut Random) {
        for _ in 0..plies {
            let moves = self.position.legal_moves();
            let Some(&mv) = random.choose(&moves) else { return };
            let mut next = self.position.boxed_clone();
            next.play(mv);
            if next.legal_moves().len() < 2 {
                return;
            }
            self.play(mv);
        }
    }

    /// The position itself.
    pub(super) fn position(&self) -> &dyn AnyPosition {
        self.position.as_ref()
    }

    /// The number of moves after the start.
    pub(super) fn len(&self) -> usize {
        self.moves.len()
    }

    /// The `position` command.
    pub(super) fn command(&self) -> String {
        let command = Command::Position {
            start: self.start.clone(),
            moves: self.moves.clone(),
        };
        command.to_string()
    }
}

/// How a position is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PositionKind {
    /// `startpos` and moves.
    Moves,
    Fen,
    FenAndMoves,
}

/// A random position with a choice of moves. In a game with pieces and turns, those given by
/// FEN begin with a random placement.
pub(super) fn random_position(variant: Variant, kind: PositionKind, random: &mut Random) -> Placed {
    let longest = variant.startpos().plies_left();
    let plies = random.below(u64::from(longest)) as usize;
    if kind == PositionKind::Moves {
        let mut placed = Placed::startpos(variant);
        placed.play_randomly(plies, random);
        return placed;
    }
    let setup = Setup {
        pieces: 1 + random.below(12) as u32,
        turns: 40 + random.below(40) as u32,
    };
    let mut before = Placed::of(variant.random_start(setup, random));
    let after = if kind == PositionKind::Fen { 0 } else { plies / 2 };
    before.play_randomly(plies - after, random);
    let mut placed = Placed::of(before.position);
    placed.play_randomly(after, random);
    placed
}

/// Two long games up to the last position with a choice of moves. In a game with pieces and
/// turns, a third one is longer.
pub(super) fn long_games(variant: Variant) -> Vec<Placed> {
    let mut random = Random::new(1);
    let mut starts = vec![Placed::startpos(variant); 2];
    if variant.info().has_setup {
        let setup = Setup {
            pieces: 5,
            turns: 200,
        };
        starts.push(Placed::of(variant.random_start(setup, &mut random)));
    }
    starts
        .into_iter()
        .map(|start| longest_game(&start, &mut random))
        .collect()
}

/// The longest of some random games.
fn longest_game(start: &Placed, random: &mut Random) -> Placed {
    /// In Magnetic Cave one random game in fifty fills the board.
    const GAMES: usize = 200;
    let mut longest = start.clone();
    for _ in 0..GAMES {
        let mut game = start.clone();
        game.play_randomly(usize::MAX, random);
        if game.len() > longest.len() {
            longest = game;
        }
        if longest.position.plies_left() <= 2 {
            break;
        }
    }
    longest
}

/// The position after the first `plies` moves of a game.
pub(super) fn prefix(game: &Placed, variant: Variant, plies: usize) -> Placed {
    let mut placed = match &game.start {
        Start::Startpos => Placed::startpos(variant),
        Start::Fen(fen) => Placed::fen(variant, fen),
    };
    for text in game.moves.iter().take(plies) {
        placed.play_text(text);
    }
    placed
}

/// FENs that bots often read wrongly.
pub(super) const fn fens(variant: Variant) -> &'static [&'static str] {
    match variant {
        Variant::MagneticCave => &[
            // The start, and the second player to move.
            "8/8/8/8/8/8/8/8 x",
            "x7/8/8/8/8/8/8/8 o",
            "x6o/x6o/xx4oo/8/8/8/8/8 x",
            "x6o/x6o/xx4oo/7x/8/8/8/8 o",
            // Bricks that touch neither a wall nor another brick support their neighbours, too.
            "8/3x4/8/8/4o3/8/8/8 x",
            // Digits between bricks, and full ranks.
            "o2xx2o/8/oxoxoxox/1x4o1/8/8/8/x6o x",
            "1oxoxoxo/xoxoxox1/8/8/8/8/8/8 x",
        ],
        Variant::Gridlock => &[
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40",
            // The side to move and the turns played do not depend on each other.
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 o 0 40",
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 7 40",
            // One piece, and 24 pieces.
            "x6/7/7/7/7/7/6o x 0 40",
            "xoxoxox/oxoxoxo/xoxoxox/oxo1xox/oxoxoxo/xoxoxox/oxoxoxo o 3 60",
            // The last turn, and a long game.
            "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 o 39 40",
            "xo5/7/7/7/7/7/5xo x 999 1000",
        ],
    }
}

/// Positions with a single legal move.
pub(super) const fn only_moves(variant: Variant) -> &'static [&'static str] {
    match variant {
        Variant::MagneticCave => &[
            "1xoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo o",
            "oxoxoxox/oxoxoxox/xoxoxoxo/xox1xoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo o",
            "oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxox1 o",
        ],
        Variant::Gridlock => &[
            "xo5/7/7/7/7/7/7 x 0 40",
            "xo5/xo5/7/7/7/7/7 x 12 40",
            "7/7/7/7/7/7/5xo o 39 40",
        ],
    }
}

/// Positions in which the game is over, with the moves that end it where there are any.
pub(super) fn finished(variant: Variant) -> Vec<Placed> {
    let ended = |fen: &str, moves: &[&str]| {
        let mut placed = if fen.is_empty() {
            Placed::startpos(variant)
        } else {
            Placed::fen(variant, fen)
        };
        for text in moves {
            placed.play_text(text);
        }
        placed
    };
    match variant {
        Variant::MagneticCave => vec![
            ended("", &["a8", "h8", "a7", "h7", "a6", "h6", "a5", "h5", "a4"]),
            ended(
                "oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo/oxoxoxox/oxoxoxox/xoxoxoxo/xoxoxoxo x",
                &[],
            ),
        ],
        Variant::Gridlock => vec![
            ended("xxo4/xxo4/oo5/7/5oo/4oxx/4oxx x 10 40", &[]),
            ended("4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 39 40", &["b2a2"]),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fens_are_positions_with_moves() {
        for &variant in Variant::ALL {
            for fen in fens(variant) {
                let position = variant
                    .parse_fen(fen)
                    .unwrap_or_else(|error| panic!("{fen}: {error}"));
                assert!(
                    position.outcome().is_none() && !position.legal_moves().is_empty(),
                    "{fen}"
                );
                assert_eq!(position.fen(), *fen);
            }
        }
    }

    #[test]
    fn only_moves_are_single() {
        for &variant in Variant::ALL {
            for fen in only_moves(variant) {
                let position = variant
                    .parse_fen(fen)
                    .unwrap_or_else(|error| panic!("{fen}: {error}"));
                assert_eq!(position.legal_moves().len(), 1, "{fen}");
            }
        }
    }

    #[test]
    fn finished_games_have_no_moves() {
        for &variant in Variant::ALL {
            for placed in finished(variant) {
                assert!(placed.position().outcome().is_some(), "{}", placed.command());
            }
        }
    }

    #[test]
    fn random_positions_have_moves_and_both_kinds_of_start() {
        for &variant in Variant::ALL {
            let mut random = Random::new(1);
            let mut lengths = 0;
            for number in 0..200 {
                let kind = [PositionKind::Moves, PositionKind::Fen, PositionKind::FenAndMoves][number % 3];
                let placed = random_position(variant, kind, &mut random);
                assert!(placed.position().legal_moves().len() > 1, "{}", placed.command());
                let is_startpos = placed.command().starts_with("position startpos");
                assert_eq!(is_startpos, kind == PositionKind::Moves);
                assert!(kind != PositionKind::Fen || placed.len() == 0);
                lengths += placed.len();
            }
            assert!(lengths > 200 * 5);
        }
    }

    #[test]
    fn long_games_fill_the_board_or_reach_the_turn_limit() {
        let lengths = |variant| long_games(variant).iter().map(Placed::len).collect::<Vec<_>>();
        assert_eq!(lengths(Variant::MagneticCave), [62, 62]);
        assert_eq!(lengths(Variant::Gridlock), [39, 39, 199]);
        let game = &long_games(Variant::Gridlock)[2];
        let whole = prefix(game, Variant::Gridlock, 199);
        assert_eq!(whole.command(), game.command());
    }
}
