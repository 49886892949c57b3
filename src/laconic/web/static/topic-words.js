// The words of a topic with their weights; a slider changes the order of the words.

import { h, refill } from "./dom.js";
import { bar, wordHref } from "./parts.js";
import { count } from "./text.js";

const SHOWN = 30; // number of words shown; the server sends the top 30 words of every slider position

/** The words of a topic, and the slider between distinctive and frequent words. */
export function wordSection(topic, context) {
  const list = h("ol", { class: "bars word-bars" });
  const strongest = Math.max(...topic.words.map(([, weight]) => Math.abs(weight)), 0) || 1;
  const fill = (relevance) => refill(list, ordered(topic.words, relevance).map((word) => wordRow(word, strongest)));
  const start = initialRelevance(context.query.get("relevance"), topic.relevance);
  fill(start);
  const onChange = (value) => {
    fill(value);
    context.keep({ relevance: value === topic.relevance ? null : String(value) });
  };
  return h("section", { "aria-labelledby": "words-head" },
    h("h2", { id: "words-head" }, "Words"),
    topic.words.length > 1 ? slider(start, onChange) : null,
    list, truncationNote(topic));
}

/** Return the top words at a slider position, by weight / overall weight ** (1 - relevance). */
export function ordered(words, relevance) {
  const score = ([, weight, overall]) => Math.abs(weight) / Math.max(overall, 1e-12) ** (1 - relevance);
  return [...words].sort((a, b) => score(b) - score(a)).slice(0, SHOWN);
}

function initialRelevance(parameter, defaultValue) {
  const value = Number.parseFloat(parameter);
  return value >= 0 && value <= 1 ? value : defaultValue;
}

function slider(start, onChange) {
  const input = h("input", {
    type: "range", min: 0, max: 1, step: 0.1, value: start, id: "relevance", "aria-describedby": "relevance-about",
    oninput: () => { showValue(); onChange(Number(input.value)); },
  });
  const output = h("output", { class: "number", for: "relevance" });
  const showValue = () => { output.textContent = Number(input.value).toFixed(1); };
  showValue();
  return h("div", { class: "slider" },
    h("label", { for: "relevance" }, "Relevance "), output,
    h("div", { class: "scale" }, h("span", null, "distinctive"), input, h("span", null, "frequent")),
    h("p", { class: "about", id: "relevance-about" },
      "Distinctive words are rare in other topics. Frequent words have the largest weight."));
}

function wordRow([word, weight], strongest) {
  const negative = weight < 0;
  return h("li", { class: negative ? "negative" : null, "data-word": word },
    h("a", { href: wordHref(word), dir: "auto" },
      negative ? h("span", { class: "minus" }, "−") : null, h("bdi", null, word)),
    bar(weight / strongest, { negative }),
    h("span", { class: "number" }, weightText(weight, strongest)));
}

/** Format weights with the same number of decimals, chosen so that the strongest weight has three digits. */
function weightText(weight, strongest) {
  const decimals = Math.min(8, Math.max(0, 2 - Math.floor(Math.log10(strongest))));
  const text = weight.toFixed(decimals);
  return Number(text) === 0 ? `< ${(10 ** -decimals).toFixed(decimals)}` : text.replace("-", "−");
}

function truncationNote(topic) {
  const more = topic.n_words - Math.min(SHOWN, topic.words.length);
  if (more <= 0) return null;
  return h("p", { class: "about" }, `Top ${SHOWN} of ${count(topic.n_words)} words.`);
}
