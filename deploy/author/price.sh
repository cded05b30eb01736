#!/usr/bin/env bash
# What a call of each contract pays for its memory, for the summary of a job; with MAX_GAS it is a gate.
#
#   price.sh < LIST
#
# LIST has a path a line: files, folders or patterns. Needs estimator. It goes by the table in PARAMS, or by the one that ships, in the
# gas of CHAIN (near, substrate, soroban, fvm, stylus, generic), with lines of KEY=VALUE in SET. With STACK (such as 48KiB) it also says
# what each would pay with such a stack. It ends with 3 if a contract pays more than MAX_GAS, or cannot be said not to; with 1 if a
# file is no contract, and with 2 on wrong usage.
set -euo pipefail

args=(price --format markdown)
[ -z "${CHAIN:-}" ] || args+=(--chain "$CHAIN")
[ -z "${PARAMS:-}" ] || args+=(--params "$PARAMS")
[ -z "${MAX_GAS:-}" ] || args+=(--max-gas "$MAX_GAS")
[ -z "${STACK:-}" ] || args+=(--stack "$STACK")
while IFS= read -r pair; do
  [ -z "$pair" ] || args+=(--set "$pair")
done <<<"${SET:-}"

text=$(mktemp)
trap 'rm -f "$text"' EXIT
code=0
estimator "${args[@]}" - >"$text" || code=$?
if [ -s "$text" ]; then
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    { printf '## What a call pays for memory\n\n' && cat "$text"; } >>"$GITHUB_STEP_SUMMARY"
  else
    cat "$text"
  fi
fi
exit "$code"
