#!/bin/sh
# Holds the rule sheets (docs/rules/<game>.md) and the code together: every rule that the engine
# carries out is named by code and by a test, and every rule named anywhere exists. Rules of other
# holders are listed as a warning while nothing names them. The last line is "N passed, N failed":
# engine's rules that are in order, faults of any kind.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
: >"$work/faults"
fault() { echo "$*" >>"$work/faults"; }

# "RULE game 3.4, 3.6 to 3.8" -> "game 3.4" ... A name may be broken over two lines of a comment.
number="[0-9]+\.[0-9]+"
names() {
	while read -r file; do
		tr '\n\t' '  ' <"$file" | sed 's/ [*#] / /g; s|  *// | |g; s/  */ /g' |
			grep -oE "RULE [a-z][a-z0-9-]* $number((,| and| to) $number)*" |
			awk -v file="$file" '{
				game = $2; last = ""
				for (i = 3; i <= NF; i++) {
					if ($i == "to" || $i == "and") continue
					sub(/,$/, "", $i)
					split($i, now, "."); split(last, was, ".")
					if ($(i - 1) == "to")
						for (n = was[2] + 1; n < now[2]; n++)
							print game, now[1] "." n, file
					print game, $i, file
					last = $i
				}
			}' || true
	done
}

git ls-files -co --exclude-standard -- '*.c' '*.h' '*.py' '*.js' '*.html' '*.ts' >"$work/files"
grep -E '(^|/)tests?/' "$work/files" | names | sort -u >"$work/test" || true
grep -vE '(^|/)tests?/' "$work/files" | names | sort -u >"$work/code" || true

for sheet in docs/rules/*.md; do
	game=$(basename "$sheet" .md)
	awk -F'|' '$2 ~ /^ [0-9]+\.[0-9]+ $/ {
		gsub(/ /, "", $2); gsub(/ /, "", $5); print $2, $5 }' "$sheet" >"$work/rules"
	[ -s "$work/rules" ] || fault "$sheet: found no rule, expected rows '| 1.1 | .. | source | holder |'"
	for rule in $(cut -d' ' -f1 "$work/rules" | sort | uniq -d); do
		fault "$sheet: rule $rule is there twice"
	done
	while read -r rule holder; do
		case $holder in
		engine)
			named=0
			for kind in code test; do
				if grep -q "^$game $rule " "$work/$kind"; then
					named=$((named + 1))
				else
					fault "$sheet: rule $rule of the engine is named by no $kind"
				fi
			done
			passed=$((passed + named / 2))
			;;
		wallet | pool | gateway | notifications | page)
			grep -q "^$game $rule " "$work/code" ||
				echo "$rule ($holder)" >>"$work/unnamed.$game"
			;;
		*)
			fault "$sheet: rule $rule: found holder '$holder', expected engine, wallet," \
				"pool, gateway, notifications or page"
			;;
		esac
	done <"$work/rules"
	[ ! -s "$work/unnamed.$game" ] ||
		echo "warning: $game: rules of other holders that no code names yet:" \
			"$(paste -sd, "$work/unnamed.$game" | sed 's/,/, /g')"
	echo "$game: $(wc -l <"$work/rules") rules, $(grep -c ' engine$' "$work/rules") of the engine"
	cut -d' ' -f1 "$work/rules" | sed "s/^/$game /" >>"$work/known"
done
sort -u "$work/code" "$work/test" >"$work/names"
while read -r game rule file; do
	if [ ! -f "docs/rules/$game.md" ]; then
		fault "$file: names rule $rule of '$game', which has no sheet"
	elif ! grep -qx "$game $rule" "$work/known"; then
		fault "$file: names rule $rule, which docs/rules/$game.md does not have"
	fi
done <"$work/names"
cat "$work/faults"
echo "$passed passed, $(wc -l <"$work/faults") failed"
[ ! -s "$work/faults" ]
