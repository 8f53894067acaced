# The steps of .ci/run --long, which break seldom or take long: see .ci/run.

step docs "" "documentation"
docs() { RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps; }

step long "" "tests that take minutes: the modules \`long\`"
long() { cargo_test --lib --bins --test '*' -- --ignored long::; }

step commands "programs" "the commands of the manual, with the long ones"
commands() { cargo test -p referee --test end_to_end commands:: -- --ignored --nocapture; }

step wheel "programs pip:hatchling>=1.27,hatchling<2" "the wheel, installed in an empty environment"
wheel() {
    mkdir "$results/programs"
    cp "$programs"/{lodestone,lodestone-solver,referee,referee-serve} "$results/programs"
    "$programs/examples/man-pages" "$results/programs/man"
    platform=$("$python" -c 'import sysconfig; print(sysconfig.get_platform().replace("-", "_").replace(".", "_"))')
    PYTHON=$python python/build.sh "$results/programs" "$platform" "$results/wheels"
    tests/packages/wheel.sh "$results"/wheels/*.whl
}

step grades "programs python3" "grades of a folder of submissions, and in GitHub Classroom, also of hostile ones"
grades() { python3 -B tests/autograder/check.py "$referee" Folder Classroom HostileAgents HostileFolder HostileNames; }

step week "programs python3" "a week of a course"
week() { python3 -B tests/ladder/week.py "$referee" --folder "$results/week"; }

step notebook "programs pip:nbconvert,ipykernel,ipywidgets,pandas,matplotlib" "the notebook, and tables of results, with pandas"
notebook() {
    PATH=$programs:$PATH PYTHONPATH=$PWD/python "$(dirname "$python")/jupyter" nbconvert --execute --to html \
        --output-dir target/notebook examples/notebook.ipynb
    PATH=$programs:$PATH PYTHONPATH=$PWD/python "$python" -B python/tests/test_results.py
}

step other-rules "programs pip:open-spiel,pyffish" "the rules programs, against OpenSpiel and Fairy-Stockfish"
other-rules() { "$python" -B tests/rules_programs/check.py --games 50 --lodestone "$lodestone"; }

step chess "programs" "chess engines, as in docs/chess.md"
chess() { tests/rules_programs/engines.sh "$programs"; }

step killed "" "a tournament that is killed fifty times"
killed() { cargo test -p referee --test end_to_end -- --ignored survives --nocapture; }

step tune "" "the search with options for its parameters"
tune() {
    cargo clippy -p lodestone-engine --lib --features tune -- -D warnings
    cargo test -p lodestone-engine --lib --features tune options
}

step windows "target:x86_64-pc-windows-gnu" "Windows: compile only"
windows() {
    cargo check --target x86_64-pc-windows-gnu -p lodestone-engine -p lodestone-solver -p referee -p referee-serve --lib --bins --test every_system
}

step systems "target:aarch64-apple-darwin target:x86_64-apple-darwin target:wasm32-wasip1" "other systems: compile only"
systems() {
    for target in aarch64-apple-darwin x86_64-apple-darwin; do
        cargo check --target "$target" -p lodestone-engine -p lodestone-solver -p referee -p referee-serve
    done
    # The referee starts processes, which WebAssembly cannot.
    cargo check --target wasm32-wasip1 -p lodestone-engine
}

step under-wine "target:x86_64-pc-windows-gnu wine" "Windows: the tests of both libraries, and matches of real processes, under Wine"
under-wine() { tests/every_system/wine.sh; }

step deny "cargo:cargo-deny" "licences and sources of all dependencies"
deny() {
    cargo deny --workspace check licenses bans sources
    # The advisories are in a separate repository, which may be unreachable.
    if ! cargo deny fetch db 2>/dev/null; then
        echo "SKIPPED: the advisory database cannot be downloaded"
    else
        cargo deny --workspace check --disable-fetch advisories
    fi
}

step book "cargo:mdbook" "the manual as a book"
book() {
    mdbook build
    test -s target/book/index.html
}

step latency "" "delay of answers, compared with a program that only sleeps"
latency() { MOVES=100 cargo bench -p lodestone-engine --bench latency; }

step speed "" "time to a depth and to proof; each benchmark of a function once"
speed() {
    QUICK=1 cargo bench -p lodestone-engine --bench suite
    cargo bench -p tests --bench hot -- --test
}

step throughput "" "games a second, compared with a bare loop of the same messages; memory"
throughput() { GAMES=1000 cargo bench -p referee --bench throughput; }

step rules-cost "strace" "cost of the rules of a program; more than 10.5 system calls for a half-move are an error"
rules-cost() { taskset -c 0 cargo bench -p referee --bench rules -- --rounds 3; }

step spectators "" "spectators of a match"
spectators() { cargo bench -p referee-serve --bench spectators; }

step million "" "a report on a million synthetic games in a thousand files; more than 1 GB of memory is an error"
million() { GAMES=1000000 FILES=1000 cargo bench -p referee --bench report; }

step sandbox-cost "" "cost of the sandbox; 15 ms of processor time more for a start, or half as much time again for a half-move, is an error"
sandbox-cost() { cargo bench -p referee --bench sandbox; }

# All these bots and a shell script, each against each, at one level of the sandbox. As root
# also as an ordinary user, for whom strict needs user namespaces.
try_sandbox() {
    local level=$1 out="$results/sandbox/$2-$1.jsonl" as_user=()
    [ "$2" = nobody ] && as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    # The margin is for a busy machine: this match checks the moves, not the time.
    if ! "${as_user[@]}" "$results/sandbox/referee" match --engines "$results/bots" --sandbox="$level" --games 1 \
        --each st=0.05 timemargin=5000 --openings random:4 --concurrency 2 --quiet --strict --out "$out" \
        >"$results/summary" 2>"$results/messages"; then
        cat "$results/messages"
        # A kernel without a part of the sandbox is no fault.
        grep -q "the sandbox needs" "$results/messages" && echo "SKIPPED: --sandbox=$level" && return
        return 1
    fi
    grep '^Sandbox' "$results/summary"
    grep -oE '"reason":"[a-z]+"' "$out" | sort | uniq -c
}

step sandboxed-bots "programs linux" "bots in several languages and a shell script in the sandbox, at both levels"
sandboxed-bots() {
    local language level
    for language in $(languages_here); do
        # The step `bots` has made them, if it has run.
        [ -d "$results/bots/$language" ] || try_bot "$language"
    done
    mkdir -p "$results/bots/shell" "$results/sandbox"
    cp examples/bot.sh "$results/bots/shell/run"
    # Another user can read them, but not the checkout.
    chmod 755 "$results"
    chmod 777 "$results/sandbox"
    cp "$referee" "$results/sandbox/referee"
    for level in on strict; do
        try_sandbox "$level" "$(id -un)"
        if [ "$(id -u)" = 0 ] && has setpriv; then
            try_sandbox "$level" nobody
        fi
    done
}

step hostile "" "a tournament of six submissions in four languages, one of them hostile, in the sandbox"
hostile() { cargo test -p referee --test end_to_end -- --ignored hostile_submission --nocapture; }

step languages "pip:numpy<3" "what languages need in the sandbox"
languages() { PATH=$(dirname "$python"):$PATH cargo test -p referee --test end_to_end -- --ignored languages_have --nocapture; }

step adapted "" "programs made for people, in Python, Java and C"
adapted() { cargo test -p referee --test end_to_end -- --ignored adapted_programs_in_other_languages --nocapture; }

step cluster "programs" "a match in eight shards and a proof in four parts, under GNU parallel and Slurm; tasks are killed, cancelled and requeued"
cluster() { tests/cluster/check.sh "$programs"; }

step packages "" "what cargo would publish, installed from the packages alone"
packages() { tests/packages/crates.sh; }

step release "programs" "the files of a release; the Debian package in a clean root"
release() { tests/packages/check.sh; }

step gradescope "programs python3" "the autograder of Gradescope in an empty root"
gradescope() { python3 -B tests/autograder/check.py "$referee" Gradescope; }

step wasm "programs node target:wasm32-wasip1" "the engine in WebAssembly: its size, the dialogues of the protocol in Node"
wasm() {
    tool wasm-opt binaryen || true
    bash web/build.sh
    ENGINE="node $PWD/web/run.mjs" cargo test -p tests --test engine -- --ignored another_build
    # Several slices, without input between them.
    echo "go nodes 300000 movetime 60000" | timeout 60 node web/run.mjs | grep bestmove
    nodes() { grep "Nodes searched"; }
    cmp <(echo bench | node web/run.mjs | nodes) <("$lodestone" bench | nodes)
}

step browser "programs chromium target:wasm32-wasip1" "the page to play on, the package for npm, and the speed of WebAssembly, in Chromium"
browser() {
    [ -e web/dist/lodestone.wasm ] || bash web/build.sh
    node tests/web/speed.mjs "$lodestone"
    node web/pack.mjs
    PICTURES=target/web-pictures node --test --test-concurrency=2 $(ls tests/web/*.test.mjs | grep -v time)
    # Alone, because it measures time.
    node --test tests/web/time.test.mjs
    echo "screenshots: target/web-pictures"
}
