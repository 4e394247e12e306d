// currencies.mjs FOLDER: reads cases as JSON from standard input and prints what the pages' formatter in FOLDER makes of each. A case is [locale, function, arguments].
import { readFileSync } from "node:fs";

const [folder] = process.argv.slice(2);
const format = await import(`${folder}/format.js`);
const answers = JSON.parse(readFileSync(0, "utf8")).map(([locale, name, values]) => {
	globalThis.LOCALE = locale;
	try {
		const found = format[name];
		return typeof found === "function" ? found(...values) : found;
	} catch (error) {
		return `thrown: ${error.message}`;
	}
});
process.stdout.write(JSON.stringify(answers));
