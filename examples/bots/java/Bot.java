// A bot for Magnetic Cave and Gridlock: alpha-beta search with iterative deepening.
// Put your own ideas into `evaluate` and `search`. The rest is rules and protocol.
import java.util.*;

class Position {
  static final int EMPTY = 0, X = 1, O = 8, WALL = 64, WIN = 1_000_000;
  static final int[] LINES = {1, 10, 9, 11}; // steps to the right, down, and on both diagonals
  static final int[] WEIGHTS = {0, 1, 6, 30, 150, WIN}; // of a line of five, by its bricks
  final byte[] board = new byte[140]; // cell = 11 + 10 * row + column, with walls around
  final boolean cave;
  final int side, turnsLeft;

  Position(String fen) {
    String[] fields = fen.split(" ");
    int cell = 11;
    Arrays.fill(board, (byte) WALL);
    for (char c : fields[0].toCharArray()) {
      if (c == '/') cell += 11 - cell % 10;
      if (c == 'x' || c == 'o') board[cell++] = (byte) (c == 'x' ? X : O);
      for (int i = '0'; i < c && c <= '9'; i++) board[cell++] = EMPTY;
    }
    side = fields[1].equals("x") ? X : O;
    cave = fields.length == 2; // only a FEN of Gridlock has turns played and a turn limit
    turnsLeft = cave ? 64 : Integer.parseInt(fields[3]) - Integer.parseInt(fields[2]);
  }

  Position(Position before, int move) { // 100 * from + to; for a brick, both are its cell
    System.arraycopy(before.board, 0, board, 0, board.length);
    board[move / 100] = EMPTY;
    board[move % 100] = (byte) before.side;
    side = X + O - before.side;
    cave = before.cave;
    turnsLeft = before.turnsLeft - 1;
  }

  String name(int move) {
    int row = move % 100 / 10 - 1, column = move % 10 - 1;
    if (cave) return "" + (char) ('a' + column) + (8 - row);
    return (move < 100 ? "" : name(move / 100)) + (char) ('a' + row) + (column + 1);
  }

  List<Integer> moves() {
    List<Integer> moves = new ArrayList<>();
    for (int c = 11; c < 89; c++) {
      if (board[c] != EMPTY) continue;
      if (cave && board[c - 1] + board[c + 1] != EMPTY) moves.add(101 * c); // it sticks there
      for (int step : new int[] {1, -1, 10, -10})
        if (!cave && board[c + step] == side) moves.add(100 * (c + step) + c);
    }
    return moves;
  }

  int evaluate() { // the value for the side to move
    int score = 0;
    for (int c = 11; c < 89; c++) {
      for (int step : LINES) {
        int sum = 0;
        for (int i = 0; i < 5 && cave; i++) sum += board[c + i * step];
        if (sum <= 5 * X) score += WEIGHTS[sum]; // only x can complete this line
        if (sum <= 5 * O && sum % O == 0) score -= WEIGHTS[sum / O];
      }
      // Empty cells beside pieces count at the turn limit.
      int beside = board[c - 1] | board[c + 1] | board[c - 10] | board[c + 10];
      if (!cave && board[c] == EMPTY) score += (beside & X) / X - (beside & O) / O;
    }
    return side == X ? score : -score;
  }
}

class Bot extends Thread { // a search; meanwhile the main thread can read `stop`
  static final int WIN = Position.WIN, FOREVER = 1_000_000_000;
  final Position root;
  final Map<String, Integer> limits = new HashMap<>();
  final int[] best = new int[100]; // the last good move at each ply
  long deadline = System.nanoTime();
  int nodes;
  volatile boolean stopped;

  Bot(Position root, String[] words) {
    this.root = root;
    for (int i = 2; i < words.length; i += 2) limits.put(words[i - 1], Integer.parseInt(words[i]));
    String side = root.side == Position.X ? "w" : "b";
    int clock = limit(side + "time", FOREVER);
    int budget = Math.max(0, limit("movetime", clock / 20));
    deadline += 1_000_000L * (budget - Math.min(budget / 2, 100)); // a busy machine answers late
  }

  int limit(String name, int otherwise) { return limits.getOrDefault(name, otherwise); }

  public void run() {
    int maxDepth = Math.min(root.turnsLeft, limit("depth", 64)), score = 0;
    for (int depth = 1; depth <= maxDepth && !stopped && Math.abs(score) < WIN / 2; depth++) {
      score = search(root, depth, -WIN, WIN, 0);
      if (!stopped && best[0] != 0) System.out.println("info depth " + depth + " score cp " + score);
    }
    while (limits.isEmpty() && !stopped) java.util.concurrent.locks.LockSupport.parkNanos(1000000);
    System.out.println("bestmove " + (best[0] == 0 ? "0000" : root.name(best[0])));
  }

  int search(Position position, int depth, int alpha, int beta, int ply) { // negamax
    int value = position.evaluate();
    if (Math.abs(value) > WIN / 2) return ply - WIN; // the last brick completed a line
    List<Integer> moves = position.moves();
    if (moves.isEmpty()) return position.cave ? 0 : ply - WIN;
    if (position.turnsLeft == 0) return 1000 * value;
    if (moves.remove((Integer) best[ply])) moves.add(0, best[ply]); // try a good move first
    best[ply] = moves.get(0);
    if (nodes++ > limit("nodes", FOREVER) || System.nanoTime() > deadline) stopped = true;
    if (depth == 0 || stopped) return value;
    for (int move : moves) {
      int score = -search(new Position(position, move), depth - 1, -beta, -alpha, ply + 1);
      if (!stopped && score > alpha) best[ply] = move;
      alpha = Math.max(alpha, score);
      if (stopped || alpha >= beta) break;
    }
    return alpha;
  }

  public static void main(String[] args) {
    String cave = "8/8/8/8/8/8/8/8 x", gridlock = "4o2/1xo2x1/3x3/5o1/1ox4/4x2/2o4 x 0 40";
    String line = "", start = cave;
    Position position = new Position(start);
    Bot bot = new Bot(position, args);
    for (Scanner in = new Scanner(System.in); !line.equals("quit") && in.hasNextLine();) {
      line = in.nextLine().trim();
      String[] words = line.split("\\s+");
      if (line.equals("uci"))
        System.out.println("id name Java bot\nid author you\noption name UCI_Variant type combo "
            + "default magnetic-cave var magnetic-cave var gridlock\nuciok");
      if (line.equals("isready")) System.out.println("readyok");
      if (line.equals("stop")) bot.stopped = true;
      if (words[0].equals("go")) (bot = new Bot(position, words)).start();
      if (line.endsWith("value gridlock")) start = gridlock;
      if (line.endsWith("value magnetic-cave")) start = cave;
      if (words[0].equals("position")) {
        String[] parts = (line + " moves ").split("moves");
        String fen = parts[0].replaceFirst("\\w+\\s+(startpos|fen)\\s*", "").trim();
        try {
          position = new Position(fen.isEmpty() ? start : fen);
        } catch (RuntimeException error) {
          System.out.println("info string error: " + error);
        }
        for (String name : new Scanner(parts[1]).tokens().toList())
          for (int move : position.moves())
            if (position.name(move).equals(name)) position = new Position(position, move);
      }
    }
    bot.stopped = true;
  }
}
