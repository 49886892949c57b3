// Facets of a list of documents: links that narrow the list by main topic, label or time, with their counts.

import { h, refill } from "./dom.js";
import { bar } from "./parts.js";
import { count, counted, topicName } from "./text.js";

const AT_FIRST = 8; // number of choices that are shown before the user unfolds a facet
const CONDITIONS = ["topic", "label", "since", "until"];
const wide = window.matchMedia("(min-width: 62rem)");

/** The conditions in the URL, as parameters of a request. */
export function conditionsOf(query) {
  return Object.fromEntries(CONDITIONS.map((name) => [name, query.get(name)]).filter(([, value]) => value));
}

/** The URL of the same list with other conditions; it starts at the first page. */
export function narrowed(path, query, changes) {
  const params = new URLSearchParams(query);
  params.delete("page");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") params.delete(name);
    else params.set(name, value);
  }
  return `${path}${params.size ? `?${params}` : ""}`;
}

/** The panel with all facets, folded on a narrow screen. */
export function facetPanel(path, { query, overview, go, signal }, { topics, labels, times }) {
  const href = (changes) => narrowed(path, query, changes);
  const byTopic = new Map(overview.topics.map((topic) => [topic.topic, topic]));
  const chosen = Object.keys(conditionsOf(query)).length;
  const facets = [
    choices("Main topic", "topic", topics.map(([topic, size]) => [String(topic), size, topicName(byTopic.get(topic)), byTopic.get(topic).group]), query, href),
    labels ? choices("Label", "label", labels.map(([name, size]) => [name, size, name]), query, href) : null,
    times ? timeFacet(times, query, href, go) : null,
  ];
  const summary = h("summary", null, "Filter", chosen ? ` (${counted(chosen, "condition")})` : "");
  const fold = h("details", { class: "facets", open: wide.matches }, summary, facets);
  wide.addEventListener("change", () => { fold.open ||= wide.matches; }, { signal });
  return h("aside", { "aria-label": "Filters" }, fold);
}

/** A facet with one link for each choice; the link of the current choice removes the condition. */
function choices(title, name, all, query, href) {
  const current = query.get(name);
  if (!all.length && !current) return null;
  const most = Math.max(...all.map(([, size]) => size), 1);
  const rows = all.map((choice) => choiceRow(choice, { name, current, most, href }));
  const at = all.findIndex(([value]) => value === current);
  if (at >= AT_FIRST) rows.unshift(...rows.splice(at, 1)); // the current choice is always visible
  const list = h("ul", { class: "choices" }, rows.slice(0, AT_FIRST));
  const rest = rows.slice(AT_FIRST);
  const more = rest.length ? h("button", { type: "button", class: "plain", onclick: () => {
    list.append(...rest);
    rest[0].querySelector("a").focus();
    more.remove();
  } }, `${count(rest.length)} more`) : null;
  return h("section", { class: "facet" }, h("h2", null, title), list, more);
}

function choiceRow([value, size, text, group], { name, current, most, href }) {
  const isCurrent = value === current;
  return h("li", { "data-group": group },
    h("a", { href: href({ [name]: isCurrent ? null : value }), "aria-current": isCurrent ? "true" : null, dir: "auto" },
      h("span", { class: "choice" }, text), h("span", { class: "number" }, count(size)), bar(size / most),
      isCurrent ? h("span", { class: "unseen" }, "(chosen; remove this filter)") : null));
}

/** The facet of times: the number of documents at each time, and the first and last time. */
function timeFacet(times, query, href, go) {
  const most = Math.max(...times.map(([, size]) => size), 1);
  const columns = h("div", { class: "time-columns", "aria-hidden": "true" });
  const [since, until] = ["since", "until"].map((name) => query.get(name));
  refill(columns, times.map(([name, size]) => {
    const inside = (!since || name >= since) && (!until || name <= until);
    const column = h("span", { class: inside ? "on" : "off", title: `${name}: ${count(size)}` });
    column.style.setProperty("--height", `${(100 * size) / most}%`);
    return column;
  }));
  const select = (name, label, current) => {
    const field = h("select", { onchange: () => go(href({ [name]: field.value || null })) },
      h("option", { value: "" }, "any"),
      times.map(([time]) => h("option", { value: time, selected: time === current }, time)));
    return h("label", { class: "field" }, h("span", null, label), field);
  };
  return h("section", { class: "facet" }, h("h2", null, "Date"), columns,
    h("div", { class: "range" }, select("since", "From", since), select("until", "To", until)));
}

/** The conditions of the current list as links that remove them. */
export function chosenConditions(path, { query, overview }) {
  const names = { topic: "Main topic", label: "Label", since: "From", until: "To" };
  const byTopic = new Map(overview.topics.map((topic) => [String(topic.topic), topic]));
  const links = Object.entries(conditionsOf(query)).map(([name, value]) => {
    const text = name === "topic" && byTopic.has(value) ? topicName(byTopic.get(value)) : value;
    return h("a", { class: "pill chosen", href: narrowed(path, query, { [name]: null }), dir: "auto" },
      `${names[name]}: ${text} `, h("span", { "aria-hidden": "true" }, "×"), h("span", { class: "unseen" }, "remove"));
  });
  return links.length ? h("p", { class: "conditions" }, links) : null;
}
