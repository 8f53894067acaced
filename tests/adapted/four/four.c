/*
 * Connect Four at a terminal, made for people: columns are numbered from 1. The computer wins or
 * blocks at once if it can, and drops a disc at random otherwise.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define WIDTH 7
#define HEIGHT 6

static char board[HEIGHT][WIDTH];

static void print_board(void)
{
    printf("\n 1 2 3 4 5 6 7\n");
    for (int row = HEIGHT - 1; row >= 0; row--) {
        for (int column = 0; column < WIDTH; column++)
            printf("|%c", board[row][column]);
        printf("|\n");
    }
    printf("+-+-+-+-+-+-+-+\n");
}

static int height(int column)
{
    int row = 0;
    while (row < HEIGHT && board[row][column] != ' ')
        row++;
    return row;
}

static int reach(int row, int column, int down, int right, char disc)
{
    int found = 0;
    for (row += down, column += right;
         row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH && board[row][column] == disc;
         row += down, column += right)
        found++;
    return found;
}

static int wins(int column, char disc)
{
    static const int steps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int row = height(column);
    for (int i = 0; i < 4; i++)
        if (reach(row, column, steps[i][0], steps[i][1], disc)
                + reach(row, column, -steps[i][0], -steps[i][1], disc) >= 3)
            return 1;
    return 0;
}

static int choose(char own, char other)
{
    int column;
    for (column = 0; column < WIDTH; column++)
        if (height(column) < HEIGHT && wins(column, own))
            return column;
    for (column = 0; column < WIDTH; column++)
        if (height(column) < HEIGHT && wins(column, other))
            return column;
    do
        column = rand() % WIDTH;
    while (height(column) == HEIGHT);
    return column;
}

int main(void)
{
    char line[100];
    srand((unsigned)time(NULL) * 31);
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++)
            board[row][column] = ' ';
    printf("Welcome to Four in a Row!\nDo you want to begin (y/n)? ");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 0;
    int is_human = line[0] == 'y';
    for (int plies = 0; plies < WIDTH * HEIGHT; plies++, is_human = !is_human) {
        char disc = plies % 2 ? 'O' : 'X';
        int column;
        print_board();
        if (is_human) {
            for (;;) {
                printf("Your column (1-7): ");
                fflush(stdout);
                if (!fgets(line, sizeof line, stdin))
                    return 0;
                column = atoi(line) - 1;
                if (column >= 0 && column < WIDTH && height(column) < HEIGHT)
                    break;
                printf("You cannot play there.\n");
            }
            printf("You dropped a disc into column %d.\n", column + 1);
        } else {
            column = choose(disc, disc == 'X' ? 'O' : 'X');
            printf("I drop a disc into column %d.\n", column + 1);
        }
        int is_won = wins(column, disc);
        board[height(column)][column] = disc;
        if (is_won) {
            print_board();
            printf("%s\n", is_human ? "You win!" : "I win!");
            return 0;
        }
    }
    print_board();
    printf("It is a draw.\n");
    return 0;
}
