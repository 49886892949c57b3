// Show the documents in pages of 50, search them, and make files to download. The documents are in
// elements with JSON, 50 in each; an element is parsed when its documents are needed.
"use strict";

const PAGE = 50;
const LONG = 420; // height in pixels above which a text is shortened
const FIELDS = ["count", "expected", "position", "documents", "burst", "residual", "score"];
const HEADINGS = ["count", "expected", "first position", "other documents", "mean count there", "PCP residual", "score"];
const COLUMNS = ["score", "count", "expected", "position", "residual", "documents", "burst"];

const main = document.querySelector("main");
const search = document.querySelector("input[type=search]");
const status = document.querySelector("output");
const batches = [...document.querySelectorAll("script.batch")];
const parsed = new Map();
const last = parse(batches.length - 1);
const total = batches.length ? (batches.length - 1) * PAGE + last.length : 0;
const everything = Array.from({length: total}, (_, row) => row);
let texts = null; // the searchable texts of all documents; made for the first search
let found = everything;
let page = 0;

function parse(batch) {
  if (batch < 0) return [];
  if (!parsed.has(batch)) parsed.set(batch, JSON.parse(batches[batch].textContent));
  return parsed.get(batch);
}

function documentOf(row) {
  const [id, title, text, words] = parse(Math.floor(row / PAGE))[row % PAGE];
  return {row, id, title, text, words};
}

// --- elements --------------------------------------------------------------------------------

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function mark([word, strength, why], text = word) {
  const made = element("mark", {title: why}, text);
  made.style.setProperty("--strength", strength);
  return made;
}

function article({row, id, title, text, words}) {
  const heading = element("h2", {}, element("a", {href: `#d=${row + 1}`}, title || id));
  if (title) heading.append(" ", element("span", {class: "id"}, id));
  const made = element("article", {id: `document-${row + 1}`, tabindex: "-1"}, heading);
  made.append(words.length
    ? element("ul", {}, ...words.map(word => element("li", {}, mark(word))))
    : element("p", {class: "about"}, "No keywords."));
  if (text) {
    const pieces = text.map(piece => typeof piece === "string" ? piece : mark(words[piece[1]], piece[0]));
    made.append(element("p", {class: "text"}, ...pieces));
  }
  if (words.length) made.append(evidence(words));
  return made;
}

function evidence(words) {
  const shown = FIELDS.map((_, n) => n).filter(n => words.some(word => word[n + 3] !== null));
  const head = element("tr", {}, ...["keyword", ...shown.map(n => HEADINGS[n])].map(
    text => element("th", {scope: "col"}, text)));
  const rows = words.map(word => element("tr", {}, element("td", {}, word[0]), ...shown.map(
    n => element("td", {}, FIELDS[n] === "position" ? String(word[n + 3] + 1) : digits(word[n + 3])))));
  const scroll = element("div", {class: "scroll", tabindex: "0"},
    element("table", {class: "table"}, element("tbody", {}, head, ...rows)));
  return element("details", {}, element("summary", {}, "Evidence"), scroll);
}

function digits(value) {
  return value === null ? "" : String(Number(value.toPrecision(3)));
}

function number(value) {
  return value.toLocaleString("en");
}

// --- search ----------------------------------------------------------------------------------

function plain(text) {
  const all = /[^\x00-\x7f]/.test(text) ? text.normalize("NFD").replace(/\p{M}/gu, "") : text;
  return all.toLowerCase();
}

function makeTexts() {
  texts = everything.map(row => {
    const {id, title, text, words} = documentOf(row);
    const pieces = (text || []).map(piece => typeof piece === "string" ? piece : piece[0]);
    const keywords = plain(words.map(word => word[0]).join(" "));
    return {keywords, all: `${plain(`${title} ${id}`)} ${keywords} ${plain(pieces.join(""))}`};
  });
}

function matching(query) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  if (!words.length) return everything;
  if (!texts) makeTexts();
  const hits = everything.filter(row => words.every(word => texts[row].all.includes(word)));
  const isKeyword = row => words.every(word => texts[row].keywords.includes(word));
  return [...hits.filter(isKeyword), ...hits.filter(row => !isKeyword(row))];
}

// --- pages -----------------------------------------------------------------------------------

function show() {
  const n = found.length, end = Math.max(0, Math.ceil(n / PAGE) - 1);
  page = Math.min(Math.max(page, 0), end);
  const start = page * PAGE, shown = found.slice(start, start + PAGE);
  main.replaceChildren(...shown.map(row => article(documentOf(row))));
  const range = `${number(start + 1)} to ${number(start + shown.length)}`;
  const searching = search.value.trim() !== "";
  status.textContent = !n ? "No document contains these words."
    : searching ? `${number(n)} of ${number(total)} documents contain these words, those with a matching keyword first; showing ${range}`
    : `Documents ${range} of ${number(n)}`;
  for (const pages of document.querySelectorAll(".pages")) {
    pages.hidden = end === 0;
    pages.querySelector("[data-step='-1']").disabled = page === 0;
    pages.querySelector("[data-step='1']").disabled = page === end;
    pages.querySelector("span").textContent = `${number(page + 1)} / ${number(end + 1)}`;
  }
  shorten();
}

function shorten() {
  for (const text of main.querySelectorAll(".text")) {
    if (text.scrollHeight <= LONG) continue;
    text.classList.add("long");
    const button = element("button", {type: "button", class: "button more"});
    const label = () => {
      const open = !text.classList.contains("long");
      button.textContent = open ? "Show less" : "Show the whole text";
      button.setAttribute("aria-expanded", String(open));
    };
    button.addEventListener("click", () => { text.classList.toggle("long"); label(); });
    label();
    text.after(button);
  }
}

// The address keeps the query and the page, so that they survive a reload and can be sent. The
// address #d=7 is a link to the seventh document.
function remember(push) {
  const state = new URLSearchParams();
  if (search.value) state.set("q", search.value);
  if (page) state.set("page", String(page + 1));
  const hash = state.size ? `#${state}` : location.pathname + location.search;
  history[push ? "pushState" : "replaceState"](null, "", hash);
}

function recall() {
  const state = new URLSearchParams(location.hash.slice(1));
  const row = parseInt(state.get("d"), 10) - 1;
  const linked = row >= 0 && row < total;
  search.value = linked ? "" : state.get("q") || "";
  found = matching(search.value);
  page = linked ? Math.floor(row / PAGE) : (parseInt(state.get("page"), 10) || 1) - 1;
  show();
  if (!linked) return;
  const target = document.getElementById(`document-${row + 1}`);
  target.scrollIntoView();
  target.focus({preventScroll: true});
}

// --- downloads: the documents that were found, or all ------------------------------------------

function records() {
  return found.map(row => {
    const {id, title, words} = documentOf(row);
    const keywords = words.map(word => Object.fromEntries([["word", word[0]],
      ...COLUMNS.map(name => [name, word[FIELDS.indexOf(name) + 3]])]));
    return {id, title: title || null, keywords};
  });
}

function asCsv() {
  const quoted = value => value === null ? "" : /[",\r\n]/.test(value) ? `"${String(value).replaceAll('"', '""')}"` : value;
  const rows = records().flatMap(({id, title, keywords}) =>
    keywords.map(word => [id, title, word.word, ...COLUMNS.map(name => word[name])]));
  return [["id", "title", "keyword", ...COLUMNS], ...rows].map(row => row.map(quoted).join(",") + "\n").join("");
}

function download(kind) {
  const [text, type] = kind === "csv" ? [asCsv(), "text/csv"] : [JSON.stringify(records(), null, 1), "application/json"];
  const link = element("a", {download: `keywords.${kind}`, href: URL.createObjectURL(new Blob([text], {type}))});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// --- events ----------------------------------------------------------------------------------

let timer;
search.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    found = matching(search.value);
    page = 0;
    show();
    remember(false);
  }, 150);
});
document.querySelector("form").addEventListener("submit", event => event.preventDefault());
document.addEventListener("click", event => {
  const kind = event.target.closest("[data-download]")?.dataset.download;
  if (kind) {
    event.preventDefault();
    download(kind);
  }
  const button = event.target.closest("[data-step]");
  if (!button) return;
  page += Number(button.dataset.step);
  show();
  remember(true);
  scrollTo(0, 0);
  main.focus({preventScroll: true});
});
document.addEventListener("keydown", event => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea")) return;
  event.preventDefault();
  search.focus();
  search.select();
});
addEventListener("popstate", recall); // also when a link to a document is followed

for (const note of document.querySelectorAll(".unscripted")) note.hidden = true;
document.querySelector(".tools").hidden = false;
recall();
