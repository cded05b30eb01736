#!/usr/bin/env bash
# Does the fee repeat? Runs by turns alone and beside a neighbour on another processor, then every pair of the signed ones held against each other.
#
#     benches/repeat.sh [QUICK [STANDARD [OUT]]]
#
# so many runs of each profile (20 and 10, which takes two hours), kept in a folder (target/repeat). Nothing else should run.
set -euo pipefail
cd "$(dirname "$0")/.."
quick=${1:-20} standard=${2:-10} out=${3:-target/repeat}
cargo build --release --locked --example neighbour --bin estimator
estimator=$PWD/target/release/estimator neighbour=$PWD/target/release/examples/neighbour
mkdir -p "$out"
rm -f "$out"/*.toml

run() { # PROFILE NUMBER
    local name=$1-$2 beside=alone pid=
    case $(($2 % 4)) in
    1) beside=copy ;;
    3) beside=fault ;;
    esac
    if [ $beside != alone ]; then
        "$neighbour" $beside &
        pid=$!
    fi
    local code=0
    "$estimator" run --contracts estimator-contracts --profile "$1" --seed "$2" --out "$out/runs" \
        --params "$out/$name.toml" >"$out/$name.txt" 2>"$out/$name.err" </dev/null || code=$?
    if [ -n "$pid" ]; then kill "$pid" && wait "$pid" 2>/dev/null || true; fi
    echo "$name $beside $code" | tee -a "$out/outcomes"
}

: >"$out/outcomes"
for ((i = 0; i < quick || i < standard; i++)); do
    if ((i < quick)); then run quick $i; fi
    if ((i < standard)); then run standard $i; fi
done

echo "outcomes by neighbour and exit code (0 signed, 4 refused):"
cut -d' ' -f2,3 "$out/outcomes" | sort | uniq -c

shopt -s nullglob
tables=("$out"/*.toml)
echo "pairs of signed tables by the exit code of diff (0 same, 3 changed, 4 unsure, 6 not comparable):"
for ((a = 0; a < ${#tables[@]}; a++)); do
    for ((b = a + 1; b < ${#tables[@]}; b++)); do
        code=0
        "$estimator" diff "${tables[a]}" "${tables[b]}" --exit-code >/dev/null || code=$?
        echo "$code"
    done
done | sort | uniq -c
