// A bot for Magnetic Cave and Gridlock: alpha-beta search with iterative deepening.
// Put your own ideas into `evaluate` and `search`. The rest is rules and protocol.
#include <poll.h>
#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Clock = std::chrono::steady_clock;
constexpr int EMPTY = 0, X = 1, O = 8, WALL = 64, WIN = 1000000, FOREVER = 1000000000;
const std::string OPTION =
    "option name UCI_Variant type combo default magnetic-cave var magnetic-cave var gridlock";
const std::string CAVE = "8/8/8/8/8/8/8/8 x", GRIDLOCK = "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40";
constexpr int LINES[] = {10, 1, 11, 9};             // steps along the letters, the digits and both diagonals
constexpr int WEIGHTS[] = {0, 1, 6, 30, 150, WIN};  // of a line of five, by its bricks

struct Position {
  std::array<unsigned char, 150> board;  // cell = 10 * letter + digit, both from 1; walls around
  bool cave;
  int side, turns_left = 64;  // the board of Magnetic Cave is full after 64 turns

  explicit Position(const std::string &fen) {
    std::istringstream fields(fen);
    std::string rows, side_name;
    int played, limit;
    fields >> rows >> side_name;
    side = side_name == "x" ? X : O;
    cave = !(fields >> played >> limit);  // only a FEN of Gridlock has these
    if (!cave) turns_left = limit - played;
    board.fill(WALL);
    int cell = cave ? 18 : 11, step = cave ? 10 : 1;  // from a8 to h8, or from a1 to a7
    for (char c : rows) {
      if (c == '/') cell = cave ? 9 + cell % 10 : 11 + cell / 10 * 10;
      if (c == 'x' || c == 'o') board.at(cell) = c == 'x' ? X : O, cell += step;
      for (int i = '0'; i < c && c <= '9'; i++, cell += step) board.at(cell) = EMPTY;
    }
  }

  Position after(int move) const {  // 100 * from + to; for a new brick, both are its cell
    Position next = *this;
    next.board[move / 100] = EMPTY;
    next.board[move % 100] = side;
    next.side = X + O - side;
    next.turns_left--;
    return next;
  }

  std::string name(int move) const {
    std::string name;
    for (int cell : {move / 100, move % 100}) name += {char('a' - 1 + cell / 10), char('0' + cell % 10)};
    return cave ? name.substr(2) : name;
  }

  std::vector<int> moves() const {
    std::vector<int> moves;
    for (int c = 11; c < 89; c++) {
      if (board[c] != EMPTY) continue;
      if (cave && board[c - 10] + board[c + 10] != EMPTY) moves.push_back(101 * c);  // it sticks there
      for (int step : {10, -10, 1, -1})
        if (!cave && board[c + step] == side) moves.push_back(100 * (c + step) + c);
    }
    return moves;
  }

  int evaluate() const {  // the value for the side to move
    int score = 0;
    for (int c = 11; c < 89; c++) {
      for (int step : LINES) {
        int sum = cave ? 0 : WALL;
        for (int i = 0; i < 5; i++) sum += board[c + i * step];
        if (sum <= 5 * X) score += WEIGHTS[sum];  // only x can complete this line
        if (sum <= 5 * O && sum % O == 0) score -= WEIGHTS[sum / O];
      }
      int beside = board[c - 1] | board[c + 1] | board[c - 10] | board[c + 10];  // counts at the turn limit
      if (!cave && board[c] == EMPTY) score += (beside & X) / X - (beside & O) / O;
    }
    return side == X ? score : -score;
  }
};

pollfd input = {0, POLLIN, 0};  // any input, such as `stop`, ends a search
std::map<std::string, long> limits;
std::array<int, 100> best;  // the last good move at each ply
Clock::time_point deadline;
long nodes;
bool stopped;

long limit(const std::string &name, long otherwise) { return limits.count(name) ? limits[name] : otherwise; }

int search(const Position &position, int depth, int alpha, int beta, int ply) {  // negamax
  int value = position.evaluate();
  if (std::abs(value) > WIN / 2) return ply - WIN;  // the last brick completed a line
  std::vector<int> moves = position.moves();
  if (moves.empty()) return position.cave ? 0 : ply - WIN;
  if (position.turns_left == 0) return 1000 * value;
  std::stable_partition(moves.begin(), moves.end(), [ply](int move) { return move == best[ply]; });
  best[ply] = moves[0];
  bool has_input = nodes % 64 == 63 && poll(&input, 1, 0) > 0;
  if (nodes++ > limit("nodes", FOREVER) || Clock::now() > deadline || has_input) stopped = true;
  if (depth == 0) return value;
  for (int move : moves) {
    int score = -search(position.after(move), depth - 1, -beta, -alpha, ply + 1);
    if (!stopped && score > alpha) alpha = score, best[ply] = move;
    if (stopped || alpha >= beta) break;
  }
  return alpha;
}

void go(const Position &root, std::istream &words) {
  limits.clear();
  for (std::string word; words >> word;) words >> limits[word];
  long budget = limit("movetime", limit(root.side == X ? "wtime" : "btime", FOREVER) / 20);
  budget -= std::min(budget / 2, 100L);  // a busy machine answers late
  deadline = Clock::now() + std::chrono::milliseconds(budget);
  stopped = false, nodes = best[0] = 0;
  for (int depth = 1; depth <= std::min<long>(limit("depth", 64), root.turns_left); depth++) {
    int score = search(root, depth, -WIN, WIN, 0);
    if (stopped || std::abs(score) > WIN / 2 || best[0] == 0) break;
    std::cout << "info depth " << depth << " score cp " << score << " nodes " << nodes << std::endl;
  }
  if (limits.empty() || limits.count("infinite")) poll(&input, 1, -1);
  std::cout << "bestmove " << (best[0] ? root.name(best[0]) : "0000") << std::endl;
}

int main() {
  std::setvbuf(stdin, nullptr, _IONBF, 0);  // so that `poll` sees each line
  std::string start = CAVE, line;
  Position position(start);
  while (std::getline(std::cin, line) && line.rfind("quit", 0) != 0) {
    std::istringstream words(line);
    std::string command, word, fen;
    words >> command;
    if (command == "isready") std::cout << "readyok" << std::endl;
    if (line.find("value gridlock") < line.size()) start = GRIDLOCK;
    if (line.find("value magnetic-cave") < line.size()) start = CAVE;
    if (command == "uci") std::cout << "id name C++ bot\nid author you\n" + OPTION + "\nuciok" << std::endl;
    if (command == "go") go(position, words);
    if (command == "position") {
      while (words >> word && word != "moves") fen += word == "startpos" || word == "fen" ? "" : word + " ";
      position = Position(fen.empty() ? start : fen);
      while (words >> word)
        for (int move : position.moves())
          if (position.name(move) == word) position = position.after(move);
    }
  }
}
