// The core of the games as WebAssembly: plays a round again from its file. The same code as the engine's and slotmath's (tools/fairness-wasm).

// The module's C library names functions for files. It gets none that work: the module sees nothing but the text it is given.
const NO_SUCH_FILE = 8;

function importsOf(module) {
	const imports = {};
	for (const { module: from, name } of WebAssembly.Module.imports(module)) (imports[from] ??= {})[name] = () => NO_SUCH_FILE;
	return imports;
}

// A checker: the text of a round's file -> { report } or { error }.
export async function openModule(module) {
	const { exports: fair } = await WebAssembly.instantiate(module, importsOf(module));
	fair._initialize();
	return (text) => {
		const bytes = new TextEncoder().encode(text);
		const at = fair.fair_room(bytes.length);
		if (!at) return { error: "the file is too long for the memory of this browser" };
		new Uint8Array(fair.memory.buffer, at, bytes.length).set(bytes);
		const verdict = fair.fair_check(at, bytes.length);
		const said = new Uint8Array(fair.memory.buffer, fair.fair_report());
		const report = new TextDecoder().decode(said.subarray(0, said.indexOf(0)));
		return verdict < 0 ? { error: report } : { report };
	};
}
