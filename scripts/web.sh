#!/usr/bin/env bash
# web.sh: makes build/web, what the gateway serves: our pages as they are, and beside them in vendor/ what
# services/gateway/web/package-lock.json pins (checked by npm against the digests in it), with the licences. There is no build step
# for the pages themselves but the folder that browsers keep for ever, and brotli and gzip. figures.json, for the games' help, is what slotmath says of each definition; currencies.js comes from the one table of currencies.   web.sh modules: only fetches, with the tests' tools too, and prints where they are.
set -eu
. "$(dirname "$0")/lib.sh"
from=$ROOT/services/gateway/web
# Modules of each set of versions have a folder of their own: two trees that share the downloads do not take them from each other.
stamp=$(cat "$from/package.json" "$from/package-lock.json" | sha256sum | cut -d' ' -f1)
place=$CARILLON_CACHE/npm/${stamp:0:12}
want=${1:-pages}

fetch() {
    mkdir -p "$place"
    cp "$from/package.json" "$from/package-lock.json" "$from/.npmrc" "$place/"
    (cd "$place" && npm ci --no-progress --ignore-scripts --cache "$place/cache")
}

modules() {
    [ -f "$place/stamp" ] && [ "$(cat "$place/stamp")" = "$stamp" ] && return
    command -v npm >/dev/null || die "found no npm, expected it to be installed; scripts/setup.sh installs it"
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

# Each page names all modules that its own will import, so that the browser asks for them at once and not level by level; the player's page also
# what it asks of the server first.
preloads() {
    node - "$1" <<'SCRIPT'
const { existsSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const folder = process.argv[2];
const importsOf = (path) => [...readFileSync(folder + path, "utf8").matchAll(/^(?:import|export) (?:[^;"]* from )?"(\/[^"]+)";/gm)].map(([, to]) => to);
const FIRST = { "/app.js": ["/v1/config", "/v1/games", "/v1/jackpots", "/worlds/index.json"] };
function graph(entry) {
	const found = new Set([entry]);
	for (const path of found) if (existsSync(folder + path)) for (const to of importsOf(path)) found.add(to);
	found.delete(entry);
	return [...found];
}
for (const name of readdirSync(folder, { recursive: true })) {
	if (!name.endsWith(".html")) continue;
	const page = readFileSync(`${folder}/${name}`, "utf8");
	const entry = /<script type="module" src="([^"]+)">/.exec(page)?.[1];
	if (!entry) continue;
	const links = [...graph(entry).map((path) => `<link rel="modulepreload" href="${path}">`), ...(FIRST[entry] ?? []).map((path) => `<link rel="preload" as="fetch" href="${path}" crossorigin>`)];
	writeFileSync(`${folder}/${name}`, page.replace("</head>", `${links.join("\n")}\n</head>`));
}
SCRIPT
}

# A page that opens one game asks at once for its definition and pictures. $1: the game, $2: the page
preload_game() {
    local path
    for path in "/v1/games/$1" "/worlds/$1/symbols.svg"; do
        case $path in /worlds/*) [ -f "$from$path" ] || continue ;; esac
        sed -i "s|</head>|<link rel=\"preload\" as=\"fetch\" href=\"$path\" crossorigin>\n</head>|" "$2"
    done
}

# Moves what the pages load into one folder whose name is a digest of all that is in it: browsers keep it for ever (edge_pages.c). Pages and what has an
# address of its own stay where they are.
lasting() {
    node - "$1" <<'SCRIPT'
const { createHash } = require("node:crypto");
const { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const { dirname } = require("node:path");
const folder = process.argv[2];
const STAYS = /\.(html|txt|md|wasm)$|^(manifest\.json|(apple-touch-)?icon(-\d+)?\.(svg|png)|docs\/(open|async)api\.json)$/;
const LOADS = /\.(html|js|css)$/;
const files = readdirSync(folder, { recursive: true }).filter((name) => statSync(`${folder}/${name}`).isFile()).sort();
const moving = files.filter((name) => !STAYS.test(name));
const digest = createHash("sha256");
for (const name of moving) digest.update(`${name}\0`).update(readFileSync(`${folder}/${name}`));
const to = `/a.${digest.digest("hex").slice(0, 12)}.a`;
// "/api.js", url(/x.svg), and the names that a page puts together: `/worlds/${name}/tile.svg`
const known = new Set(moving.map((name) => `/${name}`));
const moves = (path) => known.has(path) || path.startsWith("/worlds/${");
const moved = (text) => text.replace(/(["'`(])(\/[^"'`()\s?#]+)/g, (all, quote, path) => moves(path) ? `${quote}${to}${path}` : all);
for (const name of files) if (LOADS.test(name) && !name.startsWith("vendor/")) writeFileSync(`${folder}/${name}`, moved(readFileSync(`${folder}/${name}`, "utf8")));
for (const name of moving) {
	mkdirSync(dirname(`${folder}${to}/${name}`), { recursive: true });
	renameSync(`${folder}/${name}`, `${folder}${to}/${name}`);
}
SCRIPT
}

# Beside each text its brotli and gzip, made once here and not with each answer; npm brings node.
codings() {
    node - "$1" <<'SCRIPT'
const { readdirSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { brotliCompressSync, gzipSync, constants } = require("node:zlib");
const folder = process.argv[2];
for (const name of readdirSync(folder, { recursive: true })) {
	const path = `${folder}/${name}`;
	if (!/\.(html|m?js|css|json|svg|txt|md|wasm)$/.test(name) || !statSync(path).isFile()) continue;
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
        [ -z "$(find "$from" "$0" "$ROOT/scripts/currencies.py" "$ROOT/libcommon/base/currency.c" "$ROOT/services/gateway/openapi.py" "$ROOT/services/notifications/asyncapi.py" "$ROOT/services/spin-engine/games" "$ROOT/build/bin/slotmath" "$ROOT/build/fairness.wasm" -newer "$old/.made" -print -quit 2>/dev/null)" ]; then
        return
    fi
    mkdir -p "$new/vendor"
    (cd "$from" && tar -cf - --exclude=package.json --exclude=package-lock.json --exclude=.npmrc .) | tar -xf - -C "$new"
    cp "$m/htm/preact/standalone.module.js" "$new/vendor/htm-preact.js"
    cp "$m/uplot/dist/uPlot.esm.js" "$new/vendor/uplot.js"
    cp "$m/uplot/dist/uPlot.min.css" "$new/vendor/uplot.css"
    cp "$m/htm/LICENSE" "$new/vendor/htm.LICENSE.txt"
    cp "$m/preact/LICENSE" "$new/vendor/preact.LICENSE.txt"
    cp "$m/uplot/LICENSE" "$new/vendor/uplot.LICENSE.txt"
    # Each game has an address at which an operator's site opens it, and its rules have one.
    for game in "$ROOT"/services/spin-engine/games/*/; do
        mkdir -p "$new/rules/$(basename "$game")"
        sed -e '/rel="manifest"/d; s|<body>|<body class="paper">|; s|id="app"|id="app" class="helpbody"|; s|/app.js|/rules.js|' "$from/index.html" >"$new/rules/$(basename "$game")/index.html"
        mkdir -p "$new/play/$(basename "$game")"
        play=$new/play/$(basename "$game")/index.html
        cp "$from/index.html" "$play"
        preload_game "$(basename "$game")" "$play"
    done
    figures >"$new/figures.json" || echo '[]' >"$new/figures.json"
    python3 "$ROOT/scripts/currencies.py" pages "$new"
    python3 "$ROOT/services/gateway/openapi.py" >"$new/docs/openapi.json"
    python3 "$ROOT/services/notifications/asyncapi.py" >"$new/docs/asyncapi.json"
    cp "$ROOT/build/fairness.wasm" "$new/fairness/fairness.wasm"
    preloads "$new"
    lasting "$new"
    codings "$new"
    say "fairness.wasm: $(stat -c %s "$new/fairness/fairness.wasm") bytes, $(stat -c %s "$new/fairness/fairness.wasm.br") in brotli (at most 150,000)"
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
