// What the corpus is about at a glance: facts, the map, and the list of topics.

import { chartFigure } from "../charts.js";
import { h } from "../dom.js";
import { counted } from "../text.js";
import { topicList } from "../topic-list.js";

const TOLD = ["topics", "words", "documents"]; // figures that the heading has told already

/** The overview of the model. */
export async function show(context) {
  const { overview } = context;
  context.title(overview.title);
  const map = overview.charts.find((chart) => chart.name === "map");
  return [
    h("h1", null, heading(overview)),
    h("p", { class: "lede" }, facts(overview)),
    figures(overview.figures),
    h("div", { class: map ? "columns map-aside" : null },
      map ? h("aside", { "aria-label": "Map of the topics" }, chartFigure(map, context)) : null,
      topicList(context)),
    h("p", { class: "about" }, h("a", { href: "/api/notes", download: "notes.json" }, "Download names and notes of topics"), " as JSON."),
  ];
}

function heading({ n_topics: topics, n_documents: documents }) {
  return counted(topics, "topic") + (documents ? ` in ${counted(documents, "document")}` : "");
}

function facts(overview) {
  const found = `Found by ${overview.class} among ${counted(overview.n_words, "word")}.`;
  return overview.n_documents ? found : `${found} The documents were not kept with the model.`;
}

/** Figures with what they say; a narrow screen shows the sentences when asked. */
function figures(all) {
  const rows = all.filter(([label]) => !TOLD.includes(label));
  if (!rows.length) return null;
  const list = h("dl", { class: "figures" }, rows.map(figure));
  const explain = h("button", { type: "button", class: "button explain", "aria-expanded": "false", onclick: () => {
    explain.setAttribute("aria-expanded", String(list.classList.toggle("explained")));
  } }, "What these say");
  return [list, explain];
}

function figure([label, value, about]) {
  return h("div", null, h("dt", null, label), h("dd", { class: "number" }, value), h("dd", { class: "about" }, about));
}
