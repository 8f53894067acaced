//! Games whose final boards are printed in the report of a course project.

/// A printed game. The report gives only the last move; the others are one way to reach
/// the board.
pub struct PrintedGame {
    /// The board as printed: `X`, `O` and `-`, each row with its label. Row 1 is our rank
    /// 8.
    pub board: &'static str,
    /// All moves, in our notation.
    pub moves: &'static str,
    /// The result and its reason, in the words of a result file.
    pub result: &'static str,
    /// The result as a sentence.
    pub sentence: &'static str,
}

/// The three tournament rounds. The report calls the top row 1, so its G3 is our g6.
pub const PRINTED_GAMES: [PrintedGame; 3] = [
    PrintedGame {
        board: "
            1 - - - - - - - -
            2 - - - - - - O X
            3 O X X O O X O -
            4 X O X O O X O O
            5 X O X O X O O O
            6 X X O X X X O -
            7 O X O X - - O X
            8 X X X O - - - -",
        moves: "a1 a6 b1 h4 c1 d1 a3 g4 b6 f4 e4 a2 b2 c2 b3 h5 h7 g5 a5 b5 c6 c3 d3 d6 e3 d4 f3 e6 c4 g7 f5 \
                g3 h2 e5 d2 d5 a4 b4 f6 g2 c5 g6",
        result: "0-1 five",
        sentence: "o has six in line, g7 to g2",
    },
    PrintedGame {
        board: "
            1 X - - O X O X X
            2 - - - O X X O X
            3 X X O X O X O X
            4 - O X X O X O O
            5 O X X X X O X O
            6 X - O X O O O O
            7 - O X O X O O O
            8 X O X O - - - X",
        moves: "h7 h2 a6 a4 b4 h3 h6 g6 f6 g3 c4 f3 h8 e3 g8 g2 d4 g7 b6 f2 a1 e6 f7 f8 e2 h5 e8 g5 f5 e5 e4 \
                d2 e7 b1 d3 f4 d5 d8 g4 d7 c1 d1 c5 b5 a8 c6 h1 c3 c2 b2 d6 h4 a3",
        result: "1-0 five",
        sentence: "x has five in line, e7 to a3",
    },
    PrintedGame {
        board: "
            1 - - - - - - - -
            2 O X X O - - - -
            3 X O - O X O X O
            4 X O O O X O X X
            5 X O O O O X O X
            6 O X - O X X X X
            7 X - - - - - - X
            8 - - - - - - O O",
        moves: "h4 g4 f4 a7 b7 h6 g6 a3 h3 e4 g3 d4 c7 f6 h5 d7 g5 f5 f3 h1 b3 g1 e3 c4 a5 b4 a6 b6 a2 b5 h2 \
                c5 e6 d5 a4 d3 e5 d6",
        result: "0-1 five",
        sentence: "o has five in line, d7 to d3",
    },
];
