// A small line over time, by uPlot, in the colours of the page.
import uPlot from "/vendor/uplot.js";
import { html, useEffect, useRef } from "/vendor/htm-preact.js";
import { zone } from "/operator/zone.js";

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function Line({ label, times, values, height = 140 }) {
	const place = useRef(null);
	const plot = useRef(null);
	useEffect(() => {
		const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--edge"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
		plot.current = new uPlot({
			width: place.current.clientWidth, height, legend: { show: false }, cursor: { y: false }, axes: [axis, { ...axis, size: 44 }], tzDate: (s) => uPlot.tzDate(new Date(s * 1000), zone()),
			series: [{}, { label, stroke: colour("--accent"), width: 2, fill: `${colour("--accent")}22` }], scales: { y: { range: (_, low, high) => [0, Math.max(high * 1.15, 1)] } },
		}, [[], []], place.current);
		const watch = new ResizeObserver(() => plot.current.setSize({ width: place.current.clientWidth, height }));
		watch.observe(place.current);
		return () => { watch.disconnect(); plot.current.destroy(); };
	}, []);
	useEffect(() => { plot.current?.setData([times, values]); }, [times, values]);
	return html`<div class="chart" ref=${place} role="img" aria-label="${label}, now ${Math.round(values.at(-1) ?? 0)}"></div>`;
}
