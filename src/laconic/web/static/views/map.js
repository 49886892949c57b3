// Map of documents on a canvas. A dragged rectangle selects documents, which are listed beside the map.

import { get } from "../api.js";
import { h, refill } from "../dom.js";
import { PointMap } from "../point-map.js";
import { documentLink } from "../parts.js";
import { count, counted, topicName } from "../text.js";

const LISTED = 50; // maximum number of selected documents that are listed
const HOW = "Drag over the map to read the documents of a region. Documents lie in the disc of their main topic, the clearest ones in its centre, and lean towards their second topic. Names with a dot are groups of topics.";

/** Show the map of documents. */
export async function show(context) {
  const { overview, query, keep } = context;
  context.title("Document map");
  const data = await get("/api/document-map");
  const byClass = data.classes !== null && query.get("colour") === "class";
  const selection = h("section", { class: "selection", "aria-live": "polite", "aria-labelledby": "selected" });
  const place = h("div", { class: "document-map", tabindex: "0", role: "img", "aria-label": describe(data, overview) });
  const legend = h("ul", { class: "map-legend" });
  const topics = new Map(overview.topics.map((topic) => [topic.topic, topic]));
  const map = new PointMap(place, data, topics, { groups: overview.groups, signal: context.signal, onSelect: (chosen, name) => list(selection, chosen, data, name) });
  const colour = (kind) => {
    map.colourBy(kind);
    refill(legend, legendOf(kind, data, overview));
    keep({ colour: kind === "class" ? "class" : null });
  };
  colour(byClass ? "class" : "topic");
  list(selection, null, data);
  return [
    h("h1", null, "Document map"),
    h("div", { class: "map-tools" },
      h("p", { class: "about" }, facts(data), " ", HOW),
      data.classes === null ? null : colourSelect(colour, byClass, overview),
      topicSelect(data, topics, (topic) => map.selectTopic(topic))),
    h("div", { class: "map-columns" }, h("div", null, place, legend), selection),
  ];
}

function facts({ rows, n_documents: all }) {
  return rows.length < all && rows.length >= 20000 ? `${count(rows.length)} of ${counted(all, "document")}, evenly spaced.` : `${counted(rows.length, "document")}.`;
}

function describe({ rows, discs }, { topics }) {
  const largest = topics.slice(0, 3).map(topicName).join("; ");
  return `Map of ${counted(rows.length, "document")} in ${counted(discs.length, "topic")}; largest topics: ${largest}. Choose a topic above the map to list its documents.`;
}

function colourSelect(colour, byClass, { has }) {
  const select = h("select", { onchange: () => colour(select.value) },
    h("option", { value: "topic" }, "group of topics"),
    h("option", { value: "class", selected: byClass }, has.groups === "time" ? "time" : "class"));
  return h("label", { class: "field" }, h("span", null, "Colour"), select);
}

/** The alternative to dragging: select the documents of a topic. */
function topicSelect({ discs }, topics, choose) {
  const shown = new Set(discs.map(([topic]) => topic));
  const select = h("select", { onchange: () => choose(select.value === "" ? null : Number(select.value)) },
    h("option", { value: "" }, "none"),
    [...topics.values()].filter(({ topic }) => shown.has(topic)).map((topic) => h("option", { value: topic.topic }, topicName(topic))));
  return h("label", { class: "field topic-select" }, h("span", null, "Select a topic"), select);
}

function legendOf(kind, { names }, { groups }) {
  const row = (group, text) => h("li", { "data-group": group }, h("span", { class: "dot" }), h("span", { dir: "auto" }, text));
  if (kind === "class") return [...names.map((name, n) => row(n, name)), row(-1, "other")];
  return [...groups.map(({ group, words }) => row(group, words.join(", "))), groups.length ? row(-1, "other topics") : null];
}

/** List the selected documents; `chosen` has their positions in the columns of the data. */
async function list(section, chosen, data, name = null) {
  const rows = (chosen ?? []).map((n) => data.rows[n]);
  section.dataset.size = rows.length;
  if (chosen === null || !rows.length) {
    return refill(section, h("h2", { id: "selected" }, "Selected documents"), h("p", { class: "empty" }, "None yet."));
  }
  const shown = rows.slice(0, LISTED);
  const { documents } = await get("/api/documents/some", { rows: shown.join(",") });
  refill(section, h("h2", { id: "selected", dir: "auto" }, name ? `${name}: ` : "", counted(rows.length, "selected document")),
    rows.length > LISTED ? h("p", { class: "about" }, `The first ${LISTED}.`) : null,
    h("ol", { class: "list documents" }, documents.map((document) => h("li", { "data-document": document.document },
      h("div", null, documentLink(document), document.label ? h("p", { class: "meta", dir: "auto" }, document.label) : null)))));
}
