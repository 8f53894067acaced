#!/bin/sh
# examples/bot.sh at the pace of a test: `held-bot.sh FOLDER N`. It plays N games without a pause. In
# later games it waits for the file FOLDER/more after 12 half-moves, and for FOLDER/end after 20.
games=0
while read -r line; do
    case $line in
        uci) printf 'id name held\nid author you\nuciok\n' ;;
        isready) echo readyok ;;
        ucinewgame) games=$((games + 1)) ;;
        position*) position="$line " ;;
        go*)
            # The words in front of the moves are `position startpos moves`.
            set -- "$1" "$2" $position
            if [ "$games" -gt "$2" ]; then
                [ $# -lt 17 ] || until [ -e "$1/more" ]; do sleep 0.1; done
                [ $# -lt 25 ] || until [ -e "$1/end" ]; do sleep 0.1; done
            fi
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
