// Plays a legal point beside the most stones of the opponent, nearest to the centre.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

using Board = std::vector<std::string>;
const int SIZE = 5;

static std::vector<std::pair<int, int>> beside(int row, int column) {
    std::vector<std::pair<int, int>> cells;
    if (row > 0) cells.push_back({row - 1, column});
    if (row < SIZE - 1) cells.push_back({row + 1, column});
    if (column > 0) cells.push_back({row, column - 1});
    if (column < SIZE - 1) cells.push_back({row, column + 1});
    return cells;
}

// Whether the group of this stone has a liberty; `seen` has its stones.
static bool lives(const Board &board, int row, int column, Board &seen) {
    seen[row][column] = 'x';
    bool found = false;
    for (auto [r, c] : beside(row, column)) {
        if (board[r][c] == '0') found = true;
        else if (board[r][c] == board[row][column] && seen[r][c] != 'x' && lives(board, r, c, seen)) found = true;
    }
    return found;
}

// The board after a move, empty if the move is illegal.
static Board after(Board board, const Board &previous, char player, int row, int column) {
    if (board[row][column] != '0') return {};
    board[row][column] = player;
    for (auto [r, c] : beside(row, column)) {
        Board seen(SIZE, std::string(SIZE, '.'));
        if (board[r][c] != '0' && board[r][c] != player && !lives(board, r, c, seen))
            for (int i = 0; i < SIZE * SIZE; i++)
                if (seen[i / SIZE][i % SIZE] == 'x') board[i / SIZE][i % SIZE] = '0';
    }
    Board seen(SIZE, std::string(SIZE, '.'));
    if (board == previous || !lives(board, row, column, seen)) return {};
    return board;
}

int main() {
    std::ifstream input("input.txt");
    std::string player;
    Board previous(SIZE), board(SIZE);
    input >> player;
    for (auto &row : previous) input >> row;
    for (auto &row : board) input >> row;
    int best = -100, best_row = -1, best_column = -1;
    for (int row = 0; row < SIZE; row++)
        for (int column = 0; column < SIZE; column++) {
            if (after(board, previous, player[0], row, column).empty()) continue;
            int value = -std::abs(row - 2) - std::abs(column - 2);
            for (auto [r, c] : beside(row, column))
                value += board[r][c] == '0' ? 1 : board[r][c] == player[0] ? -3 : 4;
            if (value > best) best = value, best_row = row, best_column = column;
        }
    std::ofstream output("output.txt");
    if (best_row < 0) output << "PASS";
    else output << best_row << "," << best_column;
}
