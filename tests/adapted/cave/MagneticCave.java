import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Scanner;

/**
 * Magnetic Cave, a course project with three modes. The row and the column of a move are
 * asked for one after the other, and rows are numbered from the bottom.
 */
public class MagneticCave {
    static final int SIZE = 8;
    static final char EMPTY = '-';
    static final char[] SIGNS = {'\u25a0', '\u25a1'};
    static final Random RANDOM = new Random();
    static final char[][] board = new char[SIZE][SIZE];

    public static void main(String[] args) throws Exception {
        System.setOut(new java.io.PrintStream(System.out, false, "UTF-8"));
        Scanner in = new Scanner(System.in);
        System.out.println("*** MAGNETIC CAVE ***");
        System.out.println("1) Player 1 manual, Player 2 manual");
        System.out.println("2) Player 1 manual, Player 2 automatic");
        System.out.println("3) Player 1 automatic, Player 2 manual");
        System.out.print("Choose the mode: ");
        int mode = number(in, 1, 3);
        boolean[] automatic = {mode == 3, mode == 2};
        for (char[] row : board) {
            java.util.Arrays.fill(row, EMPTY);
        }
        printBoard();
        for (int turn = 0; turn < SIZE * SIZE; turn++) {
            int player = turn % 2;
            int[] cell = automatic[player] ? choose(SIGNS[player], SIGNS[1 - player]) : ask(in, player);
            board[cell[0]][cell[1]] = SIGNS[player];
            if (automatic[player]) {
                System.out.println("AI (" + SIGNS[player] + ") plays at row " + (SIZE - cell[0])
                        + ", column " + (char) ('A' + cell[1]));
            }
            printBoard();
            if (wins(cell[0], cell[1], SIGNS[player])) {
                System.out.println("Player " + SIGNS[player] + " wins!");
                return;
            }
        }
        System.out.println("The game is a tie.");
    }

    static void printBoard() {
        System.out.println("    A B C D E F G H");
        for (int row = 0; row < SIZE; row++) {
            StringBuilder line = new StringBuilder((SIZE - row) + " | ");
            for (char sign : board[row]) {
                line.append(sign).append(' ');
            }
            System.out.println(line + "| " + (SIZE - row));
        }
        System.out.println("    A B C D E F G H");
    }

    static int number(Scanner in, int from, int to) {
        while (true) {
            String line = in.nextLine().trim();
            if (line.matches("\\d+") && Integer.parseInt(line) >= from && Integer.parseInt(line) <= to) {
                return Integer.parseInt(line);
            }
            System.out.print("Enter a number from " + from + " to " + to + ": ");
        }
    }

    static int[] ask(Scanner in, int player) {
        while (true) {
            System.out.print("Player " + SIGNS[player] + ", enter the row (1-8): ");
            int row = SIZE - number(in, 1, SIZE);
            System.out.print("Enter the column (A-H): ");
            String text = in.nextLine().trim().toUpperCase();
            int column = text.length() == 1 ? "ABCDEFGH".indexOf(text) : -1;
            if (column >= 0 && valid(row, column)) {
                return new int[] {row, column};
            }
            System.out.println("You cannot place a brick there, insert a position again.");
        }
    }

    static boolean valid(int row, int column) {
        return board[row][column] == EMPTY && (column == 0 || column == SIZE - 1
                || board[row][column - 1] != EMPTY || board[row][column + 1] != EMPTY);
    }

    static boolean wins(int row, int column, char sign) {
        int[][] directions = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (int[] d : directions) {
            int count = 1;
            for (int way = -1; way <= 1; way += 2) {
                int r = row + way * d[0];
                int c = column + way * d[1];
                while (r >= 0 && r < SIZE && c >= 0 && c < SIZE && board[r][c] == sign) {
                    count++;
                    r += way * d[0];
                    c += way * d[1];
                }
            }
            if (count >= 5) {
                return true;
            }
        }
        return false;
    }

    static int[] choose(char own, char other) {
        List<int[]> moves = new ArrayList<>();
        for (int row = 0; row < SIZE; row++) {
            for (int column = 0; column < SIZE; column++) {
                if (valid(row, column)) {
                    moves.add(new int[] {row, column});
                }
            }
        }
        for (char sign : new char[] {own, other}) {
            for (int[] move : moves) {
                if (wins(move[0], move[1], sign)) {
                    return move;
                }
            }
        }
        return moves.get(RANDOM.nextInt(moves.size()));
    }
}
