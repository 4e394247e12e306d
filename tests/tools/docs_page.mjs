// Runs the script of /docs/ on a document of its own: standard input has what its paths answer, standard output gets the ids, the links and the text.
// Usage: node docs_page.mjs SCRIPT
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

class Element {
	constructor(name) {
		Object.assign(this, { name, attributes: {}, children: [] });
	}
	setAttribute(key, value) {
		this.attributes[key] = String(value);
	}
	append(...children) {
		this.children.push(...children);
	}
	replaceChildren(...children) {
		this.children = children;
	}
	scrollIntoView() {}
}

const answers = JSON.parse(readFileSync(0, "utf8"));
const roots = { contents: new Element("nav"), docs: new Element("main") };
globalThis.document = { createElement: (name) => new Element(name), getElementById: (id) => roots[id] ?? null };
globalThis.location = { hash: "" };
globalThis.fetch = async (path) => ({ ok: path in answers, status: path in answers ? 200 : 404, json: async () => answers[path] });
await import(pathToFileURL(process.argv[2]));

const all = (node) => (node instanceof Element ? [node, ...node.children.flatMap(all)] : []);
const text = (node) => (node instanceof Element ? node.children.map(text).join("") : String(node));
const elements = Object.values(roots).flatMap(all);
console.log(JSON.stringify({
	ids: elements.map((one) => one.attributes.id).filter(Boolean),
	links: elements.map((one) => one.attributes.href).filter(Boolean),
	text: Object.values(roots).map(text).join("\n"),
}));
