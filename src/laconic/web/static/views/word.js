// One word: its senses, which are the topics it stands in, with sentences that show each of them.

import { get } from "../api.js";
import { h } from "../dom.js";
import { documentLink, topicLink, wordHref } from "../parts.js";
import { counted, percent } from "../text.js";
import { passage } from "./reading/passage.js";
import { strip, swatch, topicBar } from "./reading/topics.js";

const COLOURS = 7;
const PREFIX = 3;
const NAMED_BY = 3; // a topic without a name is called by so many of its words
const OWN = "The model codes every word where it stands; a share is the part of those codes that goes to the topic.";
const LIKELY = "The model has no codes of words; a share is how likely the topic is where the word occurs.";
const WEIGHTS = "The model has no codes of words; a share is the topic's part of all weight that topics give the word.";

/** The view of a word. */
export async function show(context) {
  const word = context.path[1];
  context.title(word);
  try {
    return known(await get(`/api/words/${encodeURIComponent(word)}`), context.overview);
  } catch (error) {
    if (error.status !== 404) throw error;
    return unknown(word, error.message, context.overview);
  }
}

function known(data, overview) {
  const senses = data.senses.map((sense, n) => ({ ...sense, colour: n < COLOURS ? n : null }));
  const others = data.near.filter((other) => other !== data.word);
  return [
    h("h1", { class: "headword", dir: "auto" }, data.word),
    h("p", { class: "lede" }, facts(data, overview), " ", overview.has.search ? searchLink(data.word) : null),
    senses.length > 1 ? strip(senses) : null,
    h("div", { class: senses.length ? "columns" : null }, sensesOf(senses, data), near("Words spelled alike", others)),
  ];
}

const searchLink = (word) => h("a", { href: searchHref(word) }, "Search documents for it.");

function facts({ n_documents: documents, forms, senses, more, own }, { distributions }) {
  const places = documents === null ? "" : `${counted(documents, "document")}${forms ? " (in any of its forms)" : ""} and `;
  if (senses.length === 0) return `In ${places}no topic: the model gives the word no weight.`;
  return `In ${places}${counted(senses.length + more, "topic")}. ${own ? OWN : distributions ? LIKELY : WEIGHTS}`;
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
    wordLinks(sense.name ? "" : "also", words.slice(sense.name ? 0 : NAMED_BY).filter((other) => other !== word)),
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

function near(title, words) {
  if (words.length === 0) return null;
  const links = words.map((word) => h("li", null, h("a", { class: "pill", href: wordHref(word), dir: "auto" }, word)));
  return h("aside", { class: "near", "aria-label": title }, h("h2", null, title), h("ul", null, links));
}

async function unknown(word, sentence, overview) {
  const start = [...word].slice(0, PREFIX).join("");
  const { words } = await get("/api/words", { like: start }).catch(() => ({ words: [] }));
  return [
    h("h1", { class: "headword", dir: "auto" }, word),
    h("p", { class: "lede", role: "alert", dir: "auto" }, sentence),
    near("Words that begin alike", words),
    h(
      "p",
      { class: "buttons" },
      overview.has.search ? h("a", { class: "button", href: searchHref(word) }, "Search documents for it") : null,
      h("a", { class: "button", href: "/" }, "All topics"),
    ),
  ];
}
