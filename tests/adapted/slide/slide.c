/*
 * A course project on a 7x7 board: slide a piece to a neighbour; who cannot move loses.
 * The pieces are placed at random, or entered one by one. A move is asked for in two steps.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 7

static char board[N][N];
static const int STEP[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

static int is_empty(int r, int c)
{
    return r >= 0 && r < N && c >= 0 && c < N && board[r][c] == ' ';
}

static void print_board(void)
{
    printf("\n");
    for (int c = 0; c < N; c++)
        printf("\t%d", c + 1);
    printf("\n");
    for (int r = 0; r < N; r++) {
        printf("%c", 'a' + r);
        for (int c = 0; c < N; c++)
            printf("\t%c", board[r][c]);
        printf("\n");
    }
}

static int read_line(char *text, int size)
{
    if (!fgets(text, size, stdin))
        exit(1);
    text[strcspn(text, "\r\n")] = 0;
    return strlen(text);
}

static int ask_number(const char *question)
{
    char text[64];
    printf("%s", question);
    read_line(text, sizeof text);
    return atoi(text);
}

/* Reads a cell such as c4. */
static int read_cell(int *r, int *c)
{
    char text[64];
    if (read_line(text, sizeof text) != 2)
        return 0;
    *r = text[0] - 'a';
    *c = text[1] - '1';
    return *r >= 0 && *r < N && *c >= 0 && *c < N;
}

static int mobility(char sign)
{
    int room = 0;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++) {
            int near = 0;
            for (int i = 0; i < 4 && board[r][c] == ' '; i++) {
                int y = r + STEP[i][0], x = c + STEP[i][1];
                near |= y >= 0 && y < N && x >= 0 && x < N && board[y][x] == sign;
            }
            room += near;
        }
    return room;
}

static void choose(char own, char other, int move[4])
{
    int best = -1000;
    for (int r = 0; r < N; r++)
        for (int c = 0; c < N; c++)
            for (int i = 0; i < 4 && board[r][c] == own; i++) {
                int y = r + STEP[i][0], x = c + STEP[i][1];
                if (!is_empty(y, x))
                    continue;
                board[r][c] = ' ';
                board[y][x] = own;
                int score = 8 * (mobility(own) - mobility(other)) + rand() % 8;
                board[y][x] = ' ';
                board[r][c] = own;
                if (score > best) {
                    best = score;
                    move[0] = r, move[1] = c, move[2] = y, move[3] = x;
                }
            }
}

static void ask_move(char own, int move[4])
{
    for (;;) {
        printf("Choose piece to move: ");
        if (!read_cell(&move[0], &move[1]) || board[move[0]][move[1]] != own) {
            printf("That is not your piece!\n");
            continue;
        }
        printf("Choose the new position for %c%d: ", 'a' + move[0], move[1] + 1);
        if (read_cell(&move[2], &move[3]) && is_empty(move[2], move[3])
            && abs(move[0] - move[2]) + abs(move[1] - move[3]) == 1)
            return;
        printf("You cannot move there!\n");
    }
}

int main(void)
{
    int move[4] = {0};
    srand(time(NULL));
    memset(board, ' ', sizeof board);
    int human = ask_number("Are you player 1 or player 2? ") == 2;
    int pieces = ask_number("Number of pieces: ");
    int limit = ask_number("Maximum number of turns: ");
    int by_hand = ask_number("Place the pieces at random (1) or by hand (2)? ") == 2;
    for (int i = 0; i < 2 * pieces; i++) {
        int r = rand() % N, c = rand() % N;
        do {
            if (by_hand) {
                printf("Cell of a piece of player %d: ", i % 2 + 1);
                if (!read_cell(&r, &c))
                    r = -1;
            } else {
                r = rand() % N, c = rand() % N;
            }
        } while (!is_empty(r, c));
        board[r][c] = "XO"[i % 2];
    }
    print_board();
    for (int turn = 0; turn <= limit; turn++) {
        char own = "XO"[turn % 2], other = "OX"[turn % 2];
        if (mobility(own) == 0) {
            printf("Player%d wins!\n", 2 - turn % 2);
            return 0;
        }
        if (turn == limit)
            break;
        if (turn % 2 == human) {
            ask_move(own, move);
            printf("Player moves the piece at ");
        } else {
            choose(own, other, move);
            printf("Computer moves the piece at ");
        }
        printf("%c%d to %c%d\n", 'a' + move[0], move[1] + 1, 'a' + move[2], move[3] + 1);
        board[move[0]][move[1]] = ' ';
        board[move[2]][move[3]] = own;
        print_board();
    }
    int difference = mobility('X') - mobility('O');
    printf(difference > 0 ? "Player1 wins!\n" : difference < 0 ? "Player2 wins!\n" : "Draw\n");
    return 0;
}
