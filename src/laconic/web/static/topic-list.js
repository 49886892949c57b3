// The list of topics with filter and sort order; rows are added in slices, so that thousands of topics are shown fast.

import { get } from "./api.js";
import { append, h, refill } from "./dom.js";
import { chip, share, wordHref } from "./parts.js";
import { FEW_DOCUMENTS, count, counted, firstWords, topicName } from "./text.js";

const FIRST = 60; // number of rows that are added before the first paint
const SLICE = 200; // number of rows that are added at a time while the browser is idle
const MANY = 200; // if there are more than this number of topics, invisible rows are not laid out
const PAUSE = 150; // milliseconds without typing before the server searches words that are not loaded
const LONGEST = 200; // maximum number of characters of a filter that the server accepts
const MATCHED = "by name or top 100 words";
const UNDERLINE = "The stronger the underline of a word, the larger its weight.";
const MOST_OMITTED = 100; // larger numbers of omitted words are not shown, because dense models omit thousands in each row

const ORDERS = {
  share: ["Share", (a, b) => b.share - a.share],
  name: ["Name", (a, b) => topicName(a).localeCompare(topicName(b))],
  words: ["Number of words", (a, b) => b.n_words - a.n_words],
  fitted: ["Topic number", (a, b) => a.topic - b.topic],
};

/** The section with all topics of the overview; matches of the filter are highlighted on the map. */
export function topicList(context, pointer) {
  return new TopicList(context, pointer).section;
}

class TopicList {
  constructor(context, pointer) {
    const { topics } = context.overview;
    this.context = context;
    this.pointer = pointer;
    this.matches = { filter: "", words: new Map() }; // topics that the server found by words that are not loaded
    this.most = Math.max(...topics.map((topic) => topic.share), 0);
    this.entries = topics.map((topic) => ({ topic, row: null, text: filterText(topic) }));
    this.round = 0;
    this.build();
    this.update();
    this.requestMatches();
  }

  build() {
    const { query } = this.context;
    const update = () => this.update();
    this.filter = h("input", {
      type: "search", value: query.get("filter") ?? "", placeholder: "Name or word", autocomplete: "off",
      dir: "auto", oninput: () => { update(); this.requestSoon(); },
    });
    this.order = h("select", { onchange: update }, Object.entries(ORDERS).map(([value, [label]]) =>
      h("option", { value, selected: value === query.get("sort") }, label)));
    this.status = h("p", { class: "about", role: "status" });
    this.list = h("ol", { class: this.entries.length > MANY ? "topic-list many" : "topic-list" });
    this.hidden = h("div", null);
    this.section = h("section", { "aria-labelledby": "all-topics" },
      h("div", { class: "list-head" },
        h("h2", { id: "all-topics" }, "Topics"), field("Filter", this.filter), field("Sort", this.order)),
      this.status, this.list, this.hidden);
    this.highlightRows();
  }

  /** While a row is hovered over or has the focus, highlight its topic on the map. */
  highlightRows() {
    const point = ({ target }) => {
      const row = target.closest(".topic-row");
      this.pointer.point(row ? Number(row.dataset.topic) : null);
    };
    const clear = () => this.pointer.point(null);
    for (const [name, handler] of [["pointerover", point], ["focusin", point], ["pointerleave", clear], ["focusout", clear]]) {
      this.section.addEventListener(name, handler);
    }
  }

  get filterValue() {
    return this.filter.value.trim().toLowerCase();
  }

  requestSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.requestMatches(), PAUSE);
  }

  /** Request the topics that match the filter, including matches by words that are not loaded. */
  async requestMatches() {
    const { filterValue: filter } = this;
    if (!filter || filter.length > LONGEST) return;
    const { topics } = await get("/api/topics", { having: filter }).catch(() => ({ topics: [] }));
    if (filter !== this.filterValue || this.context.signal.aborted) return;
    this.matches = { filter, words: new Map(topics) };
    this.update();
  }

  /** Show the topics that match the filter, in the chosen order. */
  update() {
    const { filterValue: filter } = this;
    const [, compare] = ORDERS[this.order.value];
    const words = this.matches.filter === filter ? this.matches.words : new Map();
    const matching = this.entries.filter(({ text, topic }) => text.includes(filter) || words.has(topic.topic));
    matching.sort((a, b) => compare(a.topic, b.topic));
    const mark = ({ row, text, topic }) => markRow(row, filter, text.includes(filter) ? null : words.get(topic.topic));
    this.fill(matching.filter((entry) => !entry.topic.hidden), mark);
    refill(this.hidden, this.folded(matching.filter((entry) => entry.topic.hidden), mark));
    this.showStatus(matching.length);
    this.pointer.find(filter ? matching.map((entry) => entry.topic.topic) : null);
    this.context.keep({ filter: filter || null, sort: this.order.value === "share" ? null : this.order.value });
  }

  /** Show the number of matches of the filter; without a filter, explain how to read the list. */
  showStatus(nMatches) {
    const filter = this.filter.value.trim();
    const { about_share: [first, ...rest] } = this.context.overview;
    if (!filter) return refill(this.status, `Share: ${first.toLowerCase()}${rest.join("")} ${UNDERLINE}`);
    const total = counted(this.entries.length, "topic");
    if (nMatches) return refill(this.status, `${count(nMatches)} of ${total} matched ${MATCHED}.`);
    return refill(this.status, `No topic matches ${MATCHED}. `, this.alternatives(filter));
  }

  /** If the filter has no matches: links to the page of the word and to the search. */
  alternatives(filter) {
    const word = h("a", { href: wordHref(filter) }, "Look up the word");
    if (!this.context.overview.has.search) return [word, "."];
    return [word, " or ", h("a", { href: `/search?${new URLSearchParams({ q: filter })}` }, "search the documents"), "."];
  }

  /** Add the first rows at once and other rows when idle; add all rows at once to restore a scroll position. */
  fill(entries, mark) {
    const round = (this.round += 1);
    const first = this.context.back ? entries.length : FIRST;
    refill(this.list, this.rows(entries.slice(0, first), mark));
    const more = (from) => {
      if (round !== this.round || from >= entries.length) return;
      append(this.list, this.rows(entries.slice(from, from + SLICE), mark));
      whenIdle(() => more(from + SLICE));
    };
    whenIdle(() => more(first));
  }

  rows(entries, mark) {
    return entries.map((entry) => {
      entry.row ??= topicRow(entry.topic, this.most);
      mark(entry);
      return entry.row;
    });
  }

  folded(entries, mark) {
    if (!entries.length) return null;
    const inside = h("ol", { class: "topic-list" }, this.rows(entries, mark));
    const summary = h("summary", null, counted(entries.length, "hidden topic"));
    return h("details", { class: "hidden-topics" }, summary, inside);
  }
}

function field(name, control) {
  return h("label", { class: "inline-field" }, h("span", null, name), control);
}

/** Return the text of a topic in which the filter searches. */
function filterText(topic) {
  return [topic.name ?? "", ...topic.words.map(([word]) => word)].join("\n").toLowerCase();
}

/** A row of the list: share, name, and words whose underlines show their weights. */
function topicRow(topic, most) {
  const strongest = Math.max(...topic.words.map(([, weight]) => Math.abs(weight)), 0) || 1;
  const chipOf = ([word, weight]) => chip(word, Math.abs(weight) / strongest, { negative: weight < 0 });
  const naming = topic.name ? [] : firstWords(topic);
  const first = topic.words.filter(([word]) => naming.includes(word)).map(chipOf);
  const others = topic.words.filter(([word]) => !naming.includes(word)).map(chipOf);
  return h("li", { class: "topic-row", "data-topic": topic.topic },
    share(topic.share, most),
    h("div", { class: "told" },
      topic.name ? nameLink(topic, topic.name) : null,
      h("div", { class: "chips" },
        topic.name ? null : nameLink(topic, spaced(first)), " ",
        spaced(others), omittedWords(topic.n_words - topic.words.length)),
      topic.note ? h("p", { class: "note", dir: "auto" }, topic.note) : null,
      topic.weak ? h("p", { class: "about" }, FEW_DOCUMENTS) : null));
}

/** Mark the words that match the filter; if the matching word is not in the row, add it. */
function markRow(row, filter, further) {
  row.querySelector(".further")?.remove();
  for (const each of row.querySelectorAll(".chip")) {
    each.classList.toggle("asked", Boolean(filter) && each.textContent.toLowerCase().includes(filter));
  }
  if (!further) return;
  const [word, weight] = further;
  const match = chip(word, 0, { negative: weight < 0 });
  match.classList.add("asked");
  row.querySelector(".chips").append(h("span", { class: "further" }, h("span", { class: "about" }, "further down "), match));
}

/** Add spaces between words for screen readers and for copied text; the layout works without them. */
function spaced(chips) {
  return chips.flatMap((each) => [each, " "]);
}

function nameLink(topic, children) {
  const attributes = { class: "name", href: `/topics/${topic.topic}`, dir: "auto" };
  return h("a", attributes, children.length ? children : topicName(topic));
}

/** The number of words that a row omits; null if the number is too large to be informative. */
function omittedWords(more) {
  return more > 0 && more <= MOST_OMITTED ? h("span", { class: "about" }, `and ${count(more)} more`) : null;
}

function whenIdle(work) {
  if (window.requestIdleCallback) window.requestIdleCallback(work, { timeout: 500 });
  else setTimeout(work, 16);
}
