// The report's page: its style, and the script that draws its data.
#include "runtime/report/page.hpp"

namespace weft::report {
namespace {

constexpr const char* kBefore = R"page(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Weft: balancing report</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { --ink: #1d2733; --soft: #66758a; --line: #dde3ea; --ground: #ffffff; --tile: #f4f6f9; --a: #1f5fa8; --b: #d9480f; --c: #2b8a3e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ef; --soft: #94a3b8; --line: #333e4c; --ground: #151b22; --tile: #1e2630; --a: #6ea8fe; --b: #ff922b; --c: #69db7c; }
}
body { margin: 0 auto; max-width: 1080px; padding: 24px; color: var(--ink); background: var(--ground); font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 22px; margin: 0 0 4px; } h2 { font-size: 15px; margin: 30px 0 2px; }
p { margin: 0 0 8px; color: var(--soft); }
[hidden] { display: none !important; }
#tiles { display: flex; flex-wrap: wrap; gap: 10px; margin: 16px 0; }
.tile { background: var(--tile); border-radius: 6px; padding: 8px 14px; } .tile b { display: block; font-size: 19px; font-weight: 600; }
.tile span { color: var(--soft); font-size: 12px; }
canvas { display: block; width: 100%; } svg { display: block; width: 100%; overflow: visible; }
text { fill: var(--soft); font: 11px system-ui, sans-serif; }
#tip { position: fixed; pointer-events: none; background: var(--ink); color: var(--ground); padding: 4px 8px; border-radius: 4px; font-size: 12px; white-space: pre; display: none; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; } th, td { text-align: right; padding: 3px 8px; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; font-size: 12px; }
.key { display: inline-block; width: 11px; height: 11px; margin: 0 5px 0 14px; border-radius: 2px; }
</style></head><body>
<h1>Balancing report</h1><p id="what"></p><div id="tiles"></div>
<section id="finish" hidden><h2>Predicted end</h2><p id="predictedkey"></p><div id="predicted"></div></section>
<p id="nosteps" hidden>There was no balancing step.</p>
<section id="balance">
<h2>Load of each worker</h2><p>Seconds of its ranks and of others on its core, over the seconds of the longest worker of that interval: <span id="scale"></span></p><div id="heat"></div>
<h2>Load against time</h2><p id="lineskey"></p><div id="lines"></div>
<h2>Background</h2><p>Part of the interval for which others had the worker's core.</p><div id="background"></div>
<h2>Moves</h2><p>Ranks that moved at each step<span class="key" style="background:var(--a)"></span>inside their process<span class="key" style="background:var(--b)"></span>to another.</p><div id="moves"></div>
<h2>Where each rank was</h2><p>From each step on. Colour: the worker.<span id="workers"></span></p><div id="map"></div>
<h2>Steps</h2><div id="table"></div>
</section>
<div id="tip"></div>
<script>
const report = )page";

constexpr const char* kAfter = R"page(;
const steps = report.data, workers = report.processOf.length, left = 64, right = 24, above = 8;
const $ = id => document.getElementById(id);
const seconds = s => { const a = Math.abs(s); return a >= 1 ? s.toFixed(2) + " s" : a >= 1e-3 ? (s * 1e3).toFixed(2) + " ms" : (s * 1e6).toFixed(0) + " µs"; };
const bytes = b => b >= 1 << 20 ? (b / (1 << 20)).toFixed(1) + " MiB" : (b / 1024).toFixed(1) + " KiB";
const count = (n, what, more = "s") => n + " " + what + (n == 1 ? "" : more);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function mix(stops, x) {
  x = Math.min(1, Math.max(0, x)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(x)), f = x - i;
  return "rgb(" + stops[i].map((c, k) => Math.round(c + f * (stops[i + 1][k] - c))).join(",") + ")";
}
const blue = [[255, 255, 255], [198, 219, 239], [107, 174, 214], [33, 113, 181], [8, 48, 107]];
const red = [[255, 255, 255], [253, 208, 162], [241, 105, 19], [127, 39, 4]];
// Okabe and Ito 2008: eight colours that can be told apart without seeing red or green; then any.
const eight = ["#0072b2", "#e69f00", "#56b4e9", "#d55e00", "#009e73", "#cc79a7", "#f0e442", "#555555"];
function hue(w) { return workers <= 8 ? eight[w] : "hsl(" + (w * 137.5) % 360 + "," + (55 + w * 7 % 30) + "%," + (42 + w * 11 % 24) + "%)"; }
function tip(event, text) { const t = $("tip"); t.textContent = text; t.style.display = text ? "block" : "none";
  t.style.left = Math.min(event.clientX + 14, innerWidth - t.offsetWidth - 8) + "px"; t.style.top = event.clientY + 14 + "px"; }

// A grid of `rows` by the steps; colour(step, row) and text(step, row) of each cell.
function grid(id, rows, label, colour, text) {
  const box = $(id), canvas = document.createElement("canvas"), width = box.clientWidth, ratio = devicePixelRatio || 1;
  const cell = Math.max(1, Math.min(24, 420 / rows)), height = above + Math.ceil(rows * cell) + 24;
  canvas.width = width * ratio; canvas.height = height * ratio; canvas.style.height = height + "px";
  box.append(canvas);
  const g = canvas.getContext("2d"), across = (width - left - right) / steps.length;
  g.scale(ratio, ratio); g.translate(0, above);
  for (let i = 0; i < steps.length; i++) for (let r = 0; r < rows; r++) {
    g.fillStyle = colour(i, r);
    g.fillRect(left + i * across, r * cell, across + (across > 6 ? -0.5 : 0.5), cell + (cell > 6 ? -0.5 : 0.5));
  }
  g.strokeStyle = css("--line"); g.strokeRect(left - 0.5, 0.5, width - left - right, rows * cell);
  g.fillStyle = css("--soft"); g.font = "11px system-ui, sans-serif"; g.textBaseline = "middle"; g.textAlign = "right";
  const every = Math.ceil(14 / cell);
  for (let r = 0; r < rows; r += every) g.fillText(label + " " + r, left - 6, (r + 0.5) * cell);
  g.textAlign = "center";
  for (const i of marks(steps.length)) g.fillText("step " + number(i), left + (i + 0.5) * across, rows * cell + 13);
  canvas.onmousemove = e => { const i = Math.floor((e.offsetX - left) / across), r = Math.floor((e.offsetY - above) / cell);
    tip(e, i >= 0 && i < steps.length && r >= 0 && r < rows ? "step " + number(i) + ", " + label + " " + r + "\n" + text(i, r) : ""); };
  canvas.onmouseleave = e => tip(e, "");
}
const sums = []; steps.reduce((sum, s) => (sums.push(sum + s.steps), sum + s.steps), 0);
const number = i => sums[i];
function marks(count) { const many = Math.min(count, 10), out = []; for (let k = 0; k < many; k++) out.push(Math.round(k * (count - 1) / Math.max(1, many - 1))); return [...new Set(out)]; }
// The least of these times a power of ten that is not below `value`: quarters of it are short numbers.
function round(value) { const ten = Math.pow(10, Math.floor(Math.log10(value || 1))); return [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].map(n => n * ten).find(n => n >= value * 0.999); }
const short = s => { const a = Math.abs(s), [unit, name] = a >= 1 ? [1, " s"] : a >= 1e-3 ? [1e3, " ms"] : [1e6, " µs"]; return a ? +(s * unit).toPrecision(3) + name : "0"; };
function svg(id, height, inside) { $(id).innerHTML = `<svg height="${height}" viewBox="0 0 ${$(id).clientWidth} ${height}">${inside}</svg>`; }
function axes(width, height, top, format, xs) {
  let out = "";
  for (let k = 0; k <= 4; k++) { const y = 8 + (height - 34) * (1 - k / 4);
    out += `<line x1="${left}" x2="${width - right}" y1="${y}" y2="${y}" stroke="var(--line)"/><text x="${left - 6}" y="${y + 4}" text-anchor="end">${format(top * k / 4)}</text>`; }
  for (const [x, word] of xs) out += `<text x="${x}" y="${height - 8}" text-anchor="middle">${word}</text>`;
  return out;
}

// Each interval's mean and longest load, as a staircase over the run's time.
function lines() {
  const width = $("lines").clientWidth, height = 220, end = Math.max(...steps.map(s => s.at)), start = steps[0].at - steps[0].interval;
  const top = round(Math.max(...steps.map(s => Math.max(s.longest, s.unmoved) / s.steps)));
  const x = t => left + (width - left - right) * (t - start) / (end - start || 1), y = v => 8 + (height - 34) * (1 - v / top);
  const path = value => steps.map((s, i) => `${i ? "L" : "M"}${x(s.at - s.interval)},${y(value(s))}L${x(s.at)},${y(value(s))}`).join("");
  const kinds = [["longest worker", "--b", s => s.longest / s.steps], ["mean of the workers", "--a", s => s.mean / s.steps], ["longest, had no rank moved", "--c", s => s.unmoved / s.steps]];
  $("lineskey").innerHTML = "Seconds of load in each interval." + kinds.map(k => `<span class="key" style="background:var(${k[1]})"></span>${k[0]}`).join("");
  const xs = []; for (let k = 0; k <= 5; k++) { const t = start + (end - start) * k / 5; xs.push([x(t), t.toFixed(end - start > 20 ? 0 : 2) + " s"]); }
  svg("lines", height, axes(width, height, top, short, xs) + kinds.map((k, i) => `<path d="${path(k[2])}" fill="none" stroke="var(${k[1]})" stroke-width="${i == 2 ? 1.2 : 2}" ${i == 2 ? 'stroke-dasharray="5 4"' : ""}/>`).join(""));
}
function moves() {
  const width = $("moves").clientWidth, height = 150, top = round(Math.max(4, ...steps.map(s => s.moves))), across = (width - left - right) / steps.length;
  let bars = "";
  steps.forEach((s, i) => { const unit = (height - 34) / top, far = s.crossings * unit, near = (s.moves - s.crossings) * unit, x = left + i * across, w = Math.max(0.5, across - (across > 6 ? 2 : 0));
    bars += `<rect x="${x}" width="${w}" y="${height - 26 - far}" height="${far}" fill="var(--b)"/><rect x="${x}" width="${w}" y="${height - 26 - far - near}" height="${near}" fill="var(--a)"><title>step ${number(i)}: ${s.moves} moves, ${bytes(s.bytes)}, ${seconds(s.cost)}</title></rect>`; });
  svg("moves", height, axes(width, height, top, v => v.toFixed(v % 1 ? 1 : 0), marks(steps.length).map(i => [left + (i + 0.5) * across, "step " + number(i)])) + bars);
}
function table() {
  const few = steps.length > 200 ? steps.filter((s, i) => i % Math.ceil(steps.length / 200) == 0) : steps;
  const head = ["step", "at s", "interval s", "imbalance", "planned", "moves", "sent", "cost", "gain planned"];
  const rows = few.map(s => [number(steps.indexOf(s)), s.at.toFixed(3), (s.interval / s.steps).toFixed(4), (s.mean ? s.longest / s.mean : 1).toFixed(3), (s.mean ? s.planned / s.mean : 1).toFixed(3), s.moves, bytes(s.bytes), seconds(s.cost), seconds(s.gain)]);
  $("table").innerHTML = "<table><tr>" + head.map(h => `<th>${h}</th>`).join("") + "</tr>" + rows.map(r => "<tr>" + r.map(c => `<td>${c}</td>`).join("") + "</tr>").join("") + "</table>";
}
// What a library that shares out work expected, against the time at which it did.
function predictions() {
  const given = report.predictions; $("finish").hidden = !given.length; if (!given.length) return;
  const width = $("predicted").clientWidth, height = 180, start = given[0][0], end = given[given.length - 1][0];
  const kinds = [["end of the work, seconds after the job's start", "--a", p => p[0] + p[1]], ["from the first to finish to the last, if nothing were shared out again", "--b", p => p[2]]];
  const top = round(Math.max(...given.map(p => Math.max(p[0] + p[1], p[2]))));
  const x = t => left + (width - left - right) * (t - start) / (end - start || 1), y = v => 8 + (height - 34) * (1 - v / top);
  $("predictedkey").innerHTML = "By the library that shares out the work." + kinds.map(k => `<span class="key" style="background:var(${k[1]})"></span>${k[0]}`).join("");
  const xs = []; for (let k = 0; k <= 5; k++) { const t = start + (end - start) * k / 5; xs.push([x(t), t.toFixed(end - start > 20 ? 0 : 2) + " s"]); }
  svg("predicted", height, axes(width, height, top, short, xs) + kinds.map(k => `<path d="${given.map((p, i) => `${i ? "L" : "M"}${x(p[0])},${y(k[2](p))}`).join("")}" fill="none" stroke="var(${k[1]})" stroke-width="2"/>`).join(""));
}
function draw() {
  const t = report.totals, tiles = [["strategy", report.strategy], ["steps", t.steps], ["moves", t.moves], ["imbalance, first interval", t.first.toFixed(2)], ["imbalance, others", t.later.toFixed(2)],
    ["gained", seconds(t.gain - t.cost)], ["steps took", seconds(t.cost)]];
  if (report.joulesFrom) tiles.push(["energy (" + report.joulesFrom + ")", report.joules.toFixed(0) + " J"]);
  $("nosteps").hidden = steps.length; $("balance").hidden = $("tiles").hidden = !steps.length;
  if (!steps.length) { $("what").textContent = count(report.ranks, "rank") + "."; predictions(); return; }
  $("what").textContent = count(report.ranks, "rank") + " on " + count(workers, "worker") + " in " + count(new Set(report.processOf).size, "process", "es") + " on " + count(new Set(report.hostOf).size, "host") + "; " + report.when + ". Imbalance: longest worker over mean. Gained: over ranks that stay where they were at first, less what the steps took.";
  $("tiles").innerHTML = ""; for (const [name, value] of tiles) { const d = document.createElement("div"); d.className = "tile"; d.innerHTML = "<b></b><span></span>"; d.firstChild.textContent = value; d.lastChild.textContent = name; $("tiles").append(d); }
  for (const id of ["heat", "background", "map"]) $(id).innerHTML = "";
  predictions();
  $("scale").innerHTML = [0, 0.25, 0.5, 0.75, 1].map(v => `<span class="key" style="background:${mix(blue, v)};outline:1px solid var(--line)"></span>${v * 100} %`).join("");
  const part = (i, w) => (steps[i].load[w] + steps[i].contended[w]) / (steps[i].longest || 1), other = (i, w) => steps[i].background[w] / (steps[i].interval || 1);
  grid("heat", workers, "worker", (i, w) => mix(blue, part(i, w)), (i, w) => (part(i, w) * 100).toFixed(0) + " % of the longest\nranks " + seconds(steps[i].load[w] / steps[i].steps) + ", others " + seconds(steps[i].contended[w] / steps[i].steps));
  lines();
  grid("background", workers, "worker", (i, w) => mix(red, other(i, w)), (i, w) => (other(i, w) * 100).toFixed(1) + " % of the interval");
  moves();
  const homes = []; let last = []; for (const s of steps) { if (s.homes.length) last = s.homes; homes.push(last); }
  const ranks = Math.max(...homes.map(h => h.length));
  if (ranks > 0) grid("map", ranks, "rank", (i, r) => homes[i].length ? hue(homes[i][r]) : css("--tile"), (i, r) => "on worker " + homes[i][r] + " from this step on");
  else $("map").textContent = "Not kept.";
  if (workers <= 8) $("workers").innerHTML = report.processOf.map((p, w) => `<span class="key" style="background:${eight[w]}"></span>${w}`).join("");
  table();
}
draw();
let wait; addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(draw, 150); });
</script></body></html>
)page";

}  // namespace

PageText page_text() { return {kBefore, kAfter}; }

}  // namespace weft::report
