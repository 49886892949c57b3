// The list of topics with filter and sort order; rows are added in slices, so that thousands of topics are shown fast.

import { get } from "./api.js";
import { append, h, refill } from "./dom.js";
import { TopicEditing } from "./editing.js";
import { wordHref } from "./parts.js";
import { keyHint, nameInPlace, onKeys, toggleHidden } from "./naming.js";
import { count, counted, topicName } from "./text.js";
import { markRow, topicRow } from "./topic-row.js";

const FIRST = 60; // number of rows that are added before the first paint
const SLICE = 200; // number of rows that are added at a time while the browser is idle
const MANY = 200; // if there are more than this number of topics, invisible rows are not laid out
const PAUSE = 150; // milliseconds without typing before the server searches words that are not loaded
const LONGEST = 200; // maximum number of characters of a filter that the server accepts
const MATCHED = "by name or top 100 words";

const ORDERS = {
  share: ["Share", (a, b) => b.share - a.share],
  name: ["Name", (a, b) => topicName(a).localeCompare(topicName(b))],
  documents: ["Documents", (a, b) => b.n_documents - a.n_documents],
  words: ["Number of words", (a, b) => b.n_words - a.n_words],
  stability: ["Stability", (a, b) => b.stability - a.stability],
  group: ["Group", (a, b) => (a.group < 0) - (b.group < 0) || a.group - b.group || b.share - a.share],
  fitted: ["Topic number", (a, b) => a.topic - b.topic],
};

/** The section with all topics of the overview; topics under the pointer and matches of the filter are lit on the map. */
export class TopicList {
  constructor(context, brush) {
    const { topics } = context.overview;
    this.context = context;
    this.brush = brush;
    this.matches = { filter: "", words: new Map() }; // topics that the server found by words that are not loaded
    this.most = Math.max(...topics.map((topic) => topic.share), 0);
    this.entries = topics.map((topic) => ({ topic, row: null, text: filterText(topic) }));
    this.round = 0;
    this.build();
    this.update();
    this.requestMatches();
  }

  build() {
    const { query, overview: { topics } } = this.context;
    const update = () => this.update();
    this.filter = h("input", {
      type: "search", value: query.get("filter") ?? "", placeholder: "Name or word", autocomplete: "off",
      dir: "auto", oninput: () => { update(); this.requestSoon(); },
    });
    const orders = Object.entries(ORDERS).filter(([name]) => name !== "stability" || topics.some(({ stability }) => stability !== null));
    this.order = h("select", { onchange: update }, orders.map(([value, [label]]) =>
      h("option", { value, selected: value === query.get("sort") }, label)));
    this.status = h("p", { class: "about", role: "status" });
    this.list = h("ol", { class: this.entries.length > MANY ? "topic-list many" : "topic-list" });
    this.hidden = h("div", null);
    this.editing = this.context.overview.has.edit ? new TopicEditing(this.list, this.context) : null;
    this.section = h("section", { "aria-labelledby": "all-topics" },
      h("div", { class: "list-head" },
        h("h2", { id: "all-topics" }, "Topics"), field("Filter", this.filter), field("Sort", this.order)),
      this.editing?.node, this.status, this.progress(), this.list, this.hidden, keyHint(this.canWrite));
    this.highlightRows();
    onKeys({ j: () => this.step(1), k: () => this.step(-1), ...(this.canWrite ? { n: () => this.name(), h: () => this.hide() } : {}) }, this.context.signal);
  }

  /** While a row is hovered over or has the focus, light its topic on the map, and the other way round. */
  highlightRows() {
    const point = ({ target }) => {
      const row = target.closest(".topic-row");
      this.brush.point(row ? Number(row.dataset.topic) : null);
    };
    const clear = () => this.brush.point(null);
    for (const [name, handler] of [["pointerover", point], ["focusin", point], ["pointerleave", clear], ["focusout", clear]]) {
      this.section.addEventListener(name, handler);
    }
    this.brush.subscribe(({ pointed, pinned }) => {
      this.lit = this.light("lit", this.lit, pointed);
      this.pinned = this.light("pinned", this.pinned, pinned);
    });
  }

  /** Move a class from the row of one topic to the row of another. */
  light(name, before, topic) {
    this.rowOf(before)?.classList.remove(name);
    this.rowOf(topic)?.classList.add(name);
    return topic;
  }

  rowOf(topic) {
    return topic === null || topic === undefined ? null : this.entries.find((entry) => entry.topic.topic === topic)?.row;
  }

  /** Scroll the list so that the row of a topic is visible. */
  reveal(topic) {
    this.rowOf(topic)?.scrollIntoView({ block: "nearest" });
  }

  /** Replace the topics after a change, for example when the server has read all documents. */
  renew(overview) {
    this.context.overview = overview;
    for (const entry of this.entries) {
      entry.topic = overview.topics.find(({ topic }) => topic === entry.topic.topic);
      entry.row = null;
    }
    this.update();
  }

  get canWrite() {
    return this.context.overview.has.write;
  }

  /** The number of topics that the user has named, if topics can be named. */
  progress() {
    if (!this.canWrite) return null;
    const shown = this.entries.filter(({ topic }) => !topic.hidden);
    const named = shown.filter(({ topic }) => topic.name).length;
    return h("p", { class: "about progress" },
      h("progress", { max: shown.length, value: named, "aria-label": "Topics with a name" }), ` ${count(named)} of ${count(shown.length)} named`);
  }

  get currentRow() {
    return document.activeElement?.closest?.(".topic-row") ?? null;
  }

  /** Move the focus to the next or the previous row. */
  step(by) {
    const rows = [...this.section.querySelectorAll(".topic-row")].filter((row) => row.checkVisibility());
    const at = rows.indexOf(this.currentRow);
    const row = rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
    row?.querySelector(".name").focus();
    row?.scrollIntoView({ block: "nearest" });
  }

  topicOf(row) {
    return this.entries.find(({ topic }) => topic.topic === Number(row?.dataset.topic))?.topic;
  }

  /** Name the topic of the row that has the focus. */
  name() {
    const row = this.currentRow ?? this.section.querySelector(".topic-row");
    const topic = this.topicOf(row);
    if (topic) nameInPlace(row.querySelector(".name"), topic, { onSaved: () => this.changed(topic.topic, "Named.") });
  }

  async hide() {
    const topic = this.topicOf(this.currentRow);
    if (!topic) return;
    const rows = [...this.section.querySelectorAll(".topic-row")];
    const next = rows[rows.indexOf(this.currentRow) + 1] ?? rows.at(-2);
    await toggleHidden(topic);
    await this.changed(Number(next?.dataset.topic), topic.hidden ? "Shown again." : "Hidden.");
  }

  /** Show the page again after a change, with the focus on the row of a topic. */
  async changed(topic, message) {
    await this.context.reload();
    document.querySelector(`.topic-row[data-topic="${topic}"] .name`)?.focus();
    document.getElementById("announcement").textContent = message;
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
    this.brush.find(filter ? matching.map((entry) => entry.topic.topic) : null);
    this.context.keep({ filter: filter || null, sort: this.order.value === "share" ? null : this.order.value });
  }

  /** Show the number of matches of the filter; without a filter, explain how to read the list. */
  showStatus(nMatches) {
    const filter = this.filter.value.trim();
    const { about_share: [first, ...rest] } = this.context.overview;
    if (!filter) return refill(this.status, `Share: ${first.toLowerCase()}${rest.join("")} `, this.aboutCharts());
    const total = counted(this.entries.length, "topic");
    if (nMatches) return refill(this.status, `${count(nMatches)} of ${total} matched ${MATCHED}.`);
    return refill(this.status, `No topic matches ${MATCHED}. `, this.alternatives(filter));
  }

  /** What the small charts of a wide screen show. */
  aboutCharts() {
    const { spread } = this.context.overview;
    if (!spread) return null;
    const columns = spread.kind === "time" ? "over time" : "in the largest classes, largest first";
    return h("span", { class: "wide-name" }, `Small charts: mean share ${columns}.`);
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
      entry.row ??= this.row(entry);
      mark(entry);
      return entry.row;
    });
  }

  row({ topic }) {
    const row = topicRow(topic, { most: this.most, overview: this.context.overview });
    this.editing?.prepare(row, topic);
    return row;
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

function whenIdle(work) {
  if (window.requestIdleCallback) window.requestIdleCallback(work, { timeout: 500 });
  else setTimeout(work, 16);
}
