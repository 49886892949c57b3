// The topics of a document as bars; a bar highlights the words of its topic in the text.

import { h, styled } from "../../dom.js";
import { bar } from "../../parts.js";
import { percent, topicName } from "../../text.js";
import { letterOf, wordsOfTopic } from "./marks.js";

const AT_FIRST = 8; // number of topics shown before the user unfolds the list
const ROOM_FOR_LETTER = 0.05; // minimum share of a topic for its letter to fit into the stacked bar

/** The shares of the topics as one stacked bar, with the letters of the coloured topics. */
export function strip(topics) {
  const total = sizeOf(topics) || 1;
  const coloured = topics.filter(({ colour }) => colour !== null);
  const rest = total - sizeOf(coloured);
  const parts = coloured.map(({ share, colour }) => segment(Math.abs(share) / total, colour));
  return h("div", { class: "strip", "aria-hidden": "true" }, parts, rest > 0 ? segment(rest / total, null) : null);
}

const sizeOf = (topics) => topics.reduce((sum, { share }) => sum + Math.abs(share), 0);

function segment(part, colour) {
  const letter = part >= ROOM_FOR_LETTER ? letterOf(colour) : "";
  return styled(h("span", { "data-colour": colour }, letter), { "--part": part });
}

/** Bars that highlight the words of their topic while hovered over or, after a click, until the next click. */
export function topicBars(topics, words, text) {
  const highlight = highlighter(text, words);
  const most = Math.max(...topics.map(({ share }) => Math.abs(share)), 1e-9);
  const rows = topics.map((topic) => row(topic, most));
  const list = h("ol", { class: "topic-bars" }, rows.slice(0, AT_FIRST));
  addListeners(list, highlight, new Map(topics.map((topic) => [String(topic.topic), topic])));
  return [list, unfold(list, rows.slice(AT_FIRST))];
}

function row(topic, most) {
  const { topic: k, share, colour } = topic;
  const name = topicName(topic);
  const button = h(
    "button",
    { type: "button", class: "topic-bar", "data-topic": k, "data-colour": colour, "aria-pressed": "false" },
    swatch(colour),
    h("span", { class: "name", dir: "auto" }, name, topic.hidden ? h("span", { class: "quiet" }, " (hidden)") : null),
    h("span", { class: "number" }, percent(share)),
    topicBar(share, colour, most),
  );
  const more = h("a", { href: `/topics/${k}`, class: "go", "aria-label": `Topic ${name}` }, "›");
  return h("li", null, button, more);
}

/** A square with the colour and letter of a topic. */
export function swatch(colour) {
  const letter = letterOf(colour ?? null);
  return h("span", { class: "swatch", "data-colour": colour, "aria-hidden": "true" }, letter);
}

/** A bar in the colour of a topic; negative bars are hatched. */
export function topicBar(share, colour, most = 1) {
  const element = bar(share / most, { negative: share < 0 });
  if (colour !== null && colour !== undefined) element.dataset.colour = colour;
  return element;
}

function unfold(list, rows) {
  if (rows.length === 0) return null;
  const button = h("button", { type: "button", class: "button" }, `${rows.length} more`);
  button.addEventListener("click", () => {
    button.remove();
    list.append(...rows);
    rows[0].querySelector("button").focus();
  });
  return button;
}

function addListeners(list, highlight, topics) {
  let pressed = null;
  const at = (event) => event.target.closest("[data-topic]");
  const highlightAt = (button) => highlight(topics.get((button ?? pressed)?.dataset.topic));
  for (const name of ["pointerover", "focusin"]) {
    list.addEventListener(name, (event) => highlightAt(at(event)));
  }
  for (const name of ["pointerleave", "focusout"]) list.addEventListener(name, () => highlightAt(null));
  list.addEventListener("click", (event) => {
    const button = at(event);
    if (!button) return;
    pressed?.setAttribute("aria-pressed", "false");
    pressed = pressed === button ? null : button;
    pressed?.setAttribute("aria-pressed", "true");
    highlightAt(null);
  });
}

/** Return a function that highlights the words of a topic and dims other words; called without a topic, it resets all. */
function highlighter(text, words) {
  const occurrences = Map.groupBy(text.querySelectorAll("[data-word]"), (mark) => mark.dataset.word);
  let lit = [];
  return (topic) => {
    for (const mark of lit) mark.classList.remove("lit");
    const chosen = topic ? wordsOfTopic(words, topic.topic) : [];
    lit = [...chosen].flatMap((word) => occurrences.get(word) ?? []);
    for (const mark of lit) mark.classList.add("lit");
    text.classList.toggle("dimmed", Boolean(topic));
    text.dataset.lit = topic?.colour ?? "";
  };
}
