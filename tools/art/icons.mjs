// Draws services/gateway/web/icon.svg as the PNG files that phones and installed pages ask for: on the page's ground, small enough for any mask.
// After a change of the icon: node tools/art/icons.mjs "$(scripts/web.sh modules)" /usr/bin/chromium
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const WEB = new URL("../../services/gateway/web/", import.meta.url).pathname;
const GROUND = "#10141d";
const PART = 0.66; // of the side: what every mask leaves is a circle of 0.8
const ICONS = { "icon-192.png": 192, "icon-512.png": 512, "apple-touch-icon.png": 180 };

const [modules, chromium] = process.argv.slice(2);
const browser = await createRequire(`${modules}/`)("playwright-core").chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
const icon = encodeURIComponent(readFileSync(`${WEB}icon.svg`, "utf8"));
for (const [name, side] of Object.entries(ICONS)) {
	const page = await browser.newPage({ viewport: { width: side, height: side } });
	const style = `background: ${GROUND} url('data:image/svg+xml,${icon.replaceAll("'", "%27")}') center / ${PART * 100}% no-repeat; margin: 0; height: 100vh`;
	await page.setContent(`<body style="${style}"></body>`);
	await page.screenshot({ path: `${WEB}${name}` });
	await page.close();
}
await browser.close();
