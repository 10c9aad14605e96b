"use strict";
// Draws the page from its data. Text enters the page as text nodes only.
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const PARTS = ["header", "metadata", "framing", "payload"];
const SIGNS = { i: "✓", e: "≈", d: "≠", r: "⊘", c: "✖", t: "◷", u: "–" };

function make(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

// A letter is small for passed, circled for known, large for failed.
function read(letter) {
  const code = letter.codePointAt(0);
  if (code >= 0x24d0) return { verdict: String.fromCharCode(97 + code - 0x24d0), state: "known" };
  const small = letter.toLowerCase();
  return { verdict: small, state: small === letter ? "passed" : "failed" };
}

for (const group of data.groups) {
  group.cells = [...group.letters].map(read);
  group.reader = group.op.startsWith("read-by/") ? group.op.slice(8) : null;
}
const caseName = ([corpus, set, model]) => set ? `${corpus}/${set}/${model}` : model;

// What a cell of a matrix shows of its groups.
function tally(groups) {
  const sum = { passed: 0, known: 0, failed: 0, equal: 0, told: 0, worst: null };
  for (const group of groups) sum.told += Object.keys(group.told).length;
  for (const group of groups) for (const cell of group.cells) {
    sum[cell.state]++;
    if (cell.state === "failed") sum.worst = sum.worst || cell.verdict;
    if (cell.state === "passed" && cell.verdict === "e") sum.equal++;
  }
  sum.text = String(sum.passed);
  if (sum.known) sum.text += ` (${sum.known})`;
  if (sum.failed) sum.text += ` ${sum.failed}!`;
  sum.sign = sum.failed ? SIGNS[sum.worst] : sum.known ? "◐" : sum.equal ? SIGNS.e : SIGNS.i;
  sum.style = sum.failed ? "failed" : sum.known ? "known" : sum.equal ? "equal" : "passed";
  return sum;
}

const view = { text: "", deviating: false, format: null };
const liveFormats = data.formats.filter(f => data.groups.some(g => g.live && g.format === f));
view.format = liveFormats[0] || null;
const main = document.getElementById("main");
const drill = make("aside", { id: "drill", hidden: "", role: "dialog", "aria-label": "details" });
document.body.append(drill);
let chosen = null;

// The address names what is open, so that it can be passed on.
function remember(place) {
  try { history.replaceState(null, "", place ? "#" + encodeURIComponent(place) : " "); } catch { /* some viewers have no address */ }
}
function choose(node, title, groups) {
  remember(node.dataset.place);
  if (chosen) chosen.classList.remove("chosen");
  chosen = node;
  node.classList.add("chosen");
  showCases(title, groups);
}
function openDrill(...content) {
  drill.replaceChildren(make("button", { class: "close", onclick: closeDrill }, "close (Esc)"), ...content.filter(Boolean));
  drill.hidden = false;
  drill.scrollTop = 0;
}
function closeDrill() {
  drill.hidden = true;
  remember(null);
  if (chosen) { chosen.classList.remove("chosen"); chosen.focus(); }
}
document.addEventListener("keydown", event => { if (event.key === "Escape") closeDrill(); });

const WORST = { failed: 0, known: 1, passed: 2 };
function showCases(title, groups) {
  const rows = [];
  for (const group of groups) group.cells.forEach((cell, index) => {
    rows.push({ group, cell, told: group.told[index], name: caseName(data.cases[group.cases[index]]) });
  });
  rows.sort((a, b) => WORST[a.cell.state] - WORST[b.cell.state] || !a.told - !b.told);
  const search = make("input", { type: "search", placeholder: "filter cases", "aria-label": "filter cases", oninput: fill });
  const body = make("tbody");
  function fill() {
    const wanted = search.value.toLowerCase();
    body.replaceChildren(...rows.filter(row => (row.name + row.group.op + JSON.stringify(row.told || "")).toLowerCase().includes(wanted)).map(caseRow));
  }
  fill();
  openDrill(make("h2", {}, title), search,
    make("table", {}, make("thead", {}, make("tr", {}, make("th", {}, ""), make("th", {}, "case"), make("th", {}, "what"))), body));
}
function caseRow({ group, cell, told, name }) {
  const style = cell.state === "passed" ? (cell.verdict === "e" ? "equal" : "passed") : cell.state;
  const what = [make("p", {}, `${group.op}: ${data.verdicts[cell.verdict]}`, cell.state === "known" ? " (known to fail)" : "")];
  if (told) {
    if (told.message) what.push(make("p", {}, told.message));
    const place = [told.path && `field ${told.path}`, told.offset !== null && `byte ${told.offset}`].filter(Boolean);
    if (place.length) what.push(make("p", { class: "quiet" }, `at ${place.join(", ")}`));
    if (told.causes.length) what.push(make("p", { class: "quiet" }, `causes: ${told.causes.join(", ")}`));
    if (told.note) what.push(make("p", { class: "quiet" }, told.note));
    what.push(make("p", {}, make("code", {}, told.replay)));
    if (data.files[told.file]) {
      const label = group.live && !group.writer.startsWith("golden:") ? "bytes of a golden file of this case" : "bytes";
      what.push(make("button", { onclick: () => showFile(told.file, told.offset) }, label));
    }
  }
  return make("tr", {}, make("td", { class: `mark ${style}` }, SIGNS[cell.verdict]), make("td", {}, name), make("td", {}, what));
}

function splitBar(file) {
  const bar = make("div", { class: "split" });
  file.split.forEach((bytes, part) => {
    if (!bytes) return;
    const share = Math.round(100 * bytes / file.bytes);
    bar.append(make("div", { class: `p${part}`, style: `flex:${bytes}`, title: `${PARTS[part]}: ${bytes} bytes, ${share} %` }, `${PARTS[part]} ${bytes}`));
  });
  return bar;
}
function showFile(path, offset) {
  remember(`bytes ${path}`);
  const file = data.files[path];
  const owner = new Array(file.shown).fill(-1);
  file.spans.forEach((span, index) => { for (let at = span[0]; at < span[1]; at++) owner[at] = index; });
  const hex = make("div", { class: "hex" });
  for (let start = 0; start < file.shown; start += 16) {
    const row = make("div", { class: "row" }, make("span", { class: "at" }, String(start).padStart(5) + "  "));
    let text = "";
    for (let at = start; at < start + 16; at++) {
      if (at >= file.shown) { row.append(at % 16 === 15 ? "  " : "   "); continue; }
      const byte = file.hex.slice(2 * at, 2 * at + 2);
      const code = parseInt(byte, 16);
      text += code >= 32 && code < 127 ? String.fromCharCode(code) : "·";
      const index = owner[at], span = file.spans[index];
      const first = span && span[0] === at ? " first" : "";
      row.append(make("span", {
        "data-span": index, class: span ? `p${span[2]}${first}` : "",
        title: span ? `${at}: ${PARTS[span[2]]} ${span[3]} ${span[4]} ${span[5]}` : `${at}: unread`,
      }, byte + (at % 16 === 15 ? "" : " ")));
    }
    row.append(make("span", { class: "at" }, "  " + text));
    hex.append(row);
  }
  const body = make("tbody", {}, file.spans.map((span, index) => make("tr", { "data-span": index },
    make("td", {}, span[1] - span[0] > 1 ? `${span[0]}–${span[1] - 1}` : String(span[0])),
    make("td", {}, bytesText(file.hex, span)),
    make("td", { class: `p${span[2]}` }, PARTS[span[2]]),
    make("td", {}, span[3] || "–"), make("td", {}, span[4]), make("td", {}, span[5]))));
  const table = make("table", { class: "spans" }, make("thead", {}, make("tr", {},
    ["offset", "bytes", "part", "field", "meaning", "value"].map(name => make("th", {}, name)))), body);
  const light = event => {
    const target = event.target.closest("[data-span]");
    for (const node of drill.querySelectorAll(".lit")) node.classList.remove("lit");
    if (target && target.dataset.span !== "-1") {
      for (const node of drill.querySelectorAll(`[data-span="${target.dataset.span}"]`)) node.classList.add("lit");
    }
  };
  hex.addEventListener("mouseover", light);
  table.addEventListener("mouseover", light);
  const back = [...drill.childNodes].slice(1);
  const wasOpen = !drill.hidden;
  openDrill(
    wasOpen && back.length ? make("button", { onclick: () => openDrill(...back) }, "← back") : null,
    make("h2", {}, path), make("p", { class: "quiet" }, `${file.format}, ${file.bytes} bytes, written by ${file.writers.join(", ")}`),
    file.error ? make("p", { class: "problem" }, `breaks ${file.error}`) : null,
    file.shown < file.bytes ? make("p", { class: "quiet" }, `the first ${file.shown} bytes`) : null,
    splitBar(file), hex, table);
  if (offset !== null && offset !== undefined && owner[offset] >= 0) {
    const nodes = drill.querySelectorAll(`[data-span="${owner[offset]}"]`);
    for (const node of nodes) node.classList.add("lit");
    if (nodes.length) nodes[0].scrollIntoView({ block: "center" });
  }
}
function bytesText(hex, span) {
  const most = 12, count = span[1] - span[0];
  const shown = hex.slice(2 * span[0], 2 * Math.min(span[1], span[0] + most)).replace(/(..)(?=.)/g, "$1 ");
  return count > most ? `${shown} … +${count - most}` : shown;
}

// A matrix of groups: rows and columns are names, `at` gives the groups of a cell.
function matrix(corner, rows, columns, at, upright) {
  const body = make("tbody");
  for (const row of rows) {
    const cells = columns.map(column => ({ column, groups: at(row, column) }));
    const sums = cells.map(({ groups }) => groups.length ? tally(groups) : null);
    if (view.deviating && !sums.some(sum => sum && (sum.failed || sum.known || sum.told))) continue;
    body.append(make("tr", {}, make("th", { title: row, scope: "row" }, row), cells.map(({ column, groups }, index) => {
      const sum = sums[index];
      if (!sum) return make("td", { class: "none", "aria-label": "not in the plan" });
      const title = `${row}, ${column}`;
      const place = ["cells", groups[0].format, groups[0].live ? "live" : "golden", row, column].join(" ");
      const node = make("td", { class: sum.style, tabindex: 0, "data-place": place, title: `${title}: ${sum.passed} passed, ${sum.known} known to fail, ${sum.failed} failed` }, `${sum.sign} ${sum.text}`);
      node.addEventListener("click", () => choose(node, title, groups));
      node.addEventListener("keydown", event => { if (event.key === "Enter") choose(node, title, groups); });
      return node;
    })));
  }
  if (!body.childNodes.length) return make("p", { class: "quiet" }, "no row matches");
  return make("div", { class: "scroll" }, make("table", { class: "matrix" }, make("thead", {}, make("tr", {}, make("th", {}, corner),
    columns.map(column => make("th", { class: upright ? "up" : "", scope: "col" }, make("span", {}, column))))), body));
}
const unique = list => [...new Set(list)];
function index(groups, key) {
  const map = new Map();
  for (const group of groups) { const k = key(group); if (!map.has(k)) map.set(k, []); map.get(k).push(group); }
  return map;
}
const matches = name => name.toLowerCase().includes(view.text);

function goldenSection() {
  const groups = data.groups.filter(group => !group.live);
  if (!groups.length) return null;
  const map = index(groups, group => group.writer + "\n" + group.format);
  const writers = unique(groups.map(group => group.writer)).filter(matches).sort((a, b) => (a === "vectors") - (b === "vectors") || (a < b ? -1 : 1));
  const formats = data.formats.filter(format => groups.some(group => group.format === format));
  return make("section", {}, make("h2", {}, "Golden files and vectors: our codec against each writer"),
    matrix("writer", writers, formats, (writer, format) => map.get(writer + "\n" + format) || []));
}
function liveSection() {
  if (!view.format) return null;
  const groups = data.groups.filter(group => group.live && group.format === view.format);
  const map = index(groups, group => group.writer + "\n" + (group.reader || "written"));
  const readers = unique(groups.filter(group => group.reader).map(group => group.reader)).sort();
  const writers = unique(groups.map(group => group.writer)).filter(matches).sort();
  const at = (writer, reader) => map.get(writer + "\n" + reader) || [];
  const live = writers.filter(writer => !writer.startsWith("golden:"));
  const golden = writers.filter(writer => writer.startsWith("golden:"));
  const tabs = liveFormats.map(format => make("button", { "aria-pressed": String(format === view.format), onclick: () => { view.format = format; draw(); } }, format));
  return make("section", {}, make("h2", {}, `Live: each writer (row) against each reader (column), ${view.format}`),
    make("div", { class: "legend" }, tabs),
    matrix("writer \\ reader", live, ["written", ...readers], at, true),
    golden.length ? make("div", {}, make("h3", {}, "Golden files against today's readers"), matrix("written by", golden, readers, at, true)) : null);
}
function problemSection() {
  if (!data.problems.length) return null;
  return make("section", {}, make("h2", {}, `What is wrong (${data.problems.length})`), data.problems.slice(0, 200).map(problem =>
    make("div", { class: "problem" }, make("p", {}, make("b", {}, problem.title), problem.also ? ` and ${problem.also} more` : ""),
      make("p", {}, problem.why),
      problem.place ? make("p", { class: "quiet" }, `at ${problem.place}`) : null,
      problem.causes.length ? make("p", { class: "quiet" }, `causes: ${problem.causes.join(", ")}`) : null,
      problem.replay ? make("p", {}, make("code", {}, problem.replay)) : null,
      data.files[problem.file] ? make("button", { onclick: () => { drill.replaceChildren(); drill.hidden = true; showFile(problem.file, problem.offset); } }, "bytes") : null)));
}
function oddSection() {
  const rows = data.odd.filter(row => row.some(text => matches(text)));
  if (!data.odd.length) return null;
  return make("section", {}, make("h2", {}, "Writers that differ from most"),
    make("p", { class: "quiet" }, "Live writers of a case, grouped by their bytes (JSON: by value). Agreement is not correctness; it says where to look first."),
    make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ["format", "writer", "differs in"].map(name => make("th", {}, name)))),
      make("tbody", {}, rows.map(row => make("tr", {}, row.map(text => make("td", {}, text))))))));
}
function exampleSection() {
  const paths = data.examples.filter(path => data.files[path]);
  if (!paths.length) return null;
  const most = Math.max(...paths.map(path => data.files[path].bytes));
  return make("section", {}, make("h2", {}, "What the bytes are for: NumericStruct, canonical"),
    make("div", { class: "examples" }, paths.map(path => {
      const file = data.files[path], bar = splitBar(file);
      bar.style.width = `${100 * file.bytes / most}%`;
      return [make("span", {}, file.format), bar, make("button", { onclick: () => { drill.replaceChildren(); drill.hidden = true; showFile(path, null); } }, `${file.bytes} bytes`)];
    })));
}

const search = make("input", { type: "search", placeholder: "filter writers", "aria-label": "filter writers", oninput: () => { view.text = search.value.toLowerCase(); draw(); } });
const only = make("button", { "aria-pressed": "false", onclick: () => { view.deviating = !view.deviating; only.setAttribute("aria-pressed", String(view.deviating)); draw(); } }, "only rows that deviate");
const legend = make("div", { class: "legend" },
  [["passed", "✓", "identical"], ["equal", "≈", "same value, other text or bytes that the format allows"], ["known", "◐", "(n) known to fail"], ["failed", "≠", "n! different value"],
   ["failed", "⊘", "refused"], ["failed", "✖", "crashed"], ["failed", "◷", "timeout"], ["failed", "–", "unsupported"]].map(([style, sign, name]) =>
    make("span", {}, make("i", { class: style }, sign), name)));
const sections = make("div");
main.append(make("div", { class: "bar" }, search, only, make("span", { class: "quiet" }, "choose a cell for its cases")), legend, sections);
function draw() {
  sections.replaceChildren(...[problemSection(), liveSection(), goldenSection(), oddSection(), exampleSection()].filter(Boolean));
}
draw();
// Opens what the address names.
const place = decodeURIComponent(location.hash.slice(1));
const [kind, ...names] = place.split(" ");
if (kind === "bytes" && data.files[names[0]]) showFile(names[0], null);
if (kind === "cells") {
  if (names[1] === "live" && liveFormats.includes(names[0])) { view.format = names[0]; draw(); }
  const node = [...document.querySelectorAll("[data-place]")].find(node => node.dataset.place === place);
  if (node) node.click();
}
})();
