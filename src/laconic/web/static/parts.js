// Small components shared by several views.

import { h, styled } from "./dom.js";
import { count, documentName, percent, topicName } from "./text.js";

/** A horizontal bar; `part` is its length from 0 to 1. It is hidden from screen readers, which read the number beside it. */
export function bar(part, { negative = false } = {}) {
  const length = `${100 * Math.min(1, Math.max(0, Math.abs(part)))}%`;
  const fill = styled(h("span", { class: negative ? "fill negative" : "fill" }), { "--length": length });
  return h("span", { class: "bar", "aria-hidden": "true" }, fill);
}

/** A share as text and as a bar; `most` is the share of a bar with full length. */
export function share(value, most = 1) {
  const length = most > 0 ? value / most : 0;
  return h("span", { class: "share" },
    h("span", { class: "number" }, percent(value)),
    bar(length, { negative: value < 0 }));
}

/** A word of a topic; its underline shows the strength of the word, from 0 to 1. */
export function chip(word, strength, { negative = false, href = null } = {}) {
  const kind = negative ? "chip negative" : "chip";
  const text = h("bdi", null, word);
  const minus = negative ? h("span", { class: "minus" }, "−") : null;
  const inside = h(href ? "a" : "span", { class: kind, href }, minus, text);
  return styled(inside, { "--length": `${100 * Math.min(1, strength)}%` });
}

/** A link to a topic, labelled with its name. */
export function topicLink(topic) {
  return h("a", { href: `/topics/${topic.topic}`, dir: "auto" }, topicName(topic));
}

/** Text such as numpy.linalg_svd, in which lines may break after dots, slashes and underscores. */
export function soft(text) {
  return text.split(/(?<=[._/-])(?=\p{L})/u).flatMap((part, n) => (n ? [h("wbr"), part] : [part]));
}

/** A link to a document, labelled with its title or id. */
export function documentLink(document) {
  const href = `/documents/${document.document}`;
  return h("a", { href, class: "title", dir: "auto" }, soft(documentName(document)));
}

/** Return the URL of the page of a word. */
export function wordHref(word) {
  if (word === "." || word === "..") return null; // browsers would resolve "." and ".." in a path
  return `/words/${encodeURIComponent(word)}`;
}

/** Links to the pages of a long list; `href(page)` returns the URL of a page, and the first page is 0. */
export function pager({ page, size, total }, href, noun = "documents") {
  const last = Math.max(0, Math.ceil(total / size) - 1);
  if (last === 0) return null;
  const from = page * size + 1;
  const range = `${count(from)}–${count(Math.min(total, from + size - 1))} of ${count(total)}`;
  return h("nav", { class: "pager", "aria-label": `Pages of ${noun}` },
    step("First", 0, page > 1, href),
    step("Previous", page - 1, page > 0, href),
    h("span", { class: "place" }, range),
    step("Next", page + 1, page < last, href),
    step("Last", last, page < last - 1, href));
}

function step(name, page, exists, href) {
  return exists ? h("a", { class: "button", href: href(page) }, name) : offLink(name);
}

/** A disabled link, which takes up the same space as a link so that the other links do not move. */
export function offLink(name) {
  return h("a", { class: "button off", role: "link", "aria-disabled": "true" }, name);
}
