#!/usr/bin/env bash
# A plain git hook: copy it to .git/hooks/pre-commit and make it executable. It checks the Java files
# that are about to be committed; what is undecided does not stop a commit.
set -euo pipefail
mapfile -d '' -t files < <(git diff --cached --name-only --diff-filter=ACMR -z -- '*.java')
if [ ${#files[@]} -eq 0 ]; then exit 0; fi
status=0
jarosite check --quiet -- "${files[@]}" || status=$?
case $status in 0 | 3) ;; *) exit "$status" ;; esac
