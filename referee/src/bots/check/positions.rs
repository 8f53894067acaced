//! The positions that a bot must answer.

use lodestone_game::Setup;
use lodestone_game::random::Random;
use referee_core::failure::Stop;
use referee_core::game::MoveSequence;
use referee_core::game::{FarStarts, Game, GameMove, MoveError, Position, Ruleset, STARTPOS, Thought};
use referee_core::io::interrupt;
use referee_core::io::untrusted::Untrusted;
use referee_core::schedule::openings::{OpeningError, Openings};

/// The number of different starts in a check.
const STARTS: u64 = 16;

/// Where the games of a check begin.
#[derive(Clone, Debug)]
pub(crate) struct Starts {
    pub(super) ruleset: Ruleset,
    /// The first openings of a match; none where its games begin at the protocol's `startpos`.
    openings: Vec<Game>,
    /// What of all its openings a bot may not be able to play.
    pub(super) far: FarStarts,
}

impl Starts {
    /// The starts of a game without openings.
    pub(crate) fn of(ruleset: Ruleset) -> Starts {
        Starts {
            ruleset,
            openings: Vec::new(),
            far: FarStarts::default(),
        }
    }

    /// The first of these openings.
    ///
    /// # Errors
    /// The rules sent no answer.
    pub(crate) fn of_match(ruleset: Ruleset, openings: &mut Openings) -> Result<Starts, OpeningError> {
        let far = openings.far_starts().clone();
        let openings = (1..=STARTS).map(|number| openings.get(number));
        let openings = openings.map(|opening| Ok(Game::begun(&opening?)));
        Ok(Starts {
            ruleset,
            openings: openings.collect::<Result<_, OpeningError>>()?,
            far,
        })
    }

    /// The start with this number, from 0.
    pub(super) fn get(&self, number: u64) -> Game {
        let index = number % self.openings.len().max(1) as u64;
        let startpos = || Game::begun(&MoveSequence::new(self.ruleset, self.ruleset.startpos()));
        self.openings
            .get(index as usize)
            .cloned()
            .unwrap_or_else(startpos)
    }

    /// Whether this is one of them.
    pub(super) fn have(&self, game: &Game) -> bool {
        let line = game.line().start_and_moves();
        (0..STARTS).any(|number| self.get(number).line().start_and_moves() == line)
    }

    /// The first one.
    pub(super) fn first(&self) -> Game {
        self.get(0)
    }
}

/// This position, given as a FEN without moves.
pub(super) fn placed(position: Box<dyn Position>) -> Game {
    Game::begun(&MoveSequence::placed(position))
}

/// The position with this FEN; `startpos` if it is not one of this game.
pub(super) fn placed_by(ruleset: Ruleset, fen: &str) -> Game {
    match ruleset.parse_fen(fen) {
        Ok(position) => placed(position),
        Err(error) => {
            log::error!("{fen}: {error}");
            Starts::of(ruleset).first()
        }
    }
}

fn play(game: &mut Game, mv: GameMove) -> Result<(), Stop> {
    interrupt::check()?;
    game.play(mv, Thought::default())
}

/// Plays a legal move in its notation.
pub(super) fn play_text(game: &mut Game, text: &Untrusted) -> Result<(), Stop> {
    match game.position().parse_move(text.raw()) {
        Ok(mv) => play(game, mv),
        Err(MoveError::Stopped(stop)) => Err(stop),
        Err(_) => Ok(()),
    }
}

/// Whether a bot that knows `earlier` has to play further moves, and nothing else.
pub(super) fn continues(game: &Game, earlier: &Game) -> bool {
    game.moves().len() > earlier.moves().len() && game.line().continues(earlier.line())
}

/// Plays up to `plies` random moves, but does not end the game, and leaves a choice of
/// moves.
pub(super) fn play_randomly(game: &mut Game, plies: usize, random: &mut Random) -> Result<(), Stop> {
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        let Some(mv) = random.choose(&moves) else {
            break;
        };
        play(game, mv.clone())?;
        if game.position().legal_moves().len() < 2 {
            game.take_back();
            break;
        }
    }
    Ok(())
}

/// The most random moves before a position of a game that is not built in.
const OTHER_PLIES: u32 = 40;

/// How a position is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PositionKind {
    /// The start of a game and moves.
    Moves,
    Fen,
    FenAndMoves,
}

/// A random position with a choice of moves. In a game with pieces and turns, those given by
/// FEN begin with other numbers of them.
pub(super) fn random_position(
    starts: &Starts,
    kind: PositionKind,
    random: &mut Random,
) -> Result<Game, Stop> {
    let ruleset = starts.ruleset;
    let longest = match ruleset.variant() {
        Some(_) => ruleset.startpos().plies_left(),
        None => OTHER_PLIES,
    };
    let plies = random.below(u64::from(longest)) as usize;
    if kind == PositionKind::Moves || !ruleset.has_text() {
        let mut game = starts.get(random.below(STARTS));
        play_randomly(&mut game, plies, random)?;
        return Ok(game);
    }
    let setup = Setup {
        pieces: 1 + random.below(12) as u32,
        turns: 40 + random.below(40) as u32,
    };
    let mut before = if ruleset.info().has_setup {
        placed(ruleset.random_start(setup, random)?)
    } else {
        starts.get(random.below(STARTS))
    };
    let after = if kind == PositionKind::Fen { 0 } else { plies / 2 };
    play_randomly(&mut before, plies - after, random)?;
    let mut game = placed(before.position().boxed_clone());
    play_randomly(&mut game, after, random)?;
    Ok(game)
}

/// Two long games up to the last position with a choice of moves.
pub(super) fn long_games(starts: &Starts) -> Result<Vec<Game>, Stop> {
    let mut random = Random::new(1);
    let games = [starts.get(0), starts.get(1)];
    longest_games(&games, &mut random)
}

/// A longer game than those of a match, in a game with pieces and turns.
pub(super) fn other_long_games(starts: &Starts) -> Result<Vec<Game>, Stop> {
    const SETUP: Setup = Setup {
        pieces: 5,
        turns: 200,
    };
    let mut random = Random::new(1);
    let ruleset = starts.ruleset;
    if !ruleset.info().has_setup {
        return Ok(Vec::new());
    }
    let start = placed(ruleset.random_start(SETUP, &mut random)?);
    longest_games(&[start], &mut random)
}

/// The longest of some random games from each of these starts.
fn longest_games(starts: &[Game], random: &mut Random) -> Result<Vec<Game>, Stop> {
    // In Magnetic Cave one random game in fifty fills the board. A rules program takes more time.
    let is_built_in = |start: &Game| start.position().built_in().is_some();
    starts
        .iter()
        .map(|start| longest_game(start, if is_built_in(start) { 200 } else { 1 }, random))
        .collect()
}

/// The longest of some random games.
fn longest_game(start: &Game, games: usize, random: &mut Random) -> Result<Game, Stop> {
    let mut longest = start.clone();
    for _ in 0..games {
        let mut game = start.clone();
        play_randomly(&mut game, LONGEST, random)?;
        if game.moves().len() > longest.moves().len() {
            longest = game;
        }
        if longest.position().plies_left() <= 2 {
            break;
        }
    }
    Ok(longest)
}

/// The most moves of a random game.
const LONGEST: usize = 1000;

/// A game up to its first `plies` moves.
pub(super) fn prefix(game: &Game, plies: usize) -> Game {
    let mut game = game.clone();
    while game.moves().len() > plies {
        game.take_back();
    }
    game
}

/// FENs that bots often read wrongly.
pub(super) fn fens(starts: &Starts) -> Result<Vec<String>, Stop> {
    samples(starts, starts.ruleset.info().samples.fens, |moves| moves > 1)
}

/// Positions with a single legal move.
pub(super) fn only_moves(starts: &Starts) -> Result<Vec<String>, Stop> {
    samples(starts, starts.ruleset.info().samples.only_moves, |moves| {
        moves == 1
    })
}

/// The FENs that the game names; else positions of random games with a wanted number of moves.
fn samples(starts: &Starts, named: &[&str], is_wanted: fn(usize) -> bool) -> Result<Vec<String>, Stop> {
    if named.is_empty() {
        return other_fens(starts, is_wanted);
    }
    Ok(named.iter().map(ToString::to_string).collect())
}

/// Positions in which the game is over, with the moves that end it where there are any.
pub(super) fn finished(starts: &Starts) -> Result<Vec<Game>, Stop> {
    let ruleset = starts.ruleset;
    let named = ruleset.info().samples.finished.iter();
    let named = named.map(|(fen, moves)| {
        let mut game = match *fen {
            STARTPOS => Starts::of(ruleset).first(),
            fen => placed_by(ruleset, fen),
        };
        for text in *moves {
            play_text(&mut game, &Untrusted::from(*text))?;
        }
        Ok(game)
    });
    let mut games: Vec<Game> = named.collect::<Result<_, Stop>>()?;
    if games.is_empty() {
        games.push(other_game(starts.first(), &mut Random::new(1))?);
        games.retain(|game| game.position().outcome().is_some());
    }
    Ok(games)
}

/// A random game from this start.
fn other_game(mut game: Game, random: &mut Random) -> Result<Game, Stop> {
    while game.moves().len() < LONGEST {
        let moves = game.position().legal_moves();
        let Some(mv) = random.choose(&moves) else {
            break;
        };
        play(&mut game, mv.clone())?;
    }
    Ok(game)
}

/// Some positions of random games as text.
fn other_fens(starts: &Starts, is_wanted: fn(usize) -> bool) -> Result<Vec<String>, Stop> {
    const GAMES: u64 = 3;
    const POSITIONS: usize = 4;
    let mut random = Random::new(6);
    let mut fens = Vec::new();
    for number in (0..GAMES).filter(|_| starts.ruleset.has_text()) {
        let start = starts.get(number);
        let earlier = start.moves().len();
        let game = other_game(start, &mut random)?;
        let wanted = game.positions()[earlier..]
            .iter()
            .filter(|position| is_wanted(position.legal_moves().len()));
        let wanted: Vec<_> = wanted.collect();
        fens.extend((0..POSITIONS).filter_map(|_| Some(random.choose(&wanted)?.fen())));
    }
    fens.sort();
    fens.dedup();
    Ok(fens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(game: &Game) -> String {
        game.line().to_string()
    }

    #[test]
    fn positions_have_the_moves_that_they_are_for() {
        for &ruleset in Ruleset::ALL {
            let parse = |fen: &str| {
                ruleset
                    .parse_fen(fen)
                    .unwrap_or_else(|error| panic!("{fen}: {error}"))
            };
            for fen in fens(&Starts::of(ruleset)).unwrap() {
                let position = parse(&fen);
                assert!(
                    position.outcome().is_none() && !position.legal_moves().is_empty(),
                    "{fen}"
                );
                assert_eq!(position.fen(), fen);
            }
            for fen in only_moves(&Starts::of(ruleset)).unwrap() {
                assert_eq!(parse(&fen).legal_moves().len(), 1, "{fen}");
            }
            for game in finished(&Starts::of(ruleset)).unwrap() {
                assert!(game.position().outcome().is_some(), "{}", command(&game));
            }
        }
    }

    #[test]
    fn random_positions_have_moves_and_both_kinds_of_start() {
        for &ruleset in Ruleset::ALL {
            let mut random = Random::new(1);
            let mut lengths = 0;
            for number in 0..200 {
                let kind = [PositionKind::Moves, PositionKind::Fen, PositionKind::FenAndMoves][number % 3];
                let game = random_position(&Starts::of(ruleset), kind, &mut random).unwrap();
                assert!(game.position().legal_moves().len() > 1, "{}", command(&game));
                let is_startpos = command(&game).starts_with("position startpos");
                assert_eq!(is_startpos, kind == PositionKind::Moves);
                assert!(kind != PositionKind::Fen || game.moves().is_empty());
                lengths += game.moves().len();
            }
            assert!(lengths > 200 * 5);
        }
    }

    #[test]
    fn long_games_fill_the_board_or_reach_the_turn_limit() {
        let lengths = |ruleset| {
            long_games(&Starts::of(ruleset))
                .unwrap()
                .iter()
                .map(|game| game.moves().len())
                .collect::<Vec<_>>()
        };
        assert_eq!(lengths(Ruleset::MAGNETIC_CAVE), [62, 62]);
        assert_eq!(lengths(Ruleset::GRIDLOCK), [39, 39]);
        let game = &other_long_games(&Starts::of(Ruleset::GRIDLOCK)).unwrap()[0];
        assert_eq!(game.moves().len(), 199);
        let half = prefix(game, 99);
        assert_eq!(half.moves(), &game.moves()[..99]);
        assert!(continues(game, &half) && !continues(&half, game));
    }
}
