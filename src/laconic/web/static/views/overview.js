// What the corpus is about at a glance: facts, the map, and the list of topics.

import { chartFigure } from "../charts.js";
import { h, styled } from "../dom.js";
import { Pointer } from "../pointing.js";
import { counted } from "../text.js";
import { topicList } from "../topic-list.js";

const wide = window.matchMedia("(min-width: 62rem)");

/** The overview of the model. */
export async function show(context) {
  const { overview } = context;
  context.title(overview.title);
  const many = overview.topics.filter(({ hidden }) => !hidden).length > 1; // a single one has no neighbours
  const map = many && overview.charts.find((chart) => chart.name === "map");
  const pointer = new Pointer();
  return [
    h("h1", null, heading(overview)),
    h("p", { class: "lede" }, facts(overview)),
    figures(overview.figures),
    h("div", { class: map ? "columns map-aside" : null },
      map ? mapAside(map, context, pointer) : null,
      topicList(context, pointer)),
    notesLink(overview),
  ];
}

/** The names and notes as a file, where there are some. */
function notesLink({ topics }) {
  if (!topics.some((topic) => topic.name || topic.note || topic.hidden)) return null;
  const file = h("a", { href: "/api/notes", download: "notes.json" }, "Download the names and notes of topics");
  return h("p", { class: "about" }, file, " as JSON.");
}

function mapAside(map, context, pointer) {
  const heading = h("h2", { class: "wide-only" }, "Map of topics");
  const fold = folding("Map of topics", [heading, chartFigure(map, context, { bare: true, pointer })], context);
  return h("aside", { "aria-label": "Map of the topics" }, fold);
}

/** Open beside the list on a wide screen; on a narrow one folded, so that the topics are not far down. */
function folding(name, inside, { signal }) {
  const fold = h("details", { class: "fold", open: wide.matches }, h("summary", null, name), inside);
  wide.addEventListener("change", () => { fold.open ||= wide.matches; }, { signal });
  return fold;
}

function heading({ n_topics: topics, n_documents: documents }) {
  return counted(topics, "topic") + (documents ? ` in ${counted(documents, "document")}` : "");
}

function facts(overview) {
  const found = `Found by ${overview.class} among ${counted(overview.n_words, "word")}.`;
  return overview.n_documents ? found : `${found} The documents were not kept with the model.`;
}

/** Figures with what they say; a narrow screen shows the sentences when asked. */
function figures(rows) {
  if (!rows.length) return null;
  const list = styled(h("dl", { class: "figures" }, rows.map(figure)), { "--figures": rows.length });
  const toggle = () => explain.setAttribute("aria-expanded", String(list.classList.toggle("explained")));
  const explain = h("button",
    { type: "button", class: "button explain", "aria-expanded": "false", onclick: toggle }, "What these say");
  return [list, explain];
}

function figure([label, value, about]) {
  return h("div", null, h("dt", null, label), h("dd", { class: "number" }, value), h("dd", { class: "about" }, about));
}
