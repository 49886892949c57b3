// What a search found, and why: the words asked for, words related to them, both parts of the score.

import { get } from "../api.js";
import { h, styled } from "../dom.js";
import { documentLink, wordHref } from "../parts.js";
import { counted, decimal, firstWords } from "../text.js";
import { passage } from "./reading/passage.js";

const HITS = 10;
const MORE = 20; // documents that "more" adds
const MOST = 100;
const EXAMPLES = 6;
const HOW = "A few words will do. Documents are ranked by those words and by what the model knows to be related.";

/** The view of a search. */
export async function show({ query: asked, overview, title }) {
  const query = (asked.get("q") ?? "").trim();
  title(query ? `Search: ${query}` : "Search");
  if (!overview.has.search) return h("div", { class: "found" }, h("h1", null, "Search"), await refusal(query));
  return h("div", { class: "found" }, query ? await found(query, hitsAsked(asked)) : invitation(overview));
}

/** Where nothing can be searched the server says why. */
async function refusal(query) {
  const sentence = await get("/api/search", { q: query || "why" }).then(
    ({ why }) => why ?? "This model has no index of documents.",
    ({ message }) => message,
  );
  return h("p", { class: "lede" }, sentence);
}

function invitation(overview) {
  const queries = overview.topics
    .filter(({ hidden }) => !hidden)
    .slice(0, EXAMPLES)
    .map((topic) => firstWords(topic, 2).join(" "))
    .filter(Boolean);
  return [
    h("h1", null, "What are you looking for?"),
    h("p", { class: "lede" }, HOW),
    h("p", { class: "examples" }, queries.map(queryLink)),
  ];
}

const queryLink = (words) => h("a", { class: "pill", href: searchHref(words), dir: "auto" }, words);

const searchHref = (query, k) => `/search?${new URLSearchParams({ q: query, ...(k ? { k } : {}) })}`;

/** How many documents the address asks for. */
function hitsAsked(asked) {
  const k = Number.parseInt(asked.get("k") ?? HITS, 10);
  return Math.min(Math.max(k || HITS, 1), MOST);
}

async function found(query, k) {
  const data = await get("/api/search", { q: query, k });
  return [
    h("h1", { dir: "auto" }, data.query),
    h("p", { class: "lede", role: "status" }, summary(data, k)),
    meant(data),
    data.hits.length ? [key(data.hits), hitsOf(data.hits)] : null,
    data.hits.length === k && k < MOST
      ? h("p", null, h("a", { class: "button", href: searchHref(query, Math.min(k + MORE, MOST)) }, "More documents"))
      : null,
  ];
}

function summary({ hits, why, unknown }, k) {
  // words that are not known are told one by one, each with what may have been meant
  if (hits.length === 0) return (Object.keys(unknown ?? {}).length ? null : why) ?? "No document was found.";
  return hits.length < k ? `${counted(hits.length, "document")}, the best first.` : `The best ${k} documents.`;
}

function meant({ query, unknown }) {
  const lines = Object.entries(unknown ?? {}).map(([word, others]) => {
    const links = others.flatMap((other, n) => [n ? ", " : "", instead(query, word, other)]);
    const question = links.length ? [" Did you mean ", links, "?"] : null;
    return h("p", null, "No document has ", h("bdi", { class: "missing" }, word), ".", question);
  });
  return lines.length ? h("div", { class: "meant" }, lines) : null;
}

/** A link to the same query with another word in the place of one that is not known. */
function instead(query, word, other) {
  const changed = query.split(/\s+/).map((part) => (part.toLowerCase().includes(word.toLowerCase()) ? other : part));
  return h("a", { href: searchHref(changed.join(" ")), dir: "auto" }, other);
}

function key(hits) {
  const kinds = new Set(hits.flatMap(({ pieces }) => pieces.map(([, kind]) => kind)));
  return h(
    "p",
    { class: "key" },
    kinds.has("word") ? h("span", null, h("mark", { class: "word" }, "word"), " asked for") : null,
    kinds.has("related") ? h("span", null, h("mark", { class: "related" }, "word"), " related to it") : null,
    h("span", null, h("span", { class: "sample lexical" }), "score by words"),
    h("span", null, h("span", { class: "sample background" }), "score by topics"),
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

// what the model does not count has no page of its own, but can be looked for
const keywordLink = ([word, known]) => h("a", { href: known ? wordHref(word) : searchHref(word), dir: "auto" }, word);

function scoreOf({ score, lexical, background }, most) {
  const said = `Score ${decimal(score)}: ${decimal(lexical)} by words, ${decimal(background)} by topics`;
  const length = (value) => ({ "--length": `${(100 * positive(value)) / most}%` });
  const part = (name, value) => styled(h("span", { class: name }), length(value));
  return h(
    "div",
    { class: "score", tabindex: "0", role: "img", "aria-label": said },
    h("span", { class: "parts" }, part("lexical", lexical), part("background", background)),
    h("span", { class: "numbers" }, said),
  );
}

const positive = (number) => Math.max(0, number);
