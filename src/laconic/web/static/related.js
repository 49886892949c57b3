// Topics that are related to a topic by their words, by their documents, or by an edge of the topic graph.

import { h } from "./dom.js";
import { topicLink } from "./parts.js";
import { firstWords, givenName } from "./text.js";

const COLUMNS = [
  ["likeness", "Similarity", "How similar the word weights are; 1 = identical, 0 = no word in common."],
  ["together", "Correlation", "How the shares vary over documents; above 0, the topics occur together; below 0, they avoid each other."],
  ["edge", "Edge", "Partial correlation in the model's topic graph, given all other topics."],
];

/** The section with the table of related topics. */
export function relatedTopics(topic) {
  const { related } = topic;
  if (!related.length) return null;
  const columns = COLUMNS.filter(([key]) => related.some((each) => each[key] !== null && each[key] !== undefined));
  return h("section", { "aria-labelledby": "related-head" },
    h("h2", { id: "related-head" }, "Related topics"),
    h("div", { class: "scroll" }, h("table", { class: "table" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Topic"),
        columns.map(([, name, about]) => h("th", { scope: "col", class: "number", title: about }, name)))),
      h("tbody", null, related.map((each) => row(each, columns))))),
    h("p", { class: "about" }, columns.map(([, name, about]) => `${name}: ${lower(about)}`).join(" ")));
}

function row(topic, columns) {
  return h("tr", { "data-related": topic.topic },
    h("td", null, topicLink(topic),
      givenName(topic) ? h("div", { class: "about", dir: "auto" }, firstWords(topic, 5).join(", ")) : null),
    columns.map(([key]) => h("td", { class: "number" }, signed(topic[key]))));
}

function signed(value) {
  return value === null || value === undefined ? "–" : value.toFixed(2).replace(/^-0\.00$/, "0.00").replace("-", "−");
}

function lower(sentence) {
  return sentence[0].toLowerCase() + sentence.slice(1);
}
