// The words of a topic with their weights, in the order that a slider asks for.

import { h, refill } from "./dom.js";
import { bar, wordHref } from "./parts.js";
import { count } from "./text.js";

const SHOWN = 30; // the server sends every word that some place of the slider puts among so many

/** The words of a topic, and the slider between the usual and the telling ones. */
export function wordSection(topic, context) {
  const list = h("ol", { class: "bars word-bars" });
  const strongest = Math.max(...topic.words.map(([, weight]) => Math.abs(weight)), 0) || 1;
  const fill = (relevance) => refill(list, ordered(topic.words, relevance).map((word) => wordRow(word, strongest)));
  const start = startOf(context.query.get("relevance"), topic.relevance);
  fill(start);
  const asked = (value) => {
    fill(value);
    context.keep({ relevance: value === topic.relevance ? null : String(value) });
  };
  return h("section", { "aria-labelledby": "words-head" },
    h("h2", { id: "words-head" }, "Words"),
    topic.words.length > 1 ? slider(start, asked) : null,
    list, rest(topic));
}

/** The best words at a place of the slider: weight over how common the word is, to the rest of 1. */
export function ordered(words, relevance) {
  const score = ([, weight, overall]) => Math.abs(weight) / Math.max(overall, 1e-12) ** (1 - relevance);
  return [...words].sort((a, b) => score(b) - score(a)).slice(0, SHOWN);
}

function startOf(asked, usual) {
  const value = Number.parseFloat(asked);
  return value >= 0 && value <= 1 ? value : usual;
}

function slider(start, asked) {
  const input = h("input", {
    type: "range", min: 0, max: 1, step: 0.1, value: start, id: "relevance", "aria-describedby": "relevance-about",
    oninput: () => { say(); asked(Number(input.value)); },
  });
  const place = h("output", { class: "number", for: "relevance" });
  const say = () => { place.textContent = Number(input.value).toFixed(1); };
  say();
  return h("div", { class: "slider" },
    h("label", { for: "relevance" }, "Relevance "), place,
    h("div", { class: "scale" }, h("span", null, "telling"), input, h("span", null, "frequent")),
    h("p", { class: "about", id: "relevance-about" },
      "To the right, words by their weight in this topic; to the left, words that are rare outside it come first."));
}

function wordRow([word, weight], strongest) {
  const negative = weight < 0;
  return h("li", { class: negative ? "negative" : null, "data-word": word },
    h("a", { href: wordHref(word), dir: "auto" },
      negative ? h("span", { class: "minus" }, "−") : null, h("bdi", null, word)),
    bar(weight / strongest, { negative }),
    h("span", { class: "number" }, weightText(weight, strongest)));
}

/** A weight with as many decimals as give the strongest three digits, so that the points stand in line. */
function weightText(weight, strongest) {
  const decimals = Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(strongest))));
  const text = weight.toFixed(decimals);
  return Number(text) === 0 ? `< ${(10 ** -decimals).toFixed(decimals)}` : text.replace("-", "−");
}

function rest(topic) {
  const more = topic.n_words - Math.min(SHOWN, topic.words.length);
  if (more <= 0) return null;
  return h("p", { class: "about" }, `The best ${SHOWN} of ${count(topic.n_words)} words.`);
}
