//! Results from Syzygy tablebases.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;

use cozy_chess::{BitBoard, Board, Color, Piece, Square};
use pyrrhic_rs::{DtzProbeValue, EngineAdapter, TableBases, WdlProbeResult};
use referee_rules::GameResult;

use crate::position::Position;

/// Plies of the fifty-move rule.
const FIFTY_MOVES: u32 = 100;

/// The most pieces of a table.
const MOST_PIECES: u32 = 7;

/// The moves of pieces, for the library.
#[derive(Clone)]
struct Attacks;

fn square(index: u64) -> Square {
    Square::index(index as usize & 63)
}

impl EngineAdapter for Attacks {
    fn pawn_attacks(color: pyrrhic_rs::Color, from: u64) -> u64 {
        let color = match color {
            pyrrhic_rs::Color::White => Color::White,
            pyrrhic_rs::Color::Black => Color::Black,
        };
        cozy_chess::get_pawn_attacks(square(from), color).0
    }

    fn knight_attacks(from: u64) -> u64 {
        cozy_chess::get_knight_moves(square(from)).0
    }

    fn bishop_attacks(from: u64, occupied: u64) -> u64 {
        cozy_chess::get_bishop_moves(square(from), BitBoard(occupied)).0
    }

    fn rook_attacks(from: u64, occupied: u64) -> u64 {
        cozy_chess::get_rook_moves(square(from), BitBoard(occupied)).0
    }

    fn queen_attacks(from: u64, occupied: u64) -> u64 {
        Attacks::bishop_attacks(from, occupied) | Attacks::rook_attacks(from, occupied)
    }

    fn king_attacks(from: u64) -> u64 {
        cozy_chess::get_king_moves(square(from)).0
    }
}

/// Queens, rooks, bishops, knights and pawns of White, and those of Black.
type Material = [[u8; 5]; 2];

/// The pieces of a material, as the names of tables order them.
const PIECES: [(Piece, char); 5] = [
    (Piece::Queen, 'Q'),
    (Piece::Rook, 'R'),
    (Piece::Bishop, 'B'),
    (Piece::Knight, 'N'),
    (Piece::Pawn, 'P'),
];

/// The index of pawns.
const PAWN: usize = 4;

/// Tables that have been found.
pub struct Tables {
    library: TableBases<Attacks>,
    /// The names of the tables that have both files, such as `KRvK`. The library must not look for others.
    names: HashSet<String>,
    /// The answers of [`Tables::has`].
    known: RefCell<HashMap<Material, bool>>,
}

/// The names of the complete files in a folder, without this ending.
fn files_in(folder: &str, ending: &str) -> HashSet<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let complete = files.filter(|file| file.metadata().is_ok_and(|data| data.len() % 64 == 16));
    let names = complete.filter_map(|file| file.file_name().into_string().ok());
    names
        .filter_map(|name| Some(name.strip_suffix(ending)?.to_string()))
        .collect()
}

/// The material of a position.
fn material(board: &Board) -> Material {
    [Color::White, Color::Black]
        .map(|color| PIECES.map(|(piece, _)| board.colored_pieces(color, piece).len() as u8))
}

/// The squares of White and Black, and of kings, queens, rooks, bishops, knights and pawns.
fn bitboards(board: &Board) -> [u64; 8] {
    let [white, black] = [Color::White, Color::Black].map(|color| board.colors(color));
    let pieces = |piece| board.pieces(piece);
    [
        white,
        black,
        pieces(Piece::King),
        pieces(Piece::Queen),
        pieces(Piece::Rook),
        pieces(Piece::Bishop),
        pieces(Piece::Knight),
        pieces(Piece::Pawn),
    ]
    .map(|squares| squares.0)
}

/// What separates folders.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// The folders without the drive, for a library that takes its colon for a separator. The drive becomes the
/// current one.
fn on_one_drive(folders: &[&str]) -> Result<Vec<String>, String> {
    let mut drives = HashSet::new();
    let mut rest = Vec::new();
    for folder in folders {
        match folder.split_once(':') {
            Some((drive, folder)) => {
                drives.insert(drive.to_ascii_uppercase());
                rest.push(folder.to_string());
            }
            None => rest.push((*folder).to_string()),
        }
    }
    if drives.len() > 1 {
        return Err("the folders of the Syzygy tables are on several drives; expected one".into());
    }
    if let Some(drive) = drives.iter().next() {
        std::env::set_current_dir(format!("{drive}:\\"))
            .map_err(|error| format!("drive `{drive}:`: {error}"))?;
    }
    Ok(rest)
}

impl Tables {
    /// Finds the tables in folders, separated by colons, or on Windows by semicolons.
    ///
    /// # Errors
    /// There are none.
    pub fn open(path: &str) -> Result<Tables, String> {
        let folders: Vec<&str> = path
            .split(SEPARATOR)
            .filter(|folder| !folder.is_empty())
            .collect();
        let all = |ending| -> HashSet<String> {
            folders
                .iter()
                .flat_map(|folder| files_in(folder, ending))
                .collect()
        };
        let distances = all(".rtbz");
        let names: HashSet<String> = all(".rtbw")
            .into_iter()
            .filter(|name| distances.contains(name))
            .collect();
        let none = || {
            format!(
                "there are no Syzygy tables (complete files such as `KRvK.rtbw` and `KRvK.rtbz`) in `{path}`; expected \
                 their folders, separated by `{SEPARATOR}`"
            )
        };
        if names.is_empty() {
            return Err(none());
        }
        let library = TableBases::new(on_one_drive(&folders)?.join(":")).map_err(|_| none())?;
        Ok(Tables {
            library,
            names,
            known: RefCell::default(),
        })
    }

    /// Whether there is the table of a material, and those of everything that can come of it.
    fn has(&self, material: &Material) -> bool {
        if let Some(known) = self.known.borrow().get(material) {
            return *known;
        }
        let found = self.finds(material);
        self.known.borrow_mut().insert(*material, found);
        found
    }

    fn finds(&self, material: &Material) -> bool {
        if *material == Material::default() {
            return true;
        }
        let side = |index: usize| -> String {
            let pieces = PIECES.iter().zip(material[index]);
            pieces.fold("K".to_string(), |name, ((_, sign), count)| {
                name + &sign.to_string().repeat(count.into())
            })
        };
        let [white, black] = [side(0), side(1)];
        let names = [format!("{white}v{black}"), format!("{black}v{white}")];
        if !names.iter().any(|name| self.names.contains(name)) {
            return false;
        }
        let places = (0..2).flat_map(|side| (0..PIECES.len()).map(move |piece| (side, piece)));
        let mut places = places.filter(|&(side, piece)| material[side][piece] > 0);
        places.all(|(side, piece)| {
            let mut captured = *material;
            captured[side][piece] -= 1;
            let promotes = |to: usize| {
                let mut promoted = captured;
                promoted[side][to] += 1;
                self.has(&promoted)
            };
            self.has(&captured) && (piece != PAWN || (0..PAWN).all(promotes))
        })
    }

    /// The result with perfect play, under the fifty-move rule.
    pub fn result(&self, position: &Position) -> Option<GameResult> {
        let board = &position.board;
        let has_castling = Color::ALL.iter().any(|&color| {
            let rights = board.castle_rights(color);
            rights.short.or(rights.long).is_some()
        });
        let is_small = board.occupied().len() <= MOST_PIECES;
        if has_castling || !is_small || !self.has(&material(board)) {
            return None;
        }
        let is_white = board.side_to_move() == Color::White;
        let en_passant = position.en_passant().map_or(0, |square| square as u32);
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(board);
        let value = self
            .library
            .probe_wdl(
                white, black, kings, queens, rooks, bishops, knights, pawns, en_passant, is_white,
            )
            .ok()?;
        let is_won = match value {
            WdlProbeResult::Win => true,
            WdlProbeResult::Loss => false,
            WdlProbeResult::Draw | WdlProbeResult::BlessedLoss | WdlProbeResult::CursedWin => {
                return Some(GameResult::Draw);
            }
        };
        let is_in_time = position.clock == 0 || self.is_in_time(position, en_passant);
        is_in_time.then(|| GameResult::win(is_won == is_white))
    }

    /// Whether the next capture or pawn move of a won position comes before the fifty-move rule.
    fn is_in_time(&self, position: &Position, en_passant: u32) -> bool {
        let board = &position.board;
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(board);
        let is_white = board.side_to_move() == Color::White;
        let clock = position.clock;
        let probed = self.library.probe_root(
            white, black, kings, queens, rooks, bishops, knights, pawns, clock, en_passant, is_white,
        );
        match probed.map(|result| result.root) {
            // Tables store some distances as one ply less.
            Ok(DtzProbeValue::DtzResult(root)) => u32::from(root.dtz) + position.clock < FIFTY_MOVES,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fen;

    /// A table in which White has the rook and always wins: the pieces for each side to move, then its value.
    const ROOK_WINS: [u8; 16] = [
        0x71, 0xe8, 0x23, 0x5d, 1, 0, 0x66, 0x44, 0xee, 0, 0x80, 4, 0x80, 0, 0, 0,
    ];

    #[test]
    fn a_table_counts_with_those_of_all_that_can_follow_and_without_castling() {
        let folder = std::env::temp_dir().join(format!("referee-chess-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for name in ["KQvK", "KRvK", "KBvK", "KNvK", "KPvK", "KPPvK"] {
            for ending in ["rtbw", "rtbz"] {
                fs::write(folder.join(format!("{name}.{ending}")), ROOK_WINS).unwrap();
            }
        }
        let tables = Tables::open(folder.to_str().unwrap()).unwrap();
        let position = |fen: &str| fen::read(fen, false).unwrap();
        let has = |fen: &str| tables.has(&material(&position(fen).board));
        assert!(has("4k3/8/8/8/8/8/P7/4K3 w") && has("4k3/p7/8/8/8/8/8/4K3 w"));
        assert!(!has("4k3/8/8/8/8/8/PP6/4K3 w"), "KQPvK is missing");
        let result = |fen: &str| tables.result(&position(fen));
        assert_eq!(result("4k3/8/8/8/8/8/8/R3K3 b"), Some(GameResult::win(true)));
        assert_eq!(result("4k2r/8/8/8/8/8/8/4K3 w"), Some(GameResult::win(false)));
        assert_eq!(result("4k3/8/8/8/8/8/8/R3K3 w Q"), None, "castling");
        drop(tables);
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn folders_are_on_one_drive() {
        assert_eq!(on_one_drive(&["a", "/b"]).unwrap(), ["a", "/b"]);
        let error = on_one_drive(&[r"C:\a", "b", r"d:\c"]).unwrap_err();
        assert!(error.contains("several drives"), "{error}");
        if cfg!(windows) {
            assert_eq!(on_one_drive(&[r"C:\a", r"c:\b"]).unwrap(), [r"\a", r"\b"]);
        }
    }
}
