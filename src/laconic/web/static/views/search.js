// Search results with explanations: matching words, related words, and the parts of the score from words and topics.

import { get } from "../api.js";
import { h, styled } from "../dom.js";
import { documentLink, wordHref } from "../parts.js";
import { counted, decimal, firstWords } from "../text.js";
import { passage } from "./reading/passage.js";

const HITS = 10;
const MORE = 20; // number of documents that each click on "More documents" adds
const MOST = 100;
const EXAMPLES = 6;
const HOW = "Enter a few words. Documents are ranked by these words and by related words that the model has learned.";

/** Show the results of a search. */
export async function show({ query: params, overview, title }) {
  const query = (params.get("q") ?? "").trim();
  title(query ? `Search: ${query}` : "Search");
  if (!overview.has.search) return h("div", { class: "found" }, h("h1", null, "Search"), await noIndex(query));
  return h("div", { class: "found" }, query ? await results(query, numberOfHits(params)) : emptyForm(overview));
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

async function results(query, k) {
  const data = await get("/api/search", { q: query, k });
  return [
    h("h1", { dir: "auto" }, data.query),
    h("p", { class: "lede", role: "status" }, summary(data, k)),
    suggestions(data),
    data.hits.length ? [key(data.hits), hitsOf(data.hits)] : null,
    data.hits.length === k && k < MOST
      ? h("p", null, h("a", { class: "button", href: searchHref(query, Math.min(k + MORE, MOST)) }, "More documents"))
      : null,
  ];
}

function summary({ hits, why, unknown }, k) {
  // the page lists unknown words with suggestions below this line
  if (hits.length === 0) return (Object.keys(unknown ?? {}).length ? null : why) ?? "No documents found.";
  return hits.length < k ? `${counted(hits.length, "document")}, best match first.` : `Top ${k} documents.`;
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

function hitsOf(hits) {
  const most = Math.max(...hits.map(({ lexical, background }) => positive(lexical) + positive(background)), 1e-9);
  return h("ol", { class: "hits" }, hits.map((hit) => hitOf(hit, most)));
}

function hitOf(hit, most) {
  const { title, id, label, pieces, keywords } = hit;
  const facts = [title && id !== title ? id : null, label].filter(Boolean).join(" · ");
  return h(
    "li",
    { class: "hit", "data-document": hit.document },
    h("div", { class: "hit-head" }, h("h2", null, documentLink(hit)), scoreOf(hit, most)),
    facts ? h("p", { class: "meta", dir: "auto" }, facts) : null,
    pieces.length ? h("p", { class: "passage", dir: "auto" }, passage(pieces)) : null,
    keywords.length ? h("p", { class: "words" }, keywords.map(keywordLink)) : null,
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
    { class: "score", tabindex: "0", role: "img", "aria-label": label },
    h("span", { class: "parts" }, part("lexical", lexical), part("background", background)),
    h("span", { class: "numbers" }, label),
  );
}

const positive = (number) => Math.max(0, number);
