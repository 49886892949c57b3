// The share of a topic in classes, as bars, or over time, as columns with the number of documents.

import { h } from "./dom.js";
import { bar, soft } from "./parts.js";
import { element } from "./sparkline.js";
import { count, counted, percent } from "./text.js";

const CLASSES = 6; // number of classes that are shown before the user unfolds the list
const WIDTH = 640;
const HEIGHT = 130;
const TOP = 18; // room above the columns for the largest share
const BOTTOM = 18; // room below the columns for dates
const FEW = 5; // columns of fewer documents are pale, and such classes come last (FEW in topics.py)

/** The section with the share of a topic in groups of documents, or null. */
export function groupSection({ groups, group }) {
  if (!groups || !groups.rows.length) return null;
  const time = groups.kind === "time";
  return h("section", { class: "spread-section", "aria-labelledby": "spread-head", "data-group": group },
    h("h2", { id: "spread-head" }, time ? "Over time" : "By class"),
    time ? timeChart(groups.rows) : classRows(groups));
}

function classRows({ rows, more }) {
  const most = Math.max(...rows.map(([, mean]) => mean), 0) || 1;
  const list = (some) => h("ul", { class: "bars" }, some.map((row) => classRow(row, most)));
  const folded = rows.slice(CLASSES);
  return [
    list(rows.slice(0, CLASSES)),
    folded.length ? h("details", null, h("summary", null, counted(folded.length, "more class", "more classes")), list(folded)) : null,
    h("p", { class: "about" }, "Mean share of the topic in the documents of each class; their number is beside the name.",
      rows.some(([, , size]) => size < FEW) ? ` Classes of fewer than ${FEW} documents come last.` : null,
      more ? ` ${counted(more, "more class has", "more classes have")} documents with the topic.` : null),
  ];
}

function classRow([name, mean, size], most) {
  const href = `/documents?${new URLSearchParams({ label: name })}`;
  return h("li", null,
    h("span", { class: "class-name" }, h("a", { href, dir: "auto" }, soft(name)),
      h("span", { class: "number quiet", title: counted(size, "document") }, ` ${count(size)}`)),
    bar(mean / most),
    h("span", { class: "number" }, percent(mean)));
}

/** Columns over time; a time without documents has no column. */
function timeChart(rows) {
  const most = Math.max(...rows.map(([, mean]) => mean), 0) || 1;
  const peak = rows.find(([, mean]) => mean === most) ?? rows[0];
  const label = `Mean share per ${unit(rows)}, from ${rows[0][0]} to ${rows.at(-1)[0]}; largest: ${percent(peak[1])} in ${peak[0]}.`;
  const svg = element("svg", { class: "time-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label });
  const step = WIDTH / rows.length;
  const floor = HEIGHT - BOTTOM;
  rows.forEach(([name, mean, size], n) => {
    const height = ((floor - TOP) * mean) / most;
    const column = element("rect", { x: (n * step).toFixed(2), y: (floor - height).toFixed(2), width: Math.max(1, step - 2).toFixed(2), height: Math.max(0.5, height).toFixed(2), class: size < FEW ? "few" : "" });
    column.append(element("title", {}, `${name}: ${percent(mean)} of ${counted(size, "document")}`));
    svg.append(column);
  });
  svg.append(element("line", { x1: 0, x2: WIDTH, y1: floor, y2: floor }));
  const middle = Math.min(WIDTH - 30, Math.max(30, (rows.indexOf(peak) + 0.5) * step));
  svg.append(element("text", { x: middle, y: TOP - 5, "text-anchor": "middle" }, percent(most)));
  svg.append(element("text", { x: 0, y: HEIGHT - 3 }, rows[0][0]));
  svg.append(element("text", { x: WIDTH, y: HEIGHT - 3, "text-anchor": "end" }, rows.at(-1)[0]));
  return [svg, h("details", { class: "as-table" },
    h("summary", null, "As a table"),
    h("table", { class: "table" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Time"), h("th", { scope: "col", class: "number" }, "Mean share"), h("th", { scope: "col", class: "number" }, "Documents"))),
      h("tbody", null, rows.map(([name, mean, size]) => h("tr", null, h("td", null, name),
        h("td", { class: "number" }, percent(mean)), h("td", { class: "number" }, count(size))))))),
    h("p", { class: "about" }, `Mean share of the topic in the documents of each ${unit(rows)}; pale: fewer than ${FEW} documents.`)];
}

function unit(rows) {
  return { 4: "year", 7: "month" }[rows[0][0].length] ?? "day";
}
