#!/usr/bin/env bash
# Manual pages out of what the command says of itself: tessera.1, and a page for each of its commands.
#
#   manual.sh HELP2MAN TESSERA FOLDER
set -euo pipefail
help2man=$1 tessera=$2 folder=$3
export LC_ALL=C.UTF-8 COLUMNS=1000

# page NAME WHAT COMMAND...: what COMMAND --help says as NAME.1. A page is called as the program that it asks.
page() {
  local name=$1 what=$2
  shift 2
  printf '#!/bin/sh\nexec %s "$@"\n' "$(printf '%q ' "$@")" > "$programs/$name"
  chmod +x "$programs/$name"
  "$help2man" --no-info --section=1 --manual=Tessera --name="$what" --version-string="$version" \
    --output="$folder/$name.1" "$programs/$name"
}

programs=$(mktemp -d)
trap 'rm -r "$programs"' EXIT
rm -rf "$folder"
mkdir -p "$folder"
version=$("$tessera" --version)
version=${version##* }
page tessera 'an array language whose types say where every element lives' "$tessera"
"$tessera" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1 \2/p' | while read -r command what; do
  page "tessera-$command" "${what%.}" "$tessera" "$command"
done
gzip --best --no-name "$folder"/*.1
