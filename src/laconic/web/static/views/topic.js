// One topic: its words, its top documents, related topics, and its share by class or over time.

import { get } from "../api.js";
import { Brush } from "../brush.js";
import { h, refill } from "../dom.js";
import { removableWords } from "../editing.js";
import { groupSection } from "../group-chart.js";
import { keyHint, nameInPlace, onKeys, toggleHidden } from "../naming.js";
import { notesOf } from "../notes.js";
import { getPage, pageHref } from "../paging.js";
import { bar, documentLink, offLink, pager, soft } from "../parts.js";
import { relatedTopics } from "../related.js";
import { FEW_DOCUMENTS, count, counted, percent, stabilityText, topicName } from "../text.js";
import { topicMap } from "../topic-map.js";
import { wordSection } from "../topic-words.js";
import { passage } from "./reading/passage.js";

const ORDER = "Percentages are the topic's shares of the documents; order and bars show share × weight.";
const ON_THE_MAP = "This topic is highlighted, unrelated topics are faded.";

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
    h("div", { class: "columns topic", "data-group": topic.group },
      removableWords(wordSection(topic, { ...context, keep }), topic, context),
      h("div", { class: "evidence-column" }, groupSection(topic), documents ? documentSection(documents, pages) : null),
      h("div", { class: "around" }, relatedTopics(topic), onTheMap(topic, context), keyHint(context.overview.has.write))),
  ];
}

function head(topic, context) {
  const title = titleOf(topic, context);
  return h("div", { class: "head" },
    h("div", null, h("h1", { dir: "auto", class: "topic-title" }, title),
      h("p", { class: "lede" }, facts(topic)),
      notesOf(topic, context)),
    neighbours(topic, context.overview.topics));
}

/** The name of the topic; if it can be changed, it is a button that opens a field. */
function titleOf(topic, context) {
  const { has, topics } = context.overview;
  const visible = topics.filter((each) => !each.hidden || each.topic === topic.topic);
  const at = visible.findIndex((each) => each.topic === topic.topic);
  const step = (other) => { if (other) context.go(`/topics/${other.topic}`); };
  const keys = { j: () => step(visible[at + 1]), k: () => step(visible[at - 1]) };
  if (!has.write) {
    onKeys(keys, context.signal);
    return topicName(topic);
  }
  const saved = async (message) => {
    await context.reload();
    document.getElementById("announcement").textContent = message;
  };
  const edit = () => nameInPlace(title, { ...topic, words: topic.called }, { onSaved: () => saved("Saved.") });
  const title = h("button", { type: "button", class: "title-button", title: "Name this topic (n)", onclick: edit }, topicName(topic));
  onKeys({ ...keys, n: edit, h: async () => { await toggleHidden(topic); await saved(topic.hidden ? "Shown again." : "Hidden."); } }, context.signal);
  return title;
}

function facts(topic) {
  const parts = [
    `Topic ${topic.topic}`,
    `${percent(topic.share)} of the corpus, rank ${count(topic.rank)} of ${count(topic.n_topics)}`,
    counted(topic.n_words, "word"),
  ];
  if (topic.n_documents) parts.push(`in ${counted(topic.n_documents, "document")}`);
  if (topic.stability !== null) parts.push(stabilityText(topic.stability));
  if (topic.asked) parts.push(`intruder found in ${count(topic.found)} of ${counted(topic.asked, "test")}`);
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
    document.pieces ? h("p", { class: "passage", dir: "auto" }, passage(document.pieces)) : null,
    folded(document.same));
}

/** Documents that say the same as the document above them. */
function folded(same) {
  if (!same.length) return null;
  return h("details", { class: "same" },
    h("summary", null, `and ${count(same.length)} like it`),
    h("ul", null, same.map((document) => h("li", null, documentLink(document), " ", h("span", { class: "number quiet" }, percent(document.share))))));
}

function strength({ share, strength: length }) {
  return h("span", { class: "share" },
    h("span", { class: "number", title: `This topic makes up ${percent(share)} of the document` }, percent(share)),
    bar(length));
}

/** The topic map with the topic and its related topics highlighted. */
function onTheMap(topic, context) {
  if (topic.hidden || context.overview.topics.filter(({ hidden }) => !hidden).length < 2) return null;
  const brush = new Brush();
  brush.find([topic, ...topic.related].map((each) => each.topic));
  return h("section", { "aria-labelledby": "map-head" },
    h("h2", { id: "map-head" }, "On the map"),
    topicMap(context, brush, { pinned: topic.topic }),
    h("p", { class: "about" }, ON_THE_MAP));
}
