// The list of documents, in pages, with facets and a choice of orders.

import { h } from "../dom.js";
import { chosenConditions, conditionsOf, facetPanel, narrowed } from "../facets.js";
import { getPage, pageHref } from "../paging.js";
import { bar, documentLink, pager, soft, topicLink } from "../parts.js";
import { counted, percent } from "../text.js";

const PATH = "/documents";
const ORDERS = {
  corpus: "Order of the corpus", clear: "Clearest topic first", mixed: "Most mixed first", newest: "Newest first", oldest: "Oldest first",
};

/** Show a page of the list of documents. */
export async function show(context) {
  const { query, overview } = context;
  const conditions = conditionsOf(query);
  const list = await getPage("/api/documents", query, { ...conditions, sort: query.get("sort") });
  const topics = new Map(overview.topics.map((topic) => [topic.topic, topic]));
  context.title(conditions.label ? `Documents: ${conditions.label}` : "Documents");
  return h("div", { class: "faceted" },
    h("div", { class: "faceted-head" },
      h("h1", { dir: "auto" }, "Documents"),
      h("p", { class: "lede" }, `${counted(list.total, "document")}${Object.keys(conditions).length ? ` of ${counted(overview.n_documents, "document")}` : ""}. Bars: shares of their main topics.`),
      chosenConditions(PATH, context)),
    facetPanel(PATH, context, list.facets),
    orderSelect(list.orders, context),
    h("div", { class: "faceted-list" },
      list.documents.length
        ? h("ol", { class: "list documents" }, list.documents.map((document) => documentRow(document, topics, context)))
        : h("p", { class: "empty" }, "No document meets all conditions."),
      pager(list, (to) => pageHref(PATH, query, to))));
}

function orderSelect(orders, { query, go }) {
  const current = query.get("sort") ?? "corpus";
  const select = h("select", { onchange: () => go(narrowed(PATH, query, { sort: select.value === "corpus" ? null : select.value })) },
    orders.map((value) => h("option", { value, selected: value === current }, ORDERS[value])));
  return h("label", { class: "field order-select" }, h("span", null, "Sort"), select);
}

function documentRow(document, topics, { query }) {
  const label = document.label && document.label !== query.get("label")
    ? h("p", { class: "meta" }, h("a", { href: narrowed(PATH, query, { label: document.label }), dir: "auto" }, soft(document.label))) : null;
  return h("li", { "data-document": document.document },
    h("div", null, documentLink(document), label,
      document.excerpt ? h("p", { class: "excerpt", dir: "auto" }, document.excerpt) : null),
    h("ul", { class: "bars" }, document.topics.map(([topic, part]) => topicPart(topics.get(topic), part))));
}

/** The share of a topic in a document. */
export function topicPart(topic, part) {
  return h("li", { "data-group": topic.group },
    topicLink(topic), bar(part, { negative: part < 0 }), h("span", { class: "number" }, percent(part)));
}
