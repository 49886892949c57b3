// One document: its text with words coloured by topic, its topics and keywords, and similar documents.

import { get } from "../api.js";
import { append, h } from "../dom.js";
import { documentLink, soft } from "../parts.js";
import { count, decimal, documentName } from "../text.js";
import { describer } from "./reading/about.js";
import { Card } from "./reading/card.js";
import { meter } from "./reading/marks.js";
import { switches } from "./reading/switches.js";
import { countsOf, textOf } from "./reading/text.js";
import { strip, topicBars } from "./reading/topics.js";
import { walkThrough } from "./reading/walking.js";

const HINT = "walk-hint";
const HOW_TO_EXPLORE = "Hover over a word, tap it, or move with the arrow keys to see its topics.";
const NOTHING = "Neither the text nor the word counts of this document were saved with the model.";
const EMPTY = "This document has no words.";
const COUNTS = "The text was not saved with the model; these are the word counts.";

/** Show a document. */
export async function show(context) {
  const url = `/api/documents/${encodeURIComponent(context.path[1])}`;
  const data = await get(url, { part: context.query.get("part") });
  context.title(documentName(data));
  const root = h("div", { class: "reading" });
  const text = bodyOf(data);
  const card = new Card(root, describer(data, context.overview), context.signal);
  const goTo = walkThrough(text);
  text.addEventListener("click", ({ target }) => {
    if (target.matches("[data-word]")) goTo(target, { preventScroll: true });
  });
  root.append(pageOf(data, text, card.node, root), sidebar(data, text, url));
  return [headOf(data), root];
}

function headOf(data) {
  const { id, label, row, n_documents: all } = data;
  const name = documentName(data);
  const showId = id && id !== name && id !== String(row);
  return h(
    "header",
    { class: "document-head" },
    neighbours(row, all),
    h("h1", { dir: "auto" }, soft(name)),
    h(
      "p",
      { class: "quiet facts" },
      showId ? h("bdi", { class: "id" }, id) : null,
      label === null ? null : labelLink(label),
    ),
  );
}

function labelLink(label) {
  return h("a", { class: "label", dir: "auto", href: `/documents?${new URLSearchParams({ label })}` }, label);
}

function neighbours(row, all) {
  const step = (to, name, sign) => stepTo(`/documents/${to}`, to >= 0 && to < all, sign, `${name} document`);
  return h(
    "nav",
    { class: "neighbours", "aria-label": "Documents" },
    step(row - 1, "Previous", "‹"),
    h("span", { class: "place" }, `${count(row + 1)} of ${count(all)}`),
    step(row + 1, "Next", "›"),
  );
}

function stepTo(href, exists, text, label = text) {
  if (!exists) return h("span", { class: "button off", "aria-hidden": "true" }, text);
  return h("a", { class: "button", href, "aria-label": label }, text);
}

/** Tell whether the document has words to show. */
function hasWords({ kind }) {
  return kind === "text" || kind === "words";
}

function bodyOf(data) {
  if (!hasWords(data)) return h("p", { class: "quiet" }, data.kind === "empty" ? EMPTY : NOTHING);
  const text = data.kind === "words" ? countsOf(data) : textOf(data);
  text.setAttribute("aria-describedby", HINT);
  return text;
}

function pageOf(data, text, card, root) {
  return h(
    "article",
    { class: "page" },
    hasWords(data) ? toolbar(data, root) : null,
    data.kind === "words" ? h("p", { class: "quiet" }, COUNTS) : null,
    parts(data),
    text,
    card,
    parts(data),
    hasWords(data) ? h("p", { class: "quiet code-note" }, data.code) : null,
  );
}

function toolbar(data, root) {
  const keywords = data.words.some(({ keyword }) => keyword !== null);
  const names = ["colours", "letters", ...(keywords ? ["keywords"] : [])];
  return h(
    "div",
    { class: "toolbar" },
    data.topics.length ? strip(data.topics) : null,
    switches(root, names),
    h("p", { class: "about", id: HINT }, HOW_TO_EXPLORE),
  );
}

function parts({ row, part, parts: all }) {
  if (all < 2) return null;
  const step = (to, name) => stepTo(`/documents/${row}?part=${to}`, to >= 0 && to < all, name);
  return h(
    "nav",
    { class: "pager", "aria-label": "Parts of the text" },
    step(part - 1, "Previous part"),
    h("span", { class: "place" }, `Part ${part + 1} of ${all}`),
    step(part + 1, "Next part"),
  );
}

function sidebar(data, text, url) {
  return h(
    "aside",
    { class: "beside", "aria-label": "About this document" },
    section("Topics", topicsOf(data, text)),
    data.keywords.length ? section("Keywords", keywordsOf(data.keywords)) : null,
    similar(url),
  );
}

const section = (title, ...children) => h("section", null, h("h2", null, title), children);

function topicsOf(data, text) {
  if (data.topics.length === 0) return h("p", { class: "quiet" }, "The model assigns no topic to this document.");
  return topicBars(data.topics, data.words, text);
}

function keywordsOf(keywords) {
  const chips = keywords.map(([word, strength]) => {
    const inside = [meter(strength), h("bdi", null, word)];
    return h("li", null, h("button", { type: "button", class: "keyword", "data-word": word }, inside));
  });
  const reasons = keywords.map(([word, , reason]) => h("li", { dir: "auto" }, reason || word));
  return [
    h("ul", { class: "keywords" }, chips),
    h("details", { class: "why" }, h("summary", null, "Why these keywords?"), h("ul", null, reasons)),
  ];
}

/** The section with similar documents. It is filled when the response arrives, so that the text is shown at once. */
function similar(url) {
  const section = h("section", { class: "similar", "aria-busy": "true" }, h("h2", null, "Similar documents"));
  const message = (text) => h("p", { class: "quiet" }, text);
  get(`${url}/similar`)
    .then(({ documents, why }) => (documents.length ? similarList(documents) : message(why ?? "No similar documents.")))
    .catch((error) => message(error.message))
    .then((content) => append(section, content))
    .finally(() => section.removeAttribute("aria-busy"));
  return section;
}

function similarList(documents) {
  const rows = documents.map((each) =>
    h(
      "li",
      null,
      documentLink(each),
      h("span", { class: "number" }, decimal(each.distance)),
    ),
  );
  return [h("p", { class: "about" }, "distance: 0 is most similar"), h("ol", { class: "similar-list" }, rows)];
}
