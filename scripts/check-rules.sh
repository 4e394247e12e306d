#!/bin/sh
# Holds the rule sheets (docs/rules/<game>.md) and the code together: every rule that the engine
# carries out is named by code and by a test, and every rule named anywhere exists. Rules of other
# holders are listed as a warning while nothing names them.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# "RULE game 3.4, 3.6 to 3.8" -> "game 3.4" ... A name may be broken over two lines of a comment.
names() {
	while read -r file; do
		tr '\n\t' '  ' <"$file" | sed 's/ [*#] / /g; s|  *// | |g; s/  */ /g' |
			grep -oE 'RULE [a-z][a-z0-9-]* [0-9]+\.[0-9]+((,| and| to) [0-9]+\.[0-9]+)*' |
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
grep -E '(^|/)tests?/' "$work/files" | names | sort -u >"$work/tests" || true
grep -vE '(^|/)tests?/' "$work/files" | names | sort -u >"$work/code" || true

for sheet in docs/rules/*.md; do
	game=$(basename "$sheet" .md)
	awk -F'|' '$2 ~ /^ [0-9]+\.[0-9]+ $/ {
		gsub(/ /, "", $2); gsub(/ /, "", $5); print $2, $5 }' "$sheet" >"$work/rules"
	cut -d' ' -f1 "$work/rules" | sort | uniq -d | while read -r rule; do
		echo "$sheet: rule $rule is there twice"
	done | grep . && status=1
	while read -r rule holder; do
		case $holder in
		engine)
			for kind in code tests; do
				if ! grep -q "^$game $rule " "$work/$kind"; then
					echo "$sheet: rule $rule of the engine is named by no ${kind%s}"
					status=1
				fi
			done
			;;
		wallet | pool | gateway | notifications | page)
			grep -q "^$game $rule " "$work/code" ||
				echo "$rule ($holder)" >>"$work/unnamed.$game"
			;;
		*)
			echo "$sheet: rule $rule: found holder '$holder', expected engine, wallet, pool, gateway, notifications or page"
			status=1
			;;
		esac
	done <"$work/rules"
	cat "$work/code" "$work/tests" | while read -r named rule file; do
		[ "$named" = "$game" ] || continue
		grep -q "^$rule " "$work/rules" || echo "$file: names rule $game $rule, which $sheet does not have"
	done | sort -u | grep . && status=1
	[ ! -s "$work/unnamed.$game" ] ||
		echo "warning: $game: rules of other holders that no code names yet: $(paste -sd, "$work/unnamed.$game" | sed 's/,/, /g')"
	echo "$game: $(wc -l <"$work/rules") rules, $(grep -c ' engine$' "$work/rules") of the engine"
done
cat "$work/code" "$work/tests" | while read -r named rule file; do
	[ -f "docs/rules/$named.md" ] || echo "$file: names rule $rule of '$named', which has no sheet"
done | sort -u | grep . && status=1
exit $status
