// Show the documents in pages of 50, and search them. Without this script, the documents are in
// groups that can be opened and closed.
"use strict";

const PAGE = 50;
const LONG = 420; // height in pixels above which a text is shortened

const main = document.querySelector("main");
const search = document.querySelector("input[type=search]");
const status = document.querySelector("output");
const all = [...document.querySelectorAll("article")].map(article => ({
  article,
  text: plain(article.querySelector("h2").textContent + " " +
    [...article.querySelectorAll("ul, .text")].map(part => part.textContent).join(" ")),
  keywords: plain([...article.querySelectorAll("li")].map(item => item.textContent).join(" ")),
}));
let found = all;
let page = 0;

function plain(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

function matching(query) {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const hits = all.filter(one => words.every(word => one.text.includes(word)));
  const isKeyword = one => words.every(word => one.keywords.includes(word));
  return words.length ? [...hits.filter(isKeyword), ...hits.filter(one => !isKeyword(one))] : all;
}

function show() {
  const n = found.length, last = Math.max(0, Math.ceil(n / PAGE) - 1);
  page = Math.min(Math.max(page, 0), last);
  const start = page * PAGE, shown = found.slice(start, start + PAGE);
  main.replaceChildren(...shown.map(one => one.article));
  const range = `${number(start + 1)} to ${number(start + shown.length)}`;
  const searching = search.value.trim() !== "";
  status.textContent = !n ? "No document contains these words."
    : searching ? `${number(n)} of ${number(all.length)} documents contain these words, those with a matching keyword first; showing ${range}`
    : `Documents ${range} of ${number(n)}`;
  for (const pages of document.querySelectorAll(".pages")) {
    pages.hidden = last === 0;
    pages.querySelector("[data-step='-1']").disabled = page === 0;
    pages.querySelector("[data-step='1']").disabled = page === last;
    pages.querySelector("span").textContent = `${number(page + 1)} / ${number(last + 1)}`;
  }
  shorten(shown);
}

function number(value) {
  return value.toLocaleString("en");
}

function shorten(shown) {
  for (const {article} of shown) {
    const text = article.querySelector(".text");
    if (!text || article.dataset.measured || text.scrollHeight <= LONG) continue;
    article.dataset.measured = "yes";
    text.classList.add("long");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "more";
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

// The address keeps the query and the page, so that they survive a reload and can be sent.
function remember(push) {
  const state = new URLSearchParams();
  if (search.value) state.set("q", search.value);
  if (page) state.set("page", String(page + 1));
  const hash = state.size ? `#${state}` : location.pathname + location.search;
  history[push ? "pushState" : "replaceState"](null, "", hash);
}

function recall() {
  const state = new URLSearchParams(location.hash.slice(1));
  search.value = state.get("q") || "";
  found = matching(search.value);
  page = (parseInt(state.get("page"), 10) || 1) - 1;
  show();
}

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
addEventListener("popstate", recall);

document.querySelector(".tools").hidden = false;
recall();
