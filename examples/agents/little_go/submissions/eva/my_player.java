import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Takes stones if it can, and else plays a random legal point. */
class my_player {
    static final int SIZE = 5;

    static List<int[]> beside(int row, int column) {
        List<int[]> cells = new ArrayList<>();
        for (int[] step : new int[][] {{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            int r = row + step[0], c = column + step[1];
            if (r >= 0 && r < SIZE && c >= 0 && c < SIZE) cells.add(new int[] {r, c});
        }
        return cells;
    }

    /** Whether a group has a liberty; `seen` marks its stones. */
    static boolean lives(char[][] board, int row, int column, boolean[][] seen) {
        seen[row][column] = true;
        boolean found = false;
        for (int[] cell : beside(row, column)) {
            char there = board[cell[0]][cell[1]];
            if (there == '0') found = true;
            else if (there == board[row][column] && !seen[cell[0]][cell[1]]) found |= lives(board, cell[0], cell[1], seen);
        }
        return found;
    }

    /** How many stones a move takes, -1 if it is illegal. */
    static int taken(char[][] old, char[][] previous, char player, int row, int column) {
        if (old[row][column] != '0') return -1;
        char[][] board = Arrays.stream(old).map(char[]::clone).toArray(char[][]::new);
        board[row][column] = player;
        int count = 0;
        for (int[] cell : beside(row, column)) {
            boolean[][] seen = new boolean[SIZE][SIZE];
            char there = board[cell[0]][cell[1]];
            if (there == '0' || there == player || lives(board, cell[0], cell[1], seen)) continue;
            for (int r = 0; r < SIZE; r++)
                for (int c = 0; c < SIZE; c++)
                    if (seen[r][c]) {
                        board[r][c] = '0';
                        count++;
                    }
        }
        boolean isLegal = lives(board, row, column, new boolean[SIZE][SIZE]) && !Arrays.deepEquals(board, previous);
        return isLegal ? count : -1;
    }

    public static void main(String[] args) throws Exception {
        List<String> lines = Files.readAllLines(Path.of("input.txt"));
        char player = lines.get(0).charAt(0);
        char[][] previous = lines.subList(1, 6).stream().map(String::toCharArray).toArray(char[][]::new);
        char[][] board = lines.subList(6, 11).stream().map(String::toCharArray).toArray(char[][]::new);
        List<int[]> best = new ArrayList<>();
        int most = 0;
        for (int row = 0; row < SIZE; row++)
            for (int column = 0; column < SIZE; column++) {
                int count = taken(board, previous, player, row, column);
                if (count > most) best.clear();
                if (count >= Math.max(most, 0)) {
                    most = count;
                    best.add(new int[] {row, column});
                }
            }
        String answer = "PASS";
        if (!best.isEmpty()) {
            int[] cell = best.get(new Random(lines.hashCode()).nextInt(best.size()));
            answer = cell[0] + "," + cell[1];
        }
        Files.writeString(Path.of("output.txt"), answer);
    }
}
