// A bot for Magnetic Cave and Gridlock: alpha-beta search with iterative deepening.
// Put your own ideas into `evaluate` and `search`. The rest is rules and protocol.
#define _POSIX_C_SOURCE 200809L
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EMPTY = 0, X = 1, O = 8, WALL = 64, WIN = 1000000, FOREVER = 1000000000 };
static const char *STARTS[] = {"8/8/8/8/8/8/8/8 x", "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40"};
static const int LINES[] = {10, 1, 11, 9};  // steps along the letters, the digits and both diagonals
static const int BESIDE[] = {10, -10, 1, -1};
static const int WEIGHTS[] = {0, 1, 6, 30, 150, WIN};  // of a line of five, by its bricks

typedef struct {
  unsigned char board[150];  // cell = 10 * letter + digit, both from 1, with walls around
  int cave, side, turns_left;
} Position;

static struct pollfd input = {0, POLLIN, 0};  // any input, such as `stop`, ends a search
static int stopped, best[100];                // `best` is the last good move at each ply
static long nodes, max_nodes, deadline;       // in milliseconds

static Position read_fen(const char *fen) {
  Position p;
  char rows[80] = "", side = 'x';
  int played = 0, limit = 64;  // the board of Magnetic Cave is full after 64 turns
  p.cave = sscanf(fen, " %79s %c %d %d", rows, &side, &played, &limit) < 4;
  p.side = side == 'x' ? X : O;
  p.turns_left = limit - played;
  memset(p.board, WALL, sizeof p.board);
  int cell = p.cave ? 18 : 11, step = p.cave ? 10 : 1;  // from a8 to h8, or from a1 to a7
  for (const char *c = rows; *c && cell < 100; c++) {
    if (*c == '/') cell = p.cave ? 9 + cell % 10 : 11 + cell / 10 * 10;
    if (*c == 'x' || *c == 'o') p.board[cell] = *c == 'x' ? X : O, cell += step;
    for (int i = '0'; i < *c && *c <= '9' && cell < 100; i++, cell += step) p.board[cell] = EMPTY;
  }
  return p;
}

static Position after(Position p, int move) {  // 100 * from + to; for a brick, both are its cell
  p.board[move / 100] = EMPTY;
  p.board[move % 100] = p.side;
  p.side = X + O - p.side;
  p.turns_left--;
  return p;
}

static char *name(const Position *p, int move) {
  static char text[20];
  sprintf(text, "%c%d%c%d", 'a' - 1 + move / 1000, move / 100 % 10, 'a' - 1 + move % 100 / 10, move % 10);
  return p->cave ? text + 2 : text;
}

static int list_moves(const Position *p, int *moves) {
  int count = 0;
  for (int c = 11; c < 89; c++) {
    if (p->board[c] != EMPTY) continue;
    if (p->cave && p->board[c - 10] + p->board[c + 10] != EMPTY) moves[count++] = 101 * c;
    for (const int *s = BESIDE; s < BESIDE + 4 && !p->cave; s++)
      if (p->board[c + *s] == p->side) moves[count++] = 100 * (c + *s) + c;
  }
  return count;
}

static int evaluate(const Position *p) {  // the value for the side to move
  const unsigned char *b = p->board;
  int score = 0;
  for (int c = 11; c < 89; c++) {
    for (const int *s = LINES; s < LINES + 4 && p->cave; s++) {
      int sum = b[c] + b[c + *s] + b[c + 2 * *s] + b[c + 3 * *s] + b[c + 4 * *s];
      if (sum <= 5 * X) score += WEIGHTS[sum];  // only x can complete this line
      if (sum <= 5 * O && sum % O == 0) score -= WEIGHTS[sum / O];
    }
    int beside = b[c - 1] | b[c + 1] | b[c - 10] | b[c + 10];  // counts at the turn limit
    if (!p->cave && b[c] == EMPTY) score += (beside & X) / X - (beside & O) / O;
  }
  return p->side == X ? score : -score;
}

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int search(const Position *p, int depth, int alpha, int beta, int ply) {  // negamax
  int value = evaluate(p), moves[100], count = list_moves(p, moves);
  if (abs(value) > WIN / 2) return ply - WIN;  // the last brick completed a line
  if (count == 0) return p->cave ? 0 : ply - WIN;
  if (p->turns_left == 0) return 1000 * value;
  for (int i = 1; i < count; i++)
    if (moves[i] == best[ply]) moves[i] = moves[0], moves[0] = best[ply];  // a good move first
  best[ply] = moves[0];
  if (nodes++ > max_nodes || now() > deadline || (nodes % 64 == 0 && poll(&input, 1, 0))) stopped = 1;
  if (depth == 0) return value;
  for (int i = 0; i < count && alpha < beta && !stopped; i++) {
    Position next = after(*p, moves[i]);
    int score = -search(&next, depth - 1, -beta, -alpha, ply + 1);
    if (score > alpha && !stopped) alpha = score, best[ply] = moves[i];
  }
  return alpha;
}

static long limit(const char *words, const char *name, long otherwise) {
  const char *found = strstr(words, name);
  return found ? atol(found + strlen(name)) : otherwise;
}

static void go(Position root, const char *words) {
  long max_depth = limit(words, "depth", 64), infinite = !strpbrk(words, "0123456789");
  long budget = limit(words, root.side == X ? "wtime" : "btime", FOREVER) / 20;
  budget = limit(words, "movetime", budget);
  deadline = now() + budget - (budget < 200 ? budget / 2 : 100);  // a busy machine answers late
  max_nodes = limit(words, "nodes", FOREVER);
  nodes = stopped = best[0] = 0;
  for (int depth = 1; depth <= max_depth && depth <= root.turns_left; depth++) {
    int score = search(&root, depth, -WIN, WIN, 0);
    if (stopped || abs(score) > WIN / 2 || !best[0]) break;
    printf("info depth %d score cp %d nodes %ld\n", depth, score, nodes);
  }
  if (infinite) poll(&input, 1, -1);
  printf("bestmove %s\n", best[0] ? name(&root, best[0]) : "0000");
}

int main(void) {
  static char line[1 << 16];
  Position position = read_fen(STARTS[0]);
  int gridlock = 0;
  setvbuf(stdin, NULL, _IONBF, 0);   // so that `poll` sees each line
  setvbuf(stdout, NULL, _IOLBF, 0);  // flushes each line
  while (fgets(line, sizeof line, stdin) && strncmp(line, "quit", 4) != 0) {
    if (strncmp(line, "uci", 3) == 0 && line[3] != 'n')
      puts("id name C bot\nid author you\noption name UCI_Variant type combo default magnetic-cave "
           "var magnetic-cave var gridlock\nuciok");
    if (strncmp(line, "isready", 7) == 0) puts("readyok");
    if (strncmp(line, "go", 2) == 0) go(position, line);
    if (strstr(line, "value gridlock") || strstr(line, "value magnetic")) gridlock = !strstr(line, "cave");
    if (strncmp(line, "position", 8) != 0) continue;
    char *fen = strstr(line, "fen"), *played = strstr(line, "moves");
    position = read_fen(fen ? fen + 3 : STARTS[gridlock]);
    for (char *word = played ? strtok(played, " \r\n") : NULL; word; word = strtok(NULL, " \r\n")) {
      int moves[100], count = list_moves(&position, moves);
      for (int i = 0; i < count; i++)
        if (strcmp(name(&position, moves[i]), word) == 0) position = after(position, moves[i]);
    }
  }
}
