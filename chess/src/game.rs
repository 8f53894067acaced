//! The methods of a rules program.

use std::rc::Rc;

use cozy_chess::{Board, Color, File, Rank, Square};
use referee_rules::{GameResult, Grid, Rules, Setting};

use crate::position::Position;
use crate::tables::Tables;
use crate::{fen, notation};

/// Chess, or Chess960.
#[derive(Default)]
pub struct Chess {
    is_chess960: bool,
    /// Folders with Syzygy tables.
    syzygy_path: String,
    /// The folders of the tables, and the tables.
    tables: Option<(String, Tables)>,
}

impl Rules for Chess {
    type Position = Rc<Position>;

    fn start(&self) -> Rc<Position> {
        Rc::new(Position::new(Board::startpos(), 0, 1, None))
    }

    fn turn(&self, position: &Rc<Position>) -> bool {
        position.board.side_to_move() == Color::White
    }

    fn moves(&self, position: &Rc<Position>) -> Vec<String> {
        let moves = position.moves().into_iter();
        moves.map(|mv| position.word(mv, self.is_chess960)).collect()
    }

    fn play(&self, position: &Rc<Position>, mv: &str) -> Rc<Position> {
        match position.find(mv, self.is_chess960) {
            Some(mv) => Rc::new(position.after(mv)),
            // Only legal moves are played.
            None => Rc::clone(position),
        }
    }

    fn result(&self, position: &Rc<Position>) -> Option<GameResult> {
        position.end.map(|(result, _)| result)
    }

    fn name(&self) -> String {
        if self.is_chess960 { "Chess960" } else { "chess" }.into()
    }

    fn fen(&self, position: &Rc<Position>) -> Option<String> {
        Some(fen::write(position))
    }

    fn from_fen(&self, text: &str) -> Result<Rc<Position>, String> {
        fen::read(text, self.is_chess960).map(Rc::new)
    }

    fn reason(&self, position: &Rc<Position>) -> Option<String> {
        position.end.map(|(_, reason)| reason.to_string())
    }

    fn grid(&self, position: &Rc<Position>) -> Option<Grid> {
        let ranks = Rank::ALL.into_iter().rev();
        let squares = ranks.flat_map(|rank| File::ALL.map(|file| Square::new(file, rank)));
        let cells = squares.map(|square| match fen::piece_at(&position.board, square) {
            Some((piece, color)) => {
                let side = if color == Color::White { 'x' } else { 'o' };
                format!("{side}{}", fen::letter(piece, color))
            }
            None => ".".into(),
        });
        Some(Grid::new("a b c d e f g h", "8 7 6 5 4 3 2 1", cells))
    }

    fn notation(&self, position: &Rc<Position>, mv: &str) -> Option<String> {
        let mv = position.find(mv, self.is_chess960)?;
        Some(notation::write(position, mv))
    }

    fn parse(&self, position: &Rc<Position>, text: &str) -> Option<String> {
        let mv = notation::read(position, text)?;
        Some(position.word(mv, self.is_chess960))
    }

    fn is_legal(&self, position: &Rc<Position>, mv: &str) -> bool {
        position.find(mv, self.is_chess960).is_some()
    }

    fn proves(&self) -> bool {
        self.tables.is_some()
    }

    fn proven(&self, position: &Rc<Position>) -> Option<GameResult> {
        let (_, tables) = self.tables.as_ref()?;
        tables.result(position)
    }

    fn setup(&self, seed: u64) -> Option<Rc<Position>> {
        let number = (seed % 960) as u32;
        self.is_chess960
            .then(|| Rc::new(Position::new(Board::chess960_startpos(number), 0, 1, None)))
    }

    fn options(&mut self) -> Vec<Setting<'_>> {
        vec![
            Setting::check("UCI_Chess960", &mut self.is_chess960),
            Setting::text("SyzygyPath", &mut self.syzygy_path),
        ]
    }

    fn use_options(&mut self) -> Result<(), String> {
        let path = self.syzygy_path.as_str();
        if self.tables.as_ref().is_none_or(|(loaded, _)| loaded != path) {
            // The library keeps one set of tables.
            self.tables = None;
            if !path.is_empty() {
                self.tables = Some((path.to_string(), Tables::open(path)?));
            }
        }
        Ok(())
    }
}
