#!/usr/bin/env bash
# web.sh: makes build/web, what the gateway serves: our pages as they are, and beside them in vendor/ what
# services/gateway/web/package-lock.json pins (checked by npm against the digests in it), with the licences. There is no build step
# for the pages themselves but their brotli and gzip. figures.json, for the games' help, is what slotmath says of each definition.   web.sh modules: only fetches, with the tests' tools too, and prints where they are.
set -eu
. "$(dirname "$0")/lib.sh"
from=$ROOT/services/gateway/web
place=$CARILLON_CACHE/npm
want=${1:-pages}

fetch() {
    mkdir -p "$place"
    cp "$from/package.json" "$from/package-lock.json" "$from/.npmrc" "$place/"
    (cd "$place" && npm ci --no-progress --ignore-scripts --cache "$place/cache")
}

modules() {
    local stamp
    stamp=$(cat "$from/package.json" "$from/package-lock.json" | sha256sum)
    [ -f "$place/stamp" ] && [ "$(cat "$place/stamp")" = "$stamp" ] && return
    command -v npm >/dev/null || die "found no npm; expected it to be installed: scripts/setup.sh"
    with_dots "fetching the pages' modules" fetch || die "the pages' modules could not be fetched (see above): is there a network?"
    rm -rf "$place/cache"
    echo "$stamp" >"$place/stamp"
}

# The exact figures of the definitions that may be served; without slotmath the help shows the published ones alone.
figures() {
    local tool=$ROOT/build/bin/slotmath demo
    if [ ! -x "$tool" ]; then
        echo '[]'
        return
    fi
    {
        "$tool" rtp --all --json
        for demo in "$ROOT"/services/spin-engine/games/*/definition.demo.json; do
            "$tool" rtp "$demo" --draft --json
        done
    } | python3 -c 'import json, sys
text, place, found = sys.stdin.read(), 0, []
while text[place:].strip():
    place += len(text[place:]) - len(text[place:].lstrip())
    one, place = json.JSONDecoder().raw_decode(text, place)
    found += one if isinstance(one, list) else [one]
keep = ("mode", "published", "rtp", "hit_rate", "features", "max_win_x", "max_win_probability_exact", "volatility_index")
first = lambda m: [s for s in m.get("states") or [] if s["state"].startswith("first ")]
json.dump([{"math_version": g["math_version"], "modes": [{k: m.get(k) for k in keep} | {"states": first(m)} for m in g["modes"]]} for g in found], sys.stdout)'
}

# Beside each text its brotli and gzip, made once here and not with each answer; npm brings node.
codings() {
    node - "$1" <<'SCRIPT'
const { readdirSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { brotliCompressSync, gzipSync, constants } = require("node:zlib");
const folder = process.argv[2];
for (const name of readdirSync(folder, { recursive: true })) {
	const path = `${folder}/${name}`;
	if (!/\.(html|m?js|css|json|svg|txt|md)$/.test(name) || !statSync(path).isFile()) continue;
	const bytes = readFileSync(path);
	const coded = { br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }), gz: gzipSync(bytes, { level: 9 }) };
	for (const [ending, less] of Object.entries(coded)) if (less.length < 0.9 * bytes.length) writeFileSync(`${path}.${ending}`, less);
}
SCRIPT
}

pages() {
    local new=$ROOT/build/web.$$ old=$ROOT/build/web
    local m=$place/node_modules
    # Nothing newer than what was made last: nothing to do.
    if [ -f "$old/.made" ] && [ "$(cat "$old/.made")" = "$(cat "$place/stamp")" ] &&
        [ -z "$(find "$from" "$0" "$ROOT/services/gateway/openapi.py" "$ROOT/services/notifications/asyncapi.py" "$ROOT/services/spin-engine/games" "$ROOT/build/bin/slotmath" -newer "$old/.made" -print -quit 2>/dev/null)" ]; then
        return
    fi
    mkdir -p "$new/vendor"
    (cd "$from" && tar -cf - --exclude=package.json --exclude=package-lock.json --exclude=.npmrc .) | tar -xf - -C "$new"
    cp "$m/htm/preact/standalone.module.js" "$new/vendor/htm-preact.js"
    cp "$m/uplot/dist/uPlot.esm.js" "$new/vendor/uplot.js"
    cp "$m/uplot/dist/uPlot.min.css" "$new/vendor/uplot.css"
    cp "$m/htm/LICENSE" "$new/vendor/htm.LICENSE"
    cp "$m/preact/LICENSE" "$new/vendor/preact.LICENSE"
    cp "$m/uplot/LICENSE" "$new/vendor/uplot.LICENSE"
    # Each game's rules have an address of their own.
    for game in "$ROOT"/services/spin-engine/games/*/; do
        mkdir -p "$new/rules/$(basename "$game")"
        cp "$from/rules.html" "$new/rules/$(basename "$game")/index.html"
    done
    figures >"$new/figures.json" || echo '[]' >"$new/figures.json"
    python3 "$ROOT/services/gateway/openapi.py" >"$new/docs/openapi.json"
    python3 "$ROOT/services/notifications/asyncapi.py" >"$new/docs/asyncapi.json"
    codings "$new"
    cp "$place/stamp" "$new/.made"
    rm -rf "$old"
    mv "$new" "$old"
}

modules
case $want in
pages) pages ;;
modules) echo "$place/node_modules" ;;
*) die "found '$want', expected modules or nothing" ;;
esac
