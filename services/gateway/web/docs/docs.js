// Shows openapi.json and asyncapi.json: each route and message with its parameters, its schemas in short, and the codes of errors.

const make = (name, attributes = {}, ...children) => {
	const element = document.createElement(name);
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
	element.append(...children.filter((child) => child !== null && child !== undefined && child !== ""));
	return element;
};

const nameOf = (ref) => ref.split("/").pop();
const anchorOf = (text) => text.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "").toLowerCase();

// A schema as text in the manner of the answers themselves, with links to named ones: nodes for append().
function shape(schema, indent = "") {
	if (schema.$ref) return [make("a", { href: `#schema-${nameOf(schema.$ref)}` }, nameOf(schema.$ref))];
	if (schema.anyOf) return schema.anyOf.flatMap((one, i) => [i ? " | " : "", ...shape(one, indent)]);
	if (schema.enum) return [schema.enum.map((value) => JSON.stringify(value)).join(" | ")];
	if ("const" in schema) return [JSON.stringify(schema.const)];
	const types = [schema.type ?? "any"].flat();
	const or = types.includes("null") ? " | null" : "";
	const type = types.find((one) => one !== "null");
	if (type === "array") return ["[", ...shape(schema.items ?? {}, indent), "]", or];
	if (type === "object" && schema.properties) return [...members(schema, indent), or];
	return [type, range(schema), or];
}

function range({ minimum, maximum, minLength, maxLength, pattern }) {
	if (minimum !== undefined || maximum !== undefined) return ` ${minimum ?? ""}..${maximum ?? ""}`;
	if (maxLength !== undefined) return ` of ${minLength ?? 0}..${maxLength} characters`;
	return pattern ? ` ${pattern}` : "";
}

function members(schema, indent) {
	const inner = `${indent}  `;
	const required = schema.required ?? [];
	const lines = Object.entries(schema.properties).flatMap(([name, of]) => [
		`\n${inner}${name}${required.includes(name) ? "" : "?"}: `, ...shape(of, inner), of.description ? ` — ${of.description}` : ""]);
	return ["{", ...lines, `\n${indent}}`];
}

const shown = (title, schema) => [make("h4", {}, title), make("pre", {}, ...shape(schema))];

function parameterRow(parameter) {
	const required = parameter.required ? "" : " (optional)";
	return make("tr", {}, make("td", {}, make("code", {}, parameter.name), required), make("td", {}, parameter.in),
		make("td", {}, ...shape(parameter.schema)), make("td", {}, parameter.description ?? ""));
}

function answerParts([status, answer], document) {
	const whole = answer.$ref ? document.components.responses[nameOf(answer.$ref)] : answer;
	const [type, content] = Object.entries(whole.content ?? {})[0] ?? [];
	const title = `${status === "default" ? "Error" : status}: ${whole.description}${type && type !== "application/json" ? ` ${type}` : ""}`;
	return content ? shown(title, content.schema) : [make("h4", {}, title)];
}

function routeSection(document, path, method, operation) {
	const parameters = (operation.parameters ?? []).map((one) => (one.$ref ? document.components.parameters[nameOf(one.$ref)] : one));
	const body = operation.requestBody?.content["application/json"].schema;
	return make("section", { id: anchorOf(`${method} ${path}`) },
		make("h3", {}, make("span", { class: "method" }, method), make("code", {}, path)),
		make("p", {}, `${operation.summary}.`),
		parameters.length ? make("table", {}, make("tbody", {}, ...parameters.map(parameterRow))) : null,
		...(body ? shown("Body", body) : []),
		...Object.entries(operation.responses).flatMap((answer) => answerParts(answer, document)));
}

function routesOf(document, tag) {
	return Object.entries(document.paths).flatMap(([path, methods]) => Object.entries(methods)
		.filter(([, operation]) => operation.tags.includes(tag)).map(([method, operation]) => ({ path, method, operation })));
}

function httpParts(document) {
	return document.tags.flatMap(({ name, description }) => [make("h2", { id: `tag-${name}` }, description),
		...routesOf(document, name).map(({ path, method, operation }) => routeSection(document, path, method, operation))]);
}

function messageSection(name, message) {
	return make("section", { id: `message-${name}` }, make("h3", {}, name), make("p", {}, `${message.summary}.`), ...shown("Frame", message.payload));
}

function socketParts(document) {
	return Object.entries(document.channels).flatMap(([, channel]) => [make("h2", { id: "websocket" }, "WebSocket ", make("code", {}, channel.address)),
		make("p", {}, channel.description), ...Object.entries(document.components.messages).map(([name, message]) => messageSection(name, message))]);
}

function problemParts(document) {
	const rows = document["x-problems"].map(({ code, statuses, message }) => make("tr", { id: `error-${code}` },
		make("td", {}, make("code", {}, code)), make("td", {}, statuses.join(", ")), make("td", {}, message)));
	return [make("h2", { id: "errors" }, "Codes of errors"), make("table", {}, make("tbody", {}, ...rows))];
}

function schemaParts(document) {
	return [make("h2", { id: "schemas" }, "Schemas"), ...Object.entries(document.components.schemas).map(([name, schema]) =>
		make("section", { id: `schema-${name}` }, make("h3", {}, name), schema.description ? make("p", {}, schema.description) : null, make("pre", {}, ...shape(schema))))];
}

function contents(http) {
	const links = http.tags.flatMap(({ name, description }) => [make("strong", {}, description),
		...routesOf(http, name).map(({ path, method }) => make("a", { href: `#${anchorOf(`${method} ${path}`)}` }, `${method.toUpperCase()} ${path}`))]);
	const rest = [["#websocket", "WebSocket"], ["#errors", "Codes of errors"], ["#schemas", "Schemas"]];
	return [...links, make("strong", {}, "More"), ...rest.map(([href, text]) => make("a", { href }, text))];
}

const read = async (path) => {
	const response = await fetch(path);
	if (!response.ok) throw new Error(`${path}: ${response.status}`);
	return response.json();
};

try {
	const [http, socket] = await Promise.all([read("/docs/openapi.json"), read("/docs/asyncapi.json")]);
	document.getElementById("contents").replaceChildren(...contents(http));
	document.getElementById("docs").replaceChildren(make("h1", {}, http.info.title), make("p", {}, http.info.description),
		make("p", {}, make("a", { href: "/docs/openapi.json" }, "OpenAPI"), " · ", make("a", { href: "/docs/asyncapi.json" }, "AsyncAPI")),
		...httpParts(http), ...socketParts(socket), ...problemParts(http), ...schemaParts(http));
	document.getElementById(location.hash.slice(1))?.scrollIntoView();
} catch (error) {
	document.getElementById("docs").replaceChildren(make("p", { role: "alert" }, `The interface cannot be shown: ${error.message}`));
}
