// The start page: what the corpus is about, the list of topics, and the map of topics with their words.

import { renew } from "../api.js";
import { Brush } from "../brush.js";
import { h, refill } from "../dom.js";
import { count, counted } from "../text.js";
import { TopicList } from "../topic-list.js";
import { topicMap } from "../topic-map.js";
import { attention } from "../topic-row.js";
import { wordPanel } from "../word-panel.js";

const WAIT = 1000; // time in milliseconds between requests for values that are not ready yet
const wide = window.matchMedia("(min-width: 62rem)");

/** Show the overview of the model. */
export async function show(context) {
  const { overview } = context;
  context.title(overview.title);
  const brush = new Brush();
  const list = new TopicList(context, brush);
  const hasSeveral = overview.topics.filter(({ hidden }) => !hidden).length > 1; // a map of one topic is useless
  const facts = h("div", { class: "opening" }, opening(overview));
  if (overview.waiting) completeLater(context, facts, list);
  return [
    facts,
    h("div", { class: hasSeveral ? "columns map-aside" : null }, hasSeveral ? mapAside(context, brush, list) : null, list.section),
    notesLink(overview),
    testLink(overview),
  ];
}

function opening(overview) {
  return [
    h("h1", null, heading(overview)),
    h("p", { class: "lede" }, [corpusFacts(overview), attention(overview)].filter(Boolean).join(" ")),
    aboutModel(overview),
  ];
}

/** A link to download the names and notes of topics; null if there are none. */
function notesLink({ topics }) {
  if (!topics.some((topic) => topic.name || topic.note || topic.hidden)) return null;
  const file = h("a", { href: "/api/notes", download: "notes.json" }, "Download topic names and notes");
  return h("p", { class: "about" }, file, " as JSON.");
}

/** A link to the word-intrusion test, whose score is saved with the notes. */
function testLink({ topics, has }) {
  if (!has.write || topics.length < 2) return null;
  const asked = topics.reduce((sum, topic) => sum + topic.asked, 0);
  const found = topics.reduce((sum, topic) => sum + topic.found, 0);
  return h("p", { class: "about" }, "Do the topics make sense? ", h("a", { href: "/intrusion" }, "Take the word-intrusion test"),
    asked ? ` (${count(found)} of ${counted(asked, "intruder")} found so far).` : ".");
}

function mapAside(context, brush, list) {
  const map = topicMap(context, brush, { onPin: (topic) => list.reveal(topic) });
  const heading = h("h2", { class: "wide-only unseen" }, "Map of topics");
  const fold = folding("Map of topics", [heading, h("div", { class: "map-and-words" }, map, wordPanel(context, brush))], context);
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

/** Describe the classes or the dates of the documents. */
function corpusFacts({ classes, n_documents: documents }) {
  if (!documents) return "The documents were not saved with the model.";
  if (!classes) return null;
  const { kind, n, rows } = classes;
  if (kind === "time") return rows.length > 1 ? `From ${rows[0][0]} to ${rows.at(-1)[0]}.` : `All from ${rows[0][0]}.`;
  const named = rows.map(([name, size]) => `${name} (${count(size)})`).join(", ");
  return `${counted(n, "class", "classes")}: ${named}${n > rows.length ? ", …" : "."}`;
}

/** The figures of the model with explanations, folded. */
function aboutModel(overview) {
  const facts = [["model", overview.class, "Class of the model in Python."],
    [`${overview.terms} in the vocabulary`, count(overview.n_words), `Different ${overview.terms} that the model knows.`]];
  const figure = ([label, value, about]) =>
    h("div", null, h("dt", null, label), h("dd", { class: "number" }, value), h("dd", { class: "about" }, about));
  return h("details", { class: "about-model" },
    h("summary", null, "About this model"),
    h("dl", { class: "figures card" }, [...facts, ...overview.figures].map(figure)));
}

/** Complete the page of a model with many documents when the server has read all documents. */
function completeLater({ signal }, facts, list) {
  const ask = async () => {
    const later = signal.aborted ? null : await renew("/api/overview").catch(() => null);
    if (signal.aborted || !later) return;
    if (later.waiting) return void setTimeout(ask, WAIT);
    const isOpen = facts.querySelector("details").open;
    refill(facts, opening(later));
    facts.querySelector("details").open = isOpen;
    list.renew(later);
  };
  setTimeout(ask, WAIT);
}
