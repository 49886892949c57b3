// What the card says about a word of a document.

import { h } from "../../dom.js";
import { wordHref } from "../../parts.js";
import { count, decimal, percent, topicName } from "../../text.js";
import { meter } from "./marks.js";
import { swatch, topicBar } from "./topics.js";

const TOPICS = 5;
const WEIGHTS = 4;

/** Gives the function that describes a word: its code, and why it is a keyword. */
export function describer(data, overview) {
  const words = new Map(data.words.map((word) => [word.word, word]));
  const keywords = new Map(data.keywords.map((keyword) => [keyword[0], keyword]));
  const names = new Map([...overview.topics, ...data.topics].map((topic) => [topic.topic, topicName(topic)]));
  const colours = new Map(data.topics.map(({ topic, colour }) => [topic, colour]));
  return ({ dataset }) => {
    const known = words.get(dataset.word);
    return h(
      "div",
      null,
      heading(dataset.word, known),
      known ? parts(known, names, colours) : null,
      known?.code?.length ? code(known.code, names, colours) : null,
      evidence(keywords.get(dataset.word), known?.keyword ?? null),
      h("p", { class: "onward" }, isCounted(known) ? sensesLink(dataset.word) : searchLink(dataset.word)),
    );
  };
}

/** Whether the model has the word; keywords may be rarer than its words. */
const isCounted = (known) => known !== undefined && known.count !== null;

const sensesLink = (word) => h("a", { href: wordHref(word) }, "All its senses");

/** A keyword of several words has no senses of its own. */
function searchLink(words) {
  return h("a", { href: `/search?${new URLSearchParams({ q: words })}` }, "Search documents for it");
}

function heading(word, known) {
  const times = isCounted(known) ? h("span", { class: "quiet" }, timesOf(known.count)) : null;
  return h("p", { class: "about-word" }, h("strong", { dir: "auto" }, word), " ", times);
}

function timesOf(number) {
  if (number === 1) return "once here";
  return `${Number.isInteger(number) ? count(number) : Number(number.toPrecision(3))} times here`;
}

function parts({ topics, count: times }, names, colours) {
  if (times === null) return h("p", { class: "quiet" }, "It is not among the words of the model.");
  if (topics.length === 0) return h("p", { class: "quiet" }, "It has no part in any topic.");
  const sorted = topics.toSorted((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const rows = sorted.slice(0, TOPICS).map(([k, share]) =>
    h(
      "li",
      null,
      swatch(colours.get(k)),
      h("span", { class: "name", dir: "auto" }, names.get(k) ?? `topic ${k}`),
      h("span", { class: "number" }, percent(share)),
      topicBar(share, colours.get(k)),
    ),
  );
  const more = sorted.length - TOPICS;
  return [h("ul", { class: "word-topics" }, rows), more > 0 ? h("p", { class: "quiet" }, `and ${more} more`) : null];
}

/** The code as the model learned it, in one line: topics that have a letter go by it. */
function code(weights, names, colours) {
  const items = weights.slice(0, WEIGHTS).map(([k, weight]) => {
    const colour = colours.get(k) ?? null;
    const name = h("span", { class: colour === null ? "name" : "unseen", dir: "auto" }, names.get(k) ?? `topic ${k}`);
    return h("li", null, colour === null ? null : swatch(colour), name, decimal(weight));
  });
  return h("div", { class: "word-code" }, h("span", null, "Code"), h("ul", null, items));
}

function evidence(keyword, strength) {
  if (!keyword && strength === null) return null;
  const [word, score, sentence] = keyword ?? ["", strength, ""];
  const why = sentence?.startsWith(`${word}: `) ? sentence.slice(word.length + 2) : sentence;
  return h("p", { class: "evidence" }, meter(score), " Keyword", why ? `: ${why}` : "");
}
