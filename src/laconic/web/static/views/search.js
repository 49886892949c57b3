// Search results with explanations: matching words, related words, and the parts of the score from words and topics.

import { get } from "../api.js";
import { h, styled } from "../dom.js";
import { chosenConditions, conditionsOf, facetPanel, narrowed } from "../facets.js";
import { documentLink, wordHref } from "../parts.js";
import { count, counted, decimal, firstWords } from "../text.js";
import { topicPart } from "./documents.js";
import { passage } from "./reading/passage.js";

const HITS = 10;
const MORE = 20; // number of documents that each click on "More documents" adds
const MOST = 100;
const EXAMPLES = 6;
const NEAR = 12; // number of words that are offered if nothing was found
const PREFIX = 3;
const PATH = "/search";
const HOW = "Enter a few words. Documents are ranked by these words and by related words that the model has learned.";

/** Show the results of a search. */
export async function show(context) {
  const { query: params, overview, title } = context;
  const query = (params.get("q") ?? "").trim();
  title(query ? `Search: ${query}` : "Search");
  if (!overview.has.search) return [h("h1", null, "Search"), await noIndex(query)];
  return query ? results(query, context) : emptyForm(overview);
}

/** Show the server's message that there is no search index. */
async function noIndex(query) {
  const message = await get("/api/search", { q: query || "why" }).then(
    ({ why }) => why ?? "This model has no search index.",
    (error) => error.message,
  );
  return h("p", { class: "lede" }, message);
}

function emptyForm(overview) {
  const queries = overview.topics
    .filter(({ hidden }) => !hidden)
    .slice(0, EXAMPLES)
    .map((topic) => firstWords(topic, 2).join(" "))
    .filter(Boolean);
  return [
    h("h1", null, "Search the documents"),
    h("p", { class: "lede" }, HOW),
    h("p", { class: "examples" }, queries.map(queryLink)),
  ];
}

const queryLink = (words) => h("a", { class: "pill", href: searchHref(words), dir: "auto" }, words);

const searchHref = (query, k) => `/search?${new URLSearchParams({ q: query, ...(k ? { k } : {}) })}`;

/** Return the requested number of documents, a parameter in the URL. */
function numberOfHits(params) {
  const k = Number.parseInt(params.get("k") ?? HITS, 10);
  return Math.min(Math.max(k || HITS, 1), MOST);
}

async function results(query, context) {
  const { query: params, overview } = context;
  const k = numberOfHits(params);
  const data = await get("/api/search", { q: query, k, ...conditionsOf(params) });
  const topics = new Map(overview.topics.map((topic) => [topic.topic, topic]));
  const head = [
    h("h1", { dir: "auto" }, data.query),
    h("p", { class: "lede", role: "status" }, summary(data)),
    chosenConditions(PATH, context),
  ];
  const found = [
    suggestions(data),
    data.hits.length ? [key(data.hits), hitsOf(data.hits, topics)] : await nearby(query, data, overview),
    data.hits.length < data.total && k < MOST
      ? h("p", null, h("a", { class: "button", href: narrowed(PATH, params, { k: Math.min(k + MORE, MOST) }) }, `More (${count(data.total - data.hits.length)})`))
      : null,
  ];
  if (!data.candidates) return [head, found];
  return h("div", { class: "faceted" },
    h("div", { class: "faceted-head" }, head), facetPanel(PATH, context, data.facets), h("div", { class: "faceted-list" }, found));
}

function summary({ hits, why, unknown, total, candidates, most }) {
  // the page lists unknown words with suggestions below this line
  if (!candidates) return (Object.keys(unknown ?? {}).length ? null : why) ?? "No documents found.";
  if (!total) return "No document meets all conditions.";
  const isCut = candidates === most; // the server looks at no further documents
  if (isCut && total === most) return `${count(hits.length)} of the ${count(most)} best matches.`;
  const among = isCut ? ` among the ${count(most)} best matches` : "";
  const shown = hits.length < total ? `${count(hits.length)} of ` : "";
  return `${shown}${counted(total, "document")}${among}, best match first.`;
}

/** If nothing was found: words that start like the words of the query, and the largest topics. */
async function nearby(query, { candidates }, overview) {
  if (candidates) return null;
  const starts = [...new Set(query.split(/\s+/).filter(Boolean).map((word) => [...word].slice(0, PREFIX).join("")))].slice(0, PREFIX);
  const found = await Promise.all(starts.map((like) => get("/api/words", { like }).catch(() => ({ words: [] }))));
  const words = [...new Set(found.flatMap(({ words: some }) => some))].slice(0, NEAR);
  const topics = overview.topics.filter(({ hidden }) => !hidden).slice(0, EXAMPLES);
  return [
    words.length ? h("section", null, h("h2", null, "Words with the same beginning"), h("p", { class: "examples" }, words.map(queryLink))) : null,
    h("section", null, h("h2", null, "Largest topics"), h("p", { class: "examples" }, topics.map((topic) => queryLink(firstWords(topic, 2).join(" "))))),
  ];
}

function suggestions({ query, unknown }) {
  const lines = Object.entries(unknown ?? {}).map(([word, others]) => {
    const links = others.flatMap((other, n) => [n ? ", " : "", instead(query, word, other)]);
    const question = links.length ? [" Did you mean ", links, "?"] : null;
    return h("p", null, "No document contains ", h("bdi", { class: "missing" }, word), ".", question);
  });
  return lines.length ? h("div", { class: "meant" }, lines) : null;
}

/** A link to the query in which a suggestion replaces an unknown word. */
function instead(query, word, other) {
  const changed = query.split(/\s+/).map((part) => (part.toLowerCase().includes(word.toLowerCase()) ? other : part));
  return h("a", { href: searchHref(changed.join(" ")), dir: "auto" }, other);
}

function key(hits) {
  const kinds = new Set(hits.flatMap(({ pieces }) => pieces.map(([, kind]) => kind)));
  return h(
    "p",
    { class: "key" },
    kinds.has("word") ? h("span", null, h("mark", { class: "word" }, "word"), " in the query") : null,
    kinds.has("related") ? h("span", null, h("mark", { class: "related" }, "word"), " related to the query") : null,
    h("span", null, h("span", { class: "sample lexical" }), "score from words"),
    h("span", null, h("span", { class: "sample background" }), "score from topics"),
  );
}

function hitsOf(hits, topics) {
  const most = Math.max(...hits.map(({ lexical, background }) => positive(lexical) + positive(background)), 1e-9);
  return h("ol", { class: "hits" }, hits.map((hit) => hitOf(hit, most, topics)));
}

function hitOf(hit, most, topics) {
  const { title, id, label, pieces, keywords } = hit;
  const facts = [title && id !== title ? id : null, label].filter(Boolean).join(" · ");
  return h(
    "li",
    { class: "hit", "data-document": hit.document },
    h("div", { class: "hit-main" },
      h("h2", null, documentLink(hit)),
      facts ? h("p", { class: "meta", dir: "auto" }, facts) : null,
      pieces.length ? h("p", { class: "passage", dir: "auto" }, passage(pieces)) : null,
      keywords.length ? h("p", { class: "words" }, keywords.map(keywordLink)) : null),
    h("div", { class: "hit-side" }, scoreOf(hit, most),
      h("p", { class: "bars-head" }, "Main topics and their shares"),
      h("ul", { class: "bars" }, hit.topics.map(([topic, part]) => topicPart(topics.get(topic), part)))),
  );
}

// a word outside the model's vocabulary has no page, so its link searches for it
const keywordLink = ([word, inVocabulary]) => h("a", { href: inVocabulary ? wordHref(word) : searchHref(word), dir: "auto" }, word);

function scoreOf({ score, lexical, background }, most) {
  const label = `Score ${decimal(score)}: ${decimal(lexical)} from words, ${decimal(background)} from topics`;
  const length = (value) => ({ "--length": `${(100 * positive(value)) / most}%` });
  const part = (name, value) => styled(h("span", { class: name }), length(value));
  return h(
    "div",
    { class: "score", title: label, role: "img", "aria-label": label },
    h("span", { class: "parts" }, part("lexical", lexical), part("background", background)),
    h("span", { class: "number" }, decimal(score)),
  );
}

const positive = (number) => Math.max(0, number);
