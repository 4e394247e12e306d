// fair.mjs MODULE GAMES [--demo]: reads rounds' files from standard input, one a line, adds the definition of each game to them, and prints what the page's module
// says of each: its report, or {"error"}. A line that has a definition keeps it.
import { existsSync, readFileSync } from "node:fs";
import { openModule } from "../../services/gateway/web/fairness/module.js";

const [module, games, demo] = process.argv.slice(2);
const check = await openModule(new WebAssembly.Module(readFileSync(module)));
const definitions = {};
function definitionOf(game) {
	const own = `${games}/${game}/definition.demo.json`;
	definitions[game] ??= readFileSync(demo && existsSync(own) ? own : `${games}/${game}/definition.json`, "utf8");
	return definitions[game];
}
for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
	const [, game] = /"game": ?"([^"]+)"/.exec(line);
	const text = line.includes('"definition":') ? line : `${line.slice(0, -1)},"definition":${definitionOf(game)}}`;
	const { report, error } = check(text);
	process.stdout.write(`${report ?? JSON.stringify({ error })}\n`);
}
