// One document: its text with words coloured by topic and keywords marked, and what it is like.

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
const HOW_TO_WALK = "Point at a word, tap it, or walk with the arrow keys to see its topics.";
const NOTHING = "Neither the text of this document nor its counts of words are kept with the model.";
const EMPTY = "This document has no words.";
const COUNTS = "The text is not kept with the model: these are the words that were counted.";

/** The view of a document. */
export async function show(context) {
  const address = `/api/documents/${encodeURIComponent(context.path[1])}`;
  const data = await get(address, { part: context.query.get("part") });
  context.title(documentName(data));
  const root = h("div", { class: "reading" });
  const text = bodyOf(data);
  const card = new Card(root, describer(data, context.overview), context.signal);
  const goTo = walkThrough(text);
  text.addEventListener("click", ({ target }) => {
    if (target.matches("[data-word]")) goTo(target, { preventScroll: true });
  });
  root.append(pageOf(data, text, card.node, root), besideOf(data, text, address));
  return [headOf(data), root];
}

function headOf(data) {
  const { id, label, row, n_documents: all } = data;
  const name = documentName(data);
  const telling = id && id !== name && id !== String(row);
  return h(
    "header",
    { class: "document-head" },
    neighbours(row, all),
    h("h1", { dir: "auto" }, soft(name)),
    h(
      "p",
      { class: "quiet facts" },
      telling ? h("bdi", { class: "id" }, id) : null,
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

function stepTo(href, possible, text, label = text) {
  if (!possible) return h("span", { class: "button off", "aria-hidden": "true" }, text);
  return h("a", { class: "button", href, "aria-label": label }, text);
}

/** Whether there are words to show. */
function isRead({ kind }) {
  return kind === "text" || kind === "words";
}

function bodyOf(data) {
  if (!isRead(data)) return h("p", { class: "quiet" }, data.kind === "empty" ? EMPTY : NOTHING);
  const text = data.kind === "words" ? countsOf(data) : textOf(data);
  text.setAttribute("aria-describedby", HINT);
  return text;
}

function pageOf(data, text, card, root) {
  return h(
    "article",
    { class: "page" },
    isRead(data) ? toolbar(data, root) : null,
    data.kind === "words" ? h("p", { class: "quiet" }, COUNTS) : null,
    parts(data),
    text,
    card,
    parts(data),
    isRead(data) ? h("p", { class: "quiet code-note" }, data.code) : null,
  );
}

function toolbar(data, root) {
  const keywords = data.words.some(({ keyword }) => keyword !== null);
  const offered = ["colours", "letters", ...(keywords ? ["keywords"] : [])];
  return h(
    "div",
    { class: "toolbar" },
    data.topics.length ? strip(data.topics) : null,
    switches(root, offered),
    h("p", { class: "about", id: HINT }, HOW_TO_WALK),
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

function besideOf(data, text, address) {
  return h(
    "aside",
    { class: "beside", "aria-label": "About this document" },
    section("Topics", topicsOf(data, text)),
    data.keywords.length ? section("Keywords", keywordsOf(data.keywords)) : null,
    similar(address),
  );
}

const section = (title, ...children) => h("section", null, h("h2", null, title), children);

function topicsOf(data, text) {
  if (data.topics.length === 0) return h("p", { class: "quiet" }, "The model gives this document no topic.");
  return topicBars(data.topics, data.words, text);
}

function keywordsOf(keywords) {
  const chips = keywords.map(([word, strength]) => {
    const inside = [meter(strength), h("bdi", null, word)];
    return h("li", null, h("button", { type: "button", class: "keyword", "data-word": word }, inside));
  });
  const why = keywords.map(([word, , sentence]) => h("li", { dir: "auto" }, sentence || word));
  return [
    h("ul", { class: "keywords" }, chips),
    h("details", { class: "why" }, h("summary", null, "Why these words"), h("ul", null, why)),
  ];
}

/** Filled when the answer arrives: the text does not wait for it. */
function similar(address) {
  const place = h("section", { class: "similar", "aria-busy": "true" }, h("h2", null, "Similar documents"));
  const sentence = (text) => h("p", { class: "quiet" }, text);
  get(`${address}/similar`)
    .then(({ documents, why }) => (documents.length ? likeOf(documents) : sentence(why ?? "There are none.")))
    .catch(({ message }) => sentence(message))
    .then((answer) => append(place, answer))
    .finally(() => place.removeAttribute("aria-busy"));
  return place;
}

function likeOf(documents) {
  const rows = documents.map((each) =>
    h(
      "li",
      null,
      documentLink(each),
      h("span", { class: "number" }, decimal(each.distance)),
    ),
  );
  return [h("p", { class: "about" }, "Distance of their topics"), h("ol", { class: "similar-list" }, rows)];
}
