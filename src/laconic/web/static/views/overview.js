// The start page: figures of the model, the topic map and the list of topics.

import { chartFigure } from "../charts.js";
import { renew } from "../api.js";
import { h, refill, styled } from "../dom.js";
import { Pointer } from "../pointing.js";
import { counted } from "../text.js";
import { topicList } from "../topic-list.js";

const WAIT = 1000; // time in milliseconds between requests for figures that are not ready yet
const wide = window.matchMedia("(min-width: 62rem)");

/** Show the overview of the model. */
export async function show(context) {
  const { overview } = context;
  context.title(overview.title);
  const hasSeveral = overview.topics.filter(({ hidden }) => !hidden).length > 1; // a map of one topic is useless
  const map = hasSeveral && overview.charts.find((chart) => chart.name === "map");
  const pointer = new Pointer();
  return [
    h("h1", null, heading(overview)),
    h("p", { class: "lede" }, facts(overview)),
    overview.waiting ? laterFigures(context) : figures(overview.figures),
    h("div", { class: map ? "columns map-aside" : null },
      map ? mapAside(map, context, pointer) : null,
      topicList(context, pointer)),
    notesLink(overview),
  ];
}

/** A link to download the names and notes of topics; null if there are none. */
function notesLink({ topics }) {
  if (!topics.some((topic) => topic.name || topic.note || topic.hidden)) return null;
  const file = h("a", { href: "/api/notes", download: "notes.json" }, "Download topic names and notes");
  return h("p", { class: "about" }, file, " as JSON.");
}

function mapAside(map, context, pointer) {
  const heading = h("h2", { class: "wide-only" }, "Map of topics");
  const fold = folding("Map of topics", [heading, chartFigure(map, context, { bare: true, pointer })], context);
  return h("aside", { "aria-label": "Map of the topics" }, fold);
}

/** A foldable element, which is open beside the list on a wide screen and folded above the list on a narrow screen. */
function folding(name, inside, { signal }) {
  const fold = h("details", { class: "fold", open: wide.matches }, h("summary", null, name), inside);
  wide.addEventListener("change", () => { fold.open ||= wide.matches; }, { signal });
  return fold;
}

function heading({ n_topics: topics, n_documents: documents }) {
  return counted(topics, "topic") + (documents ? ` in ${counted(documents, "document")}` : "");
}

function facts(overview) {
  const model = `Model: ${overview.class}. Vocabulary: ${counted(overview.n_words, "word")}.`;
  return overview.n_documents ? model : `${model} The documents were not saved with the model.`;
}

/** Figures with explanations; on a narrow screen, a button shows the explanations. */
function figures(rows) {
  if (!rows.length) return null;
  const list = styled(h("dl", { class: "figures" }, rows.map(figure)), { "--figures": rows.length });
  const toggle = () => explain.setAttribute("aria-expanded", String(list.classList.toggle("explained")));
  const explain = h("button",
    { type: "button", class: "button explain", "aria-expanded": "false", onclick: toggle }, "Explain these figures");
  return [list, explain];
}

/** The figures of a model with many documents, completed when the server has read all documents. */
function laterFigures({ overview, signal }) {
  const place = h("div", null, figures(overview.figures));
  const ask = async () => {
    const later = signal.aborted ? null : await renew("/api/overview").catch(() => null);
    if (later?.waiting) setTimeout(ask, WAIT);
    else if (later) refill(place, figures(later.figures));
  };
  setTimeout(ask, WAIT);
  return place;
}

function figure([label, value, about]) {
  return h("div", null, h("dt", null, label), h("dd", { class: "number" }, value), h("dd", { class: "about" }, about));
}
