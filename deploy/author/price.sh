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

# A text without the blanks around it, which workflow files and editors leave.
trimmed() {
  local text=${1#"${1%%[![:space:]]*}"}
  printf '%s' "${text%"${text##*[![:space:]]}"}"
}

args=(price --format markdown)
setting() {
  local value
  value=$(trimmed "$2")
  [ -z "$value" ] || args+=("$1=$value")
}
setting --chain "${CHAIN:-}"
setting --params "${PARAMS:-}"
setting --max-gas "${MAX_GAS:-}"
setting --stack "${STACK:-}"
while IFS= read -r pair; do
  setting --set "$pair"
done <<<"${SET:-}"

# A file whose name begins or ends with blanks is still found.
names() {
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    [ -e "$line" ] || line=$(trimmed "$line")
    printf '%s\n' "$line"
  done
}

text=$(mktemp)
trap 'rm -f "$text"' EXIT
code=0
estimator "${args[@]}" - < <(names) >"$text" || code=$?
if [ -s "$text" ]; then
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    { printf '## What a call pays for memory\n\n' && cat "$text"; } >>"$GITHUB_STEP_SUMMARY"
  else
    cat "$text"
  fi
fi
exit "$code"
