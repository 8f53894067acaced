/* A client that takes the first free cell. */
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE = 7 };

int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "-p") != 0) {
        fprintf(stderr, "usage: agent -p PORT\n");
        return 2;
    }
    struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
    if (getaddrinfo("localhost", argv[2], &hints, &found) != 0) return 3;
    int server = socket(found->ai_family, found->ai_socktype, 0);
    if (connect(server, found->ai_addr, found->ai_addrlen) != 0) {
        perror("connect");
        return 3;
    }
    FILE *lines = fdopen(server, "r+");
    char line[100], side = 'x';
    int blocked[SIZE][SIZE] = {0}, own_row = -1, own_column = -1, row, column;
    while (fgets(line, sizeof line, lines)) {
        char player;
        sscanf(line, "start %c", &side);
        if (sscanf(line, "move %c %d %d", &player, &row, &column) == 3) {
            blocked[row][column] = 1;
            if (player == side) own_row = row, own_column = column;
        }
        if (strncmp(line, "turn", 4) != 0) continue;
        int best_row = -1, best_column = -1;
        for (row = 0; row < SIZE; row++)
            for (column = 0; column < SIZE; column++) {
                int down = abs(row - own_row), right = abs(column - own_column);
                if (!blocked[row][column] && (own_row < 0 || (down + right == 3 && down && right)))
                    best_row = row, best_column = column;
            }
        own_row = best_row, own_column = best_column;
        blocked[own_row][own_column] = 1;
        char answer[20];
        int length = snprintf(answer, sizeof answer, "%d %d\n", own_row, own_column);
        if (write(server, answer, length) != length) return 4;
    }
    return 0;
}
