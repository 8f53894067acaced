// The protocol of a bot for any game. Put the rules of your game and your ideas into `choose`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MOVES = 10000 };

// Returns a move within this time. The game began at `start`: "startpos", or the text of a position.
// `moves` are all moves since then.
static const char *choose(const char *start, char *const moves[], int count, long milliseconds) {
  (void)start, (void)moves, (void)count, (void)milliseconds;  // replace this line
  return "0000";                                              // not a move: the bot loses its games
}

static long limit(const char *line, const char *name, long otherwise) {
  const char *found = strstr(line, name);
  return found ? atol(found + strlen(name)) : otherwise;
}

int main(void) {
  static char line[1 << 16], text[1 << 16], *moves[MAX_MOVES];
  const char *start = "startpos";
  int count = 0;
  setvbuf(stdout, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin) && strncmp(line, "quit", 4) != 0) {
    line[strcspn(line, "\r\n")] = 0;
    if (strcmp(line, "uci") == 0) puts("id name C bot\nid author you\nuciok");
    if (strcmp(line, "isready") == 0) puts("readyok");
    if (strncmp(line, "position ", 9) == 0) {  // position startpos moves …, or position fen TEXT moves …
      strcpy(text, line + 9);
      char *played = strstr(text, " moves ");
      if (played) *played = 0, played += 7;
      start = strncmp(text, "fen ", 4) == 0 ? text + 4 : "startpos";
      count = 0;
      for (char *word = played ? strtok(played, " ") : NULL; word; word = strtok(NULL, " "))
        if (count < MAX_MOVES) moves[count++] = word;
    }
    if (strncmp(line, "go", 2) == 0) {  // go movetime N, or go wtime N btime N …
      long first = limit(line, "wtime ", 30000), second = limit(line, "btime ", 30000);
      long milliseconds = limit(line, "movetime ", (first < second ? first : second) / 30);
      printf("bestmove %s\n", choose(start, moves, count, milliseconds));
    }
  }
}
