// The protocol of a bot for any game. Put the rules of your game and your ideas into `choose`.
#include <algorithm>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// Returns a move within this time. The game began at `start`: "startpos", or the text of a position.
// `moves` are all moves since then.
std::string choose(const std::string &start, const std::vector<std::string> &moves, long milliseconds) {
  (void)start, (void)moves, (void)milliseconds;  // replace this line
  return "0000";                                 // not a move: the bot loses its games
}

int main() {
  std::string start = "startpos", line;
  std::vector<std::string> moves;
  while (std::getline(std::cin, line) && line.rfind("quit", 0) != 0) {
    std::istringstream words(line);
    std::string command, word;
    words >> command;
    if (command == "uci") std::cout << "id name C++ bot\nid author you\nuciok" << std::endl;
    if (command == "isready") std::cout << "readyok" << std::endl;
    if (command == "position") {  // position startpos moves …, or position fen TEXT moves …
      start.clear(), moves.clear();
      while (words >> word && word != "moves")
        if (word != "fen") start += (start.empty() ? "" : " ") + word;
      while (words >> word) moves.push_back(word);
    }
    if (command == "go") {  // go movetime N, or go wtime N btime N …
      std::map<std::string, long> limits = {{"wtime", 30000}, {"btime", 30000}};
      while (words >> word) words >> limits[word];
      long clock = std::min(limits["wtime"], limits["btime"]);
      long milliseconds = limits.count("movetime") ? limits["movetime"] : clock / 30;
      std::cout << "bestmove " << choose(start, moves, milliseconds) << std::endl;
    }
  }
}
