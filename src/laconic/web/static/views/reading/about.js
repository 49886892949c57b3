// Content of the card of a word in a document.

import { h } from "../../dom.js";
import { wordHref } from "../../parts.js";
import { count, decimal, percent, topicName } from "../../text.js";
import { meter } from "./marks.js";
import { swatch, topicBar } from "./topics.js";

const TOPICS = 5; // maximum number of topics shown
const WEIGHTS = 4; // maximum number of weights shown of a word's code

/** Return the function that describes a word: its topics, its code, and why it is a keyword. */
export function describer(data, overview) {
  const words = new Map(data.words.map((word) => [word.word, word]));
  const keywords = new Map(data.keywords.map((keyword) => [keyword[0], keyword]));
  const names = new Map([...overview.topics, ...data.topics].map((topic) => [topic.topic, topicName(topic)]));
  const colours = new Map(data.topics.map(({ topic, colour }) => [topic, colour]));
  return ({ dataset }) => {
    const word = words.get(dataset.word);
    return h(
      "div",
      null,
      heading(dataset.word, word),
      word ? contributions(word, names, colours) : null,
      word?.code?.length ? code(word.code, names, colours) : null,
      evidence(keywords.get(dataset.word), word?.keyword ?? null),
      h("p", { class: "onward" }, isCounted(word) ? sensesLink(dataset.word) : searchLink(dataset.word)),
    );
  };
}

/** Tell whether the word is in the model's vocabulary; a keyword may be outside the vocabulary. */
const isCounted = (word) => word !== undefined && word.count !== null;

const sensesLink = (word) => h("a", { href: wordHref(word) }, "Show all senses");

/** A search link for keyphrases and for words outside the vocabulary, which have no senses. */
function searchLink(words) {
  return h("a", { href: `/search?${new URLSearchParams({ q: words })}` }, "Search the documents for it");
}

function heading(text, word) {
  const times = isCounted(word) ? h("span", { class: "quiet" }, timesOf(word.count)) : null;
  return h("p", { class: "about-word" }, h("strong", { dir: "auto" }, text), " ", times);
}

function timesOf(number) {
  if (number === 1) return "once in this document";
  return `${Number.isInteger(number) ? count(number) : Number(number.toPrecision(3))} times in this document`;
}

function contributions({ topics, count: times }, names, colours) {
  if (times === null) return h("p", { class: "quiet" }, "Not in the model's vocabulary.");
  if (topics.length === 0) return h("p", { class: "quiet" }, "No topic of this document contains this word.");
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

/** One line with the code that the model learned for the word; coloured topics are named by their letter. */
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
  const [word, score, explanation] = keyword ?? ["", strength, ""];
  const reason = explanation?.startsWith(`${word}: `) ? explanation.slice(word.length + 2) : explanation;
  return h("p", { class: "evidence" }, meter(score), " Keyword", reason ? `: ${reason}` : "");
}
