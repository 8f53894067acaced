#!/bin/sh
# A bot for Magnetic Cave in a shell script. It plays the first empty cell of the first row that
# has one: the cells on its left hold bricks, so it is next to a brick or the wall.
while read -r line; do
    case $line in
        uci) printf 'id name shell\nid author you\nuciok\n' ;;
        isready) echo readyok ;;
        position*) position="$line " ;;
        go*)
            for row in 1 2 3 4 5 6 7 8; do
                for column in a b c d e f g h; do
                    case $position in *" $column$row "*) continue ;; esac
                    echo "bestmove $column$row"
                    break 2
                done
            done
            ;;
        quit) exit ;;
    esac
done
