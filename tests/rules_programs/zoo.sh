#!/bin/sh
# A rules program with one fault: `zoo.sh FAULT`. Each move of its game is `a` or `b`, and after six moves
# the first player has won. Most faults show after the moves b a b a, until there is a file `mended`.
# `tests/referee/rules_matches.rs` has the expected outcomes.

fault=$1
moves=
n=0
last=6

say() {
    printf 'response %s\n' "$*"
}

# The right answer to a query.
answer() {
    case $1 in
        *gameover) [ $n -ge $last ] && say true || say false ;;
        *p1turn) [ $((n % 2)) = 0 ] && say true || say false ;;
        *result) [ $n -ge $last ] && say p1win || say none ;;
        *moves) [ $n -ge $last ] && say || say a b ;;
        *fen) say "after$moves" ;;
        *reason) [ $n -ge $last ] && say six moves are played || say none ;;
        *score) say "$n 0" ;;
    esac
}

# Does what is wrong in the place of a line; fails if the line is to be answered rightly.
misbehave() {
    [ ! -e mended ] || return 1
    case "$fault: $1" in
        'ends-at-once: ugi') exit 3 ;;
        'never-greets: ugi') exec sleep 600 ;;
        'answers-no-query: query '*) return ;;
        'refuses-the-start: position startpos') echo info string error: what is startpos; return ;;
        'never-ends: position '*) last=1000000; return 1 ;;
        'has-changing-text: query fen') [ $n != 0 ] || return; say "$$ after$moves"; return ;;
        'has-an-early-result: query result') [ $n -lt $last ] || return; say p2win; return ;;
        'moves-after-the-end: query moves') say a b; return ;;
        'does-not-read-its-text: position fen '*) echo info string error: what is fen; return ;;
        'ends-at-a-text: position fen '*) exit 3 ;;
        'names-a-wrong-start: query setup '*) say what; return ;;
        'names-a-wrong-start: position fen what'*) echo info string error: what is what; return ;;
        'moves-twice: query p1turn') [ $((n / 2 % 2)) = 0 ] && say true || say false; return ;;
    esac
    [ "$moves" = ' b a b a' ] || return
    case "$fault: $1" in
        'ends: query moves') echo 'out of luck' >&2; exit 3 ;;
        'ends-once: query moves') [ ! -e ended ] || return; : > ended; exit 3 ;;
        'ends-and-does-not-start: query moves') chmod a-x "$0"; exit 3 ;;
        'ends-in-a-line: query moves') printf 'response a'; exit 3 ;;
        'closes-its-output: query moves') exec sleep 600 >&- ;;
        'hangs: query moves') exec sleep 600 ;;
        'hangs-once: query moves') [ ! -e hung ] || return; : > hung; exec sleep 600 ;;
        'hangs-in-a-line: query moves') printf 'response a'; exec sleep 600 ;;
        'is-slow: query moves') sleep 6; return 1 ;;
        'writes-a-long-line: query moves') yes a | head -n 100000 | tr '\n' ' ' ;;
        'writes-megabytes: query moves') yes | head -c 3000000 | tr -d '\n' ;;
        'writes-a-flood: query moves') yes "response a $(printf %04000d 0)" | head -n 3000 ;;
        'chatters: query moves') yes "info string $(printf %04000d 0)" | head -n 3000 ;;
        'writes-other-lines: query moves') printf 'hello\n\ninfo string hello\n'; return 1 ;;
        'writes-no-move: query moves') say a '(none)' ;;
        'writes-nul: query moves') printf 'response a b\000c\n' ;;
        'writes-escapes: query moves') printf 'response a \033[31mb\n' ;;
        'writes-latin-1: query moves') printf 'response a \351\n' ;;
        'writes-0000: query moves') say a b 0000 ;;
        'writes-a-wrong-gameover: query gameover') say maybe ;;
        'writes-a-wrong-p1turn: query p1turn') say first ;;
        'writes-a-wrong-result: query result') say 1-0 ;;
        'writes-no-text: query fen') say ;;
        'writes-escapes-in-text: query fen') printf 'response \033[31m\n' ;;
        'has-no-answer: query p1turn') ;;
        'has-two-answers: query p1turn') say true; say true ;;
        'is-ready-twice: isready') echo readyok; return 1 ;;
        'refuses-a-move: position '*) echo info string error: a cannot be played ;;
        'has-a-move-twice: query moves') say a b a ;;
        'has-no-move: query moves') say ;;
        'has-a-long-move: query moves') printf 'response a b %010000d\n' 0 ;;
        'is-over-without-result: query gameover') say true ;;
        *) return 1 ;;
    esac
}

while read -r line; do
    case $line in
        position*)
            moves=
            n=0
            for word in $line; do
                case $word in
                    position | startpos | fen | after | moves) ;;
                    *) moves="$moves $word" n=$((n + 1)) ;;
                esac
            done
            ;;
    esac
    misbehave "$line" && continue
    case $line in
        ugi)
            echo id name Zoo
            echo option name Length type spin default 6 min 2 max 20
            echo ugiok
            ;;
        'setoption name Length value '*) last=${line##* } ;;
        isready) echo readyok ;;
        query*) answer "$line" ;;
        quit) exit ;;
    esac
done
