// All documents, a page at a time, of one label or of all.

import { h } from "../dom.js";
import { getPage, pageHref } from "../paging.js";
import { bar, documentLink, pager, soft, topicLink } from "../parts.js";
import { count, counted, percent } from "../text.js";

/** The list of documents. */
export async function show(context) {
  const { query, overview } = context;
  const label = query.get("label");
  const answer = await getPage("/api/documents", query, { label });
  const topics = new Map(overview.topics.map((topic) => [topic.topic, topic]));
  context.title(label ? `Documents: ${label}` : "Documents");
  return [
    h("div", { class: "head" },
      h("div", null,
        h("h1", { dir: "auto" }, label ? soft(label) : "Documents"),
        h("p", { class: "lede" }, `${counted(answer.total, "document")} ${label ? "with this label" : "in all"}.`)),
      answer.labels?.length ? labelSelect(answer.labels, label, context) : null),
    answer.documents.length
      ? h("ol", { class: "list documents" }, answer.documents.map((document) => documentRow(document, topics, label)))
      : h("p", { class: "empty" }, "No documents here."),
    pager(answer, (to) => address(label, to)),
  ];
}

function address(label, page) {
  return pageHref("/documents", label ? { label } : {}, page);
}

function labelSelect(labels, chosen, context) {
  const known = labels.some(([name]) => name === chosen);
  const option = ([name, size]) => h("option", { value: name, selected: name === chosen }, `${name} (${count(size)})`);
  const select = h("select", { onchange: () => context.go(address(select.value, 0)) },
    h("option", { value: "" }, "All labels"),
    chosen && !known ? h("option", { value: chosen, selected: true }, chosen) : null,
    labels.map(option));
  return h("label", { class: "field label-select" }, h("span", null, "Label"), select);
}

function documentRow(document, topics, chosen) {
  const label = document.label && document.label !== chosen
    ? h("p", { class: "meta" }, h("a", { href: address(document.label, 0), dir: "auto" }, soft(document.label))) : null;
  return h("li", { "data-document": document.document },
    h("div", null, documentLink(document), label,
      document.excerpt ? h("p", { class: "excerpt", dir: "auto" }, document.excerpt) : null),
    h("ul", { class: "bars" }, document.topics.map(([topic, part]) => topicPart(topics.get(topic), part))));
}

function topicPart(topic, part) {
  return h("li", null,
    topicLink(topic), bar(part, { negative: part < 0 }), h("span", { class: "number" }, percent(part)));
}
