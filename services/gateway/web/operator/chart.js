// A small line over time, by uPlot, in the colours of the page.
import uPlot from "/vendor/uplot.js";
import { html, useEffect, useRef } from "/vendor/htm-preact.js";
import { zone } from "/operator/zone.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// From 0 to a little above the highest value; or around the values alone, where their changes are small beside them.
const whole = (_, low, high) => [0, Math.max(high * 1.15, 1)];
const around = (_, low, high) => { const room = Math.max((high - low) * 0.1, Math.abs(high) * 1e-4, 0.01); return [Math.max(0, low - room), high + room]; };

// The last `span` seconds, or from the first value on if that is earlier.
function ending(times, span) {
	const end = Math.max(times.at(-1) ?? 0, Date.now() / 1000);
	return { min: Math.min(times[0] ?? end, end - span), max: end };
}

// span: seconds up to now that the axis shows. marks: values to be marked with a dot, null elsewhere. fits: the axis fits the values and need not begin at 0. stepped: a value holds until the next one.
export function Line({ label, times, values, height = 140, marks, fits, stepped, span }) {
	const place = useRef(null);
	const plot = useRef(null);
	useEffect(() => {
		const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--edge"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
		const line = { label, stroke: colour("--accent"), width: 2, fill: `${colour("--accent")}22`, ...(stepped ? { paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } } : {}) };
		const dots = { label: "Hit", stroke: colour("--gold"), paths: () => null, points: { show: true, size: 9, fill: colour("--gold") } };
		plot.current = new uPlot({
			width: place.current.clientWidth, height, legend: { show: false }, cursor: { y: false }, axes: [axis, { ...axis, size: fits ? 72 : 44 }], tzDate: (s) => uPlot.tzDate(new Date(s * 1000), zone()),
			series: [{}, line, ...(marks ? [dots] : [])], scales: { y: { range: fits ? around : whole } },
		}, marks ? [[], [], []] : [[], []], place.current);
		const watch = new ResizeObserver(() => plot.current.setSize({ width: place.current.clientWidth, height }));
		watch.observe(place.current);
		return () => { watch.disconnect(); plot.current.destroy(); };
	}, []);
	useEffect(() => {
		plot.current?.setData(marks ? [times, values, marks] : [times, values]);
		if (span) plot.current?.setScale("x", ending(times, span));
	}, [times, values]);
	return html`<div class="chart" ref=${place} role="img" aria-label="${label}, now ${Math.round(values.at(-1) ?? 0)}${marks ? `, ${marks.filter((m) => m !== null).length} hits` : ""}"></div>`;
}
