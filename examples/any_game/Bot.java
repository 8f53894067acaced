// The protocol of a bot for any game. Put the rules of your game and your ideas into `choose`.
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Scanner;

public class Bot {
  // Returns a move within this time. The game began at `start`: "startpos", or the text of a position.
  // `moves` are all moves since then.
  static String choose(String start, List<String> moves, long milliseconds) {
    return "0000"; // not a move: the bot loses its games
  }

  public static void main(String[] args) {
    String line = "", start = "startpos";
    List<String> moves = List.of();
    for (Scanner in = new Scanner(System.in); !line.equals("quit") && in.hasNextLine();) {
      line = in.nextLine().trim();
      String[] words = line.split("\\s+");
      if (line.equals("uci")) System.out.println("id name Java bot\nid author you\nuciok");
      if (line.equals("isready")) System.out.println("readyok");
      if (words[0].equals("position")) { // position startpos moves …, or position fen TEXT moves …
        String[] parts = line.split(" moves ");
        start = parts[0].replaceFirst("position (fen )?", "");
        moves = parts.length == 2 ? List.of(parts[1].split("\\s+")) : List.of();
      }
      if (words[0].equals("go")) { // go movetime N, or go wtime N btime N …
        Map<String, Long> limits = new HashMap<>(Map.of("wtime", 30000L, "btime", 30000L));
        for (int i = 1; i + 1 < words.length; i += 2) limits.put(words[i], Long.valueOf(words[i + 1]));
        long clock = Math.min(limits.get("wtime"), limits.get("btime"));
        long milliseconds = limits.getOrDefault("movetime", clock / 30);
        System.out.println("bestmove " + choose(start, moves, milliseconds));
      }
    }
  }
}
