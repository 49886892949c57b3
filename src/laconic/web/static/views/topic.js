// One topic: its words, its top documents, related topics, and its share by class or over time.

import { get } from "../api.js";
import { chartFigure } from "../charts.js";
import { h, refill } from "../dom.js";
import { notesOf } from "../notes.js";
import { getPage, pageHref } from "../paging.js";
import { bar, documentLink, offLink, pager, soft } from "../parts.js";
import { Pointer } from "../pointing.js";
import { relatedTopics } from "../related.js";
import { FEW_DOCUMENTS, count, counted, percent, topicName } from "../text.js";
import { wordSection } from "../topic-words.js";

const ORDER = "Percentages are the topic's shares of the documents; order and bars show share × weight.";
const ON_THE_MAP = "This topic is highlighted, unrelated topics are faded. Click a topic to open it.";
const CLASSES = 10; // number of classes that are shown before the user unfolds the list

/** Show a topic. */
export async function show(context) {
  const path = `/api/topics/${encodeURIComponent(context.path[1])}`;
  const [topic, documents] = await Promise.all([
    get(path),
    context.overview.has.documents ? getPage(`${path}/documents`, context.query) : null,
  ]);
  context.title(topicName(topic));
  const pages = h("div", null, documentPages(topic, documents));
  const keep = (settings) => {
    context.keep(settings);
    refill(pages, documentPages(topic, documents));
  };
  return [
    head(topic, context),
    h("div", { class: "columns topic" },
      wordSection(topic, { ...context, keep }),
      documents ? documentSection(documents, pages) : null,
      h("div", { class: "around" }, relatedTopics(topic), onTheMap(topic, context), groupSection(topic, context))),
  ];
}

function head(topic, context) {
  return h("div", { class: "head" },
    h("div", null,
      h("h1", { dir: "auto" }, topicName(topic)),
      h("p", { class: "lede" }, facts(topic)),
      notesOf(topic, context)),
    neighbours(topic, context.overview.topics));
}

function facts(topic) {
  const parts = [
    `Topic ${topic.topic}`,
    `${percent(topic.share)} of the corpus, rank ${count(topic.rank)} of ${count(topic.n_topics)}`,
    counted(topic.n_words, "word"),
  ];
  if (topic.n_documents) parts.push(`in ${counted(topic.n_documents, "document")}`);
  if (topic.weak) parts.push(FEW_DOCUMENTS);
  if (topic.hidden) parts.push("hidden in the overview");
  return parts.join(" · ");
}

/** Links to the previous and the next topic in the order of shares; hidden topics are skipped. */
function neighbours(topic, topics) {
  const visible = topics.filter((each) => !each.hidden || each.topic === topic.topic);
  const at = visible.findIndex((each) => each.topic === topic.topic);
  const step = (name, other, rel) => (other ? stepLink(name, other, rel) : offLink(name));
  return h("nav", { class: "buttons", "aria-label": "Topics by share" },
    step("Previous", visible[at - 1], "prev"), step("Next", visible[at + 1], "next"));
}

function stepLink(name, other, rel) {
  const label = topicName(other);
  const attributes = { class: "button", rel, href: `/topics/${other.topic}`, title: label };
  return h("a", { ...attributes, "aria-label": `${name} topic: ${label}` }, name);
}

function documentSection({ documents }, pages) {
  return h("section", { id: "documents", "aria-labelledby": "documents-head" },
    h("h2", { id: "documents-head" }, "Top documents"),
    documents.length ? [h("p", { class: "about" }, ORDER), h("ol", { class: "list" }, documents.map(documentRow))]
      : h("p", { class: "empty" }, "No document has this topic."),
    pages);
}

/** Links to the pages of the topic's documents; the links keep the position of the slider. */
function documentPages(topic, documents) {
  const href = (page) => `${pageHref(`/topics/${topic.topic}`, location.search, page)}#documents`;
  return documents && pager(documents, href);
}

function documentRow(document) {
  return h("li", { "data-document": document.document },
    h("div", { class: "row-head" }, documentLink(document), strength(document)),
    document.label ? h("p", { class: "meta", dir: "auto" }, soft(document.label)) : null,
    document.excerpt ? h("p", { class: "excerpt", dir: "auto" }, document.excerpt) : null);
}

function strength({ share, strength: length }) {
  return h("span", { class: "share" },
    h("span", { class: "number", title: `This topic makes up ${percent(share)} of the document` }, percent(share)),
    bar(length));
}

/** The topic map with the topic and its related topics highlighted. */
function onTheMap(topic, { overview, ...context }) {
  const map = overview.charts.find(({ name }) => name === "map");
  if (!map || topic.hidden || overview.n_topics < 2) return null;
  const pointer = new Pointer();
  pointer.find([topic, ...topic.related].map((each) => each.topic));
  pointer.point(topic.topic);
  return h("section", { "aria-labelledby": "map-head" },
    h("h2", { id: "map-head" }, "On the map"),
    chartFigure(map, context, { bare: true, note: ON_THE_MAP, pointer }));
}

/** The share of the topic in groups of documents: bars for classes, or a chart over time. */
function groupSection(topic, context) {
  const { groups } = topic;
  if (!groups || !groups.rows.length) return null;
  const time = groups.kind === "time";
  return h("section", { "aria-labelledby": "spread-head" },
    h("h2", { id: "spread-head" }, time ? "Over time" : "By class"),
    time ? null : h("p", { class: "about" }, "Mean share of the topic in the documents of each class."),
    time ? timeChart(topic, context) : classRows(groups));
}

function timeChart(topic, context) {
  const about = `Mean share of ${topicName(topic)} over time.`;
  return chartFigure({ name: "groups", about }, context, { params: { topic: topic.topic }, wide: true });
}

function classRows({ rows, more }) {
  const most = Math.max(...rows.map(([, mean]) => mean), 0) || 1;
  const list = (some) => h("ul", { class: "bars" }, some.map((row) => classRow(row, most)));
  const folded = rows.slice(CLASSES);
  return [
    list(rows.slice(0, CLASSES)),
    folded.length ? h("details", null, h("summary", null, counted(folded.length, "more class", "more classes")), list(folded)) : null,
    more ? h("p", { class: "about" }, `${counted(more, "more class has", "more classes have")} a smaller share.`) : null,
  ];
}

function classRow([name, mean, size], most) {
  const href = `/documents?${new URLSearchParams({ label: name })}`;
  return h("li", null,
    h("a", { href, dir: "auto", title: counted(size, "document") }, soft(name)),
    bar(mean / most),
    h("span", { class: "number" }, percent(mean)));
}
