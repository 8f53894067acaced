/* Moves the clock of the day, and no other, by the number of seconds in the file OFFSET. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, time);
    FILE *file = clock == CLOCK_REALTIME ? fopen(getenv("OFFSET"), "r") : NULL;
    long offset = 0;
    if (file) { if (fscanf(file, "%ld", &offset) == 1) time->tv_sec += offset; fclose(file); }
    return status;
}
