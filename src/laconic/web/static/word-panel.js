// The words of the topic under the pointer: their weight in the topic, against their weight in all topics.

import { get } from "./api.js";
import { h, link, refill, styled } from "./dom.js";
import { wordHref } from "./parts.js";
import { percent, topicName } from "./text.js";

const DELAY = 60; // milliseconds that the pointer rests on a topic before its words are requested

/** The panel of words beside the map. Without a topic under the pointer or a pinned topic, it shows the groups. */
export function wordPanel(context, brush) {
  const { overview } = context;
  const panel = h("section", { class: "word-panel", "aria-label": "Words of the topic" });
  let shown;
  let timer = null;
  const show = async (topic) => {
    if (topic === null) return refill(panel, groupsOf(overview));
    const data = await get(`/api/topics/${topic}/words`).catch(() => null);
    if (data && topic === shown && !context.signal.aborted) refill(panel, wordsOf(data, overview));
  };
  brush.subscribe(() => {
    if (brush.shown === shown) return;
    shown = brush.shown;
    clearTimeout(timer);
    timer = setTimeout(() => show(shown), shown === null ? 4 * DELAY : DELAY);
  });
  refill(panel, groupsOf(overview));
  return panel;
}

function wordsOf(data, overview) {
  const topic = overview.topics.find((each) => each.topic === data.topic);
  const most = Math.max(...data.words.map(([, , overall]) => overall), 1e-300);
  return [
    h("h3", { dir: "auto" }, link(`/topics/${data.topic}`, topicName(data)), " ", h("span", { class: "number quiet" }, percent(data.share))),
    h("p", { class: "about", "data-group": topic.group }, h("span", { class: "key-in" }), "weight in this topic, of ",
      h("span", { class: "key-all" }), "the weight in all topics"),
    h("ol", { class: "word-columns", "data-group": topic.group }, data.words.map((word) => wordRow(word, most))),
  ];
}

function wordRow([word, weight, overall], most) {
  const length = (value) => `${(100 * Math.min(1, Math.abs(value) / most)).toFixed(2)}%`;
  const bars = styled(h("span", { class: weight < 0 ? "double negative" : "double" }), { "--in": length(weight), "--all": length(overall) });
  return h("li", { title: `${percent(Math.abs(weight) / (overall || 1))} of the weight of “${word}” is in this topic` },
    h("a", { href: wordHref(word), dir: "auto" }, weight < 0 ? "−" : null, h("bdi", null, word)), bars);
}

/** The groups of similar topics, as the legend of the map. */
function groupsOf({ groups }) {
  if (!groups.length) return h("p", { class: "about" }, "Point at a topic to see its words.");
  return [
    h("ul", { class: "legend" }, groups.map((group) => h("li", { "data-group": group.group },
      h("span", { class: "dot" }), h("span", { dir: "auto" }, group.words.join(", ")),
      h("span", { class: "number quiet" }, percent(group.share))))),
    h("p", { class: "about" }, "Colours: groups of topics with similar words, named by their strongest words. Grey: similar to few others. Point at a topic to see its words; click to keep them."),
  ];
}
