// A small chart of a topic's share in each class or over time.

import { percent } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";
const LEVELS = 20; // highest level of a column
const WIDTH = 72;
const HEIGHT = 20;

/** The small chart of a topic in a list, or null if the documents have no classes or times. */
export function sparkline(topic, { spread }) {
  if (!spread || !topic.spread) return null;
  const svg = element("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": describe(topic, spread) });
  const step = WIDTH / topic.spread.length;
  const width = Math.max(1, step - (step > 3 ? 1 : 0.4));
  const columns = topic.spread.map((level, n) => column(n * step, width, (HEIGHT * level) / LEVELS));
  svg.append(element("title", {}, describe(topic, spread)), element("path", { d: columns.join("") }));
  return svg;
}

function column(x, width, height) {
  if (!height) return "";
  const number = (value) => Number(value.toFixed(2));
  return `M${number(x)} ${HEIGHT}v${number(-height)}h${number(width)}v${number(height)}z`;
}

function describe({ most }, { kind }) {
  const places = most.map(([name, share]) => `${name} ${percent(share)}`).join(", ");
  return `Largest mean shares ${kind === "time" ? "at" : "in"}: ${places}`;
}

/** Create an SVG element with attributes and a text. */
export function element(tag, attributes, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text) node.textContent = text;
  return node;
}
