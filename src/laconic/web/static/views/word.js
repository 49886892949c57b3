// The page of a word: its senses (the topics that contain the word) with example passages.

import { get } from "../api.js";
import { h } from "../dom.js";
import { documentLink, topicLink, wordHref } from "../parts.js";
import { counted, percent } from "../text.js";
import { passage } from "./reading/passage.js";
import { strip, swatch, topicBar } from "./reading/topics.js";

const COLOURS = 7;
const PREFIX = 3;
const NAME_WORDS = 3; // number of words in the label of a topic without a name
const FROM_CODES = "Shares: how this word's codes, one for each document, are divided among topics.";
const FROM_PROBABILITIES = "Shares: how likely each topic is where this word occurs.";
const FROM_WEIGHTS = "Shares: how this word's weight is divided among topics.";

/** Show a word. */
export async function show(context) {
  const word = context.path[1];
  context.title(word);
  try {
    return wordPage(await get(`/api/words/${encodeURIComponent(word)}`), context.overview);
  } catch (error) {
    if (error.status !== 404) throw error;
    return unknownWord(word, error.message, context.overview);
  }
}

function wordPage(data, overview) {
  const senses = data.senses.map((sense, n) => ({ ...sense, colour: n < COLOURS ? n : null }));
  const others = data.near.filter((other) => other !== data.word);
  return [
    h("h1", { class: "headword", dir: "auto" }, data.word),
    h("p", { class: "lede" }, facts(data, overview), " ", overview.has.search ? searchLink(data.word) : null),
    senses.length > 1 ? strip(senses) : null,
    sensesOf(senses, data),
    wordList("Similar spelling", others),
  ];
}

const searchLink = (word) => h("a", { href: searchHref(word) }, "Search the documents for it.");

function facts({ n_documents: documents, forms, senses, more, own }, { distributions }) {
  const places = documents === null ? "" : `${counted(documents, "document")}${forms ? " (in any word form)" : ""} and `;
  if (senses.length === 0) return `Occurs in ${places}no topic: the model gives the word no weight.`;
  const about = own ? FROM_CODES : distributions ? FROM_PROBABILITIES : FROM_WEIGHTS;
  return `Occurs in ${places}${counted(senses.length + more, "topic")}. ${about}`;
}

const searchHref = (word) => `/search?${new URLSearchParams({ q: word })}`;

function sensesOf(senses, { word, more }) {
  if (senses.length === 0) return null;
  const rest = more ? h("p", { class: "quiet" }, `and ${counted(more, "weaker topic")}`) : null;
  return h("div", null, h("ol", { class: "senses" }, senses.map((sense) => senseOf(sense, word))), rest);
}

function senseOf(sense, word) {
  const { topic, share, colour, words, examples } = sense;
  return h(
    "li",
    { class: "sense card", "data-topic": topic, "data-colour": colour },
    h(
      "div",
      { class: "sense-head" },
      swatch(colour),
      h("h2", null, topicLink(sense)),
      h("span", { class: "number" }, percent(share)),
      topicBar(share, colour),
    ),
    wordLinks(sense.name ? "" : "also", words.slice(sense.name ? 0 : NAME_WORDS).filter((other) => other !== word)),
    examples.map(exampleOf),
  );
}

function wordLinks(before, words) {
  if (words.length === 0) return null;
  const links = words.map((word) => h("a", { href: wordHref(word), dir: "auto" }, word));
  return h("p", { class: "words" }, before ? h("span", { class: "quiet" }, before) : null, links);
}

function exampleOf(example) {
  return h(
    "blockquote",
    { class: "example" },
    h("p", { dir: "auto" }, passage(example.pieces)),
    h("footer", null, documentLink(example)),
  );
}

function wordList(title, words) {
  if (words.length === 0) return null;
  const links = words.map((word) => h("li", null, h("a", { class: "pill", href: wordHref(word), dir: "auto" }, word)));
  return h("aside", { class: "near", "aria-label": title }, h("h2", null, title), h("ul", null, links));
}

async function unknownWord(word, message, overview) {
  const start = [...word].slice(0, PREFIX).join("");
  const { words } = await get("/api/words", { like: start }).catch(() => ({ words: [] }));
  return [
    h("h1", { class: "headword", dir: "auto" }, word),
    h("p", { class: "lede", role: "alert", dir: "auto" }, message),
    wordList("Words with the same beginning", words),
    h(
      "p",
      { class: "buttons" },
      overview.has.search ? h("a", { class: "button", href: searchHref(word) }, "Search the documents for it") : null,
      h("a", { class: "button", href: "/" }, "All topics"),
    ),
  ];
}
