#!/usr/bin/env bash
# Says on a pull request what its change of parameter tables means: one comment, posted once there is a change and renewed when it says
# something else.
#
#   comment.sh BASE_REVISION TABLE...
#
# Needs git and estimator. With PULL_REQUEST (a number), GITHUB_REPOSITORY and GH_TOKEN set, it comments through gh; otherwise, or
# if it may not comment (the token of a pull request from a fork cannot), the text goes to the job's summary or to standard output.
# COMMENTER is whose comment is renewed (github-actions[bot]); one that somebody else wrote is left alone.
# THRESHOLD is the smallest change of interest in percent (2). With GATE=1 it ends with 3 on a change beyond that or on tables that are
# not comparable, and with 4 if a value may not have changed at all; a certain change in one table outweighs an unsure one in another.
# Backticks are Markdown's here.
# shellcheck disable=SC2016
set -euo pipefail
# What a hook exports for its own repository would be taken for that of the tables.
unset GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES

[ $# -ge 2 ] || { echo "usage: comment.sh BASE_REVISION TABLE..." >&2; exit 2; }
base=$1
shift
threshold=${THRESHOLD:-2}
marker='<!-- estimator: parameters in review -->'

# First the repository: what git says against it is no word about the revision.
git rev-parse --git-dir >/dev/null || exit 1
commit=$(git rev-parse --verify --end-of-options "$base^{commit}") || {
  echo "no revision $base here: fetch it first (actions/checkout with fetch-depth: 0)" >&2
  exit 2
}

# Whether the base has the table. What git says against looking is no word about the table.
was_there() {
  local found
  found=$(git ls-tree --name-only "$commit" -- "$1") || exit 1
  [ -n "$found" ]
}

text=$(mktemp)
trap 'rm -f "$text"' EXIT
printf '%s\n' "$marker" >"$text"
gate=0
# Whether there is something to say that is no "No difference".
changed=no
for table in "$@"; do
  if [ ! -f "$table" ]; then
    if was_there "$table"; then
      printf '**The table is removed.** (`%s`)\n\n' "$table" >>"$text"
      gate=3
      changed=yes
    else
      printf 'There is no such table. (`%s`)\n\n' "$table" >>"$text"
    fi
  elif ! was_there "$table"; then
    printf '**The table is new.** (`%s`)\n\n' "$table" >>"$text"
    changed=yes
    # Against itself: what speaks against it, if anything does.
    alone=$(estimator diff "$table" "$table" --format markdown) || exit 1
    printf '%s\n' "$alone" | sed -n -e '/^### /s/^/\n/' -e '/^| old /d' -e '/### /,$p' >>"$text"
    gate=3
  else
    code=0
    said=$(estimator diff --base "$base" "$table" --threshold "$threshold" --exit-code --format markdown) || code=$?
    # The one line first, and of which table it is.
    printf '**%s** (`%s`)\n%s\n\n' "${said%%$'\n'*}" "$table" "${said#"${said%%$'\n'*}"}" >>"$text"
    case $said in "No difference"*) ;; *) changed=yes ;; esac
    case $code in
      0) ;;
      3) gate=3 ;;
      4) [ "$gate" = 3 ] || gate=4 ;;
      # Another reference machine, contract set or chain: a change of every fee.
      6) case $said in *"Not comparable"*) gate=3 ;; *) exit 6 ;; esac ;;
      *) exit "$code" ;;
    esac
  fi
done

commented=no
if [ -n "${PULL_REQUEST:-}" ] && [ -n "${GH_TOKEN:-}" ]; then
  comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
  if known=$(gh api --paginate "$comments" \
    --jq ".[] | select(.user.login == \"${COMMENTER:-github-actions[bot]}\") | select(.body | startswith(\"$marker\")) | .id"); then
    known=${known%%$'\n'*}
    if [ -n "$known" ]; then
      one="repos/$GITHUB_REPOSITORY/issues/comments/$known"
      # Nobody is told again what the comment says already.
      if [ "$(gh api "$one" --jq .body | tr -d '\r')" = "$(cat "$text")" ]; then
        commented=yes
      else
        gh api --method PATCH "$one" -F body=@"$text" >/dev/null && commented=yes
      fi
    elif [ "$changed" = no ]; then
      commented=yes
    else
      gh api --method POST "$comments" -F body=@"$text" >/dev/null && commented=yes
    fi
  fi
fi
if [ "$commented" = no ]; then
  [ -z "${PULL_REQUEST:-}" ] || [ -z "${GH_TOKEN:-}" ] || echo "gh could not comment; the text goes elsewhere" >&2
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    cat "$text" >>"$GITHUB_STEP_SUMMARY"
  else
    cat "$text"
  fi
fi

[ "${GATE:-0}" = 1 ] || gate=0
exit "$gate"
