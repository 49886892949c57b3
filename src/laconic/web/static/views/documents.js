// The list of documents, in pages, with an optional filter by label.

import { h } from "../dom.js";
import { getPage, pageHref } from "../paging.js";
import { bar, documentLink, pager, soft, topicLink } from "../parts.js";
import { count, counted, percent } from "../text.js";

/** Show a page of the list of documents. */
export async function show(context) {
  const { query, overview } = context;
  const label = query.get("label");
  const list = await getPage("/api/documents", query, { label });
  const topics = new Map(overview.topics.map((topic) => [topic.topic, topic]));
  context.title(label ? `Documents: ${label}` : "Documents");
  return [
    h("div", { class: "head" },
      h("div", null,
        h("h1", { dir: "auto" }, label ? soft(label) : "Documents"),
        h("p", { class: "lede" }, `${counted(list.total, "document")}${label ? " with this label" : ""}.`)),
      list.labels?.length ? labelSelect(list.labels, label, context) : null),
    list.documents.length
      ? h("ol", { class: "list documents" }, list.documents.map((document) => documentRow(document, topics, label)))
      : h("p", { class: "empty" }, "No documents."),
    pager(list, (to) => listHref(label, to)),
  ];
}

function listHref(label, page) {
  return pageHref("/documents", label ? { label } : {}, page);
}

function labelSelect(labels, chosen, context) {
  const isListed = labels.some(([name]) => name === chosen);
  const option = ([name, size]) => h("option", { value: name, selected: name === chosen }, `${name} (${count(size)})`);
  const select = h("select", { onchange: () => context.go(listHref(select.value, 0)) },
    h("option", { value: "" }, "All labels"),
    chosen && !isListed ? h("option", { value: chosen, selected: true }, chosen) : null,
    labels.map(option));
  return h("label", { class: "field label-select" }, h("span", null, "Label"), select);
}

function documentRow(document, topics, chosen) {
  const label = document.label && document.label !== chosen
    ? h("p", { class: "meta" }, h("a", { href: listHref(document.label, 0), dir: "auto" }, soft(document.label))) : null;
  return h("li", { "data-document": document.document },
    h("div", null, documentLink(document), label,
      document.excerpt ? h("p", { class: "excerpt", dir: "auto" }, document.excerpt) : null),
    h("ul", { class: "bars" }, document.topics.map(([topic, part]) => topicPart(topics.get(topic), part))));
}

function topicPart(topic, part) {
  return h("li", null,
    topicLink(topic), bar(part, { negative: part < 0 }), h("span", { class: "number" }, percent(part)));
}
