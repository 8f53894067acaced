/*
 * Magnetic Cave, a course project that only prints its board: it never says what it plays.
 * A move is two numbers from 0, the row from the top and then the column.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 8

static char board[N][N];

static void print_board(void)
{
    printf("\n    0   1   2   3   4   5   6   7\n");
    for (int r = 0; r < N; r++) {
        printf("  +---+---+---+---+---+---+---+---+\n%d |", r);
        for (int c = 0; c < N; c++)
            printf(" %c |", board[r][c]);
        printf("\n");
    }
    printf("  +---+---+---+---+---+---+---+---+\n");
}

static int valid(int r, int c)
{
    if (r < 0 || r >= N || c < 0 || c >= N || board[r][c] != ' ')
        return 0;
    return c == 0 || c == N - 1 || board[r][c - 1] != ' ' || board[r][c + 1] != ' ';
}

static int count(int r, int c, int dr, int dc, char sign)
{
    int found = 0;
    for (r += dr, c += dc; r >= 0 && r < N && c >= 0 && c < N && board[r][c] == sign; r += dr, c += dc)
        found++;
    return found;
}

static int wins(int r, int c, char sign)
{
    static const int d[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int i = 0; i < 4; i++)
        if (1 + count(r, c, d[i][0], d[i][1], sign) + count(r, c, -d[i][0], -d[i][1], sign) >= 5)
            return 1;
    return 0;
}

static void choose(char own, char other, int *row, int *col)
{
    int moves[N * N][2], n = 0;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            if (valid(r, c)) {
                moves[n][0] = r;
                moves[n++][1] = c;
            }
    int best = rand() % n;
    for (int i = 0; i < n; i++)
        if (wins(moves[i][0], moves[i][1], other))
            best = i;
    for (int i = 0; i < n; i++)
        if (wins(moves[i][0], moves[i][1], own))
            best = i;
    *row = moves[best][0];
    *col = moves[best][1];
}

int main(void)
{
    char answer[16] = "";
    int turn, r, c;
    srand(time(NULL));
    memset(board, ' ', sizeof board);
    printf("Do you want to start (y/n)? ");
    if (scanf("%15s", answer) != 1)
        return 1;
    int human = answer[0] == 'y' ? 0 : 1;
    print_board();
    for (turn = 0; turn < N * N; turn++) {
        char sign = "XO"[turn % 2];
        if (turn % 2 == human) {
            printf("Your move: ");
            while (scanf("%d %d", &r, &c) != 2 || !valid(r, c)) {
                int sign_read;
                while ((sign_read = getchar()) != '\n')
                    if (sign_read == EOF)
                        return 1;
                printf("Not possible. Your move: ");
            }
        } else {
            choose(sign, "OX"[turn % 2], &r, &c);
        }
        board[r][c] = sign;
        print_board();
        if (wins(r, c, sign)) {
            printf("%c wins\n", sign);
            return 0;
        }
    }
    printf("Nobody wins\n");
    return 0;
}
