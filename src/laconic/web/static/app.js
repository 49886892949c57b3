// The router: each address belongs to a view; links, the back button and reloading all work.

import { get } from "./api.js";
import { h, link, refill } from "./dom.js";
import { restore, remember } from "./places.js";
import { furnish, mark } from "./shell.js";

const PATIENCE = 250; // milliseconds before the page says that it waits: fast answers do not flicker

const main = document.getElementById("main");
const waiting = document.getElementById("waiting");
let leave = new AbortController();
let shown = null;

/** Follow an address of this page. */
export function go(address) {
  const url = new URL(address, location.href);
  remember(url);
  if (url.href !== location.href) history.pushState(null, "", url);
  return render({ back: false });
}

/** Show the present address anew, after something was changed. */
export function reload() {
  return render({ back: true });
}

async function render({ back, first = false }) {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const stopWaiting = startWaiting();
  const view = await build(signal, back).catch(failure);
  stopWaiting();
  if (signal.aborted) return;
  shown = location.pathname + location.search;
  document.title = view.tab;
  refill(main, view.node);
  main.setAttribute("aria-busy", "false");
  mark(location.pathname);
  settle({ back, first, title: view.title });
}

async function build(signal, back) {
  const known = get("/api/overview");
  known.then((answer) => furnish(answer, go), () => null); // an address that is wrong has the header too
  const path = pathOf(location);
  const name = viewName(path);
  const [overview, { show }] = await Promise.all([known, load(name)]);
  let title = overview.title;
  const context = {
    path, overview, signal, go, reload, back,
    query: new URLSearchParams(location.search),
    title: (text) => { title = text; },
    keep: (query) => keep(query, signal),
  };
  const nodes = await show(context);
  const tab = title === overview.title ? title : `${title} · ${overview.title}`;
  return { node: h("div", { class: "view", "data-view": name }, nodes), title, tab };
}

function pathOf({ pathname }) {
  try {
    return pathname.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    throw nothingAt(pathname);
  }
}

/** The module of a view; the browser's own words for a server that is gone help nobody. */
function load(name) {
  return import(`./views/${name}.js`).catch((error) => {
    if (error instanceof SyntaxError) throw error;
    throw new Error("This view did not load. Is laconic explore still running? Then reload this page.");
  });
}

/** The name of the view that shows a path. */
function viewName(path) {
  const [first = "overview", second] = path;
  const many = { topics: "topic", documents: "document", words: "word" };
  if (path.length === 2 && second && many[first]) return many[first];
  if (path.length === 1 && first === "topics") return "overview";
  if (path.length < 2 && ["overview", "documents", "search", "compare", "pictures"].includes(first)) return first;
  throw nothingAt(location.pathname);
}

function nothingAt(address) {
  return Object.assign(new Error(`There is nothing at ${address}.`), { status: 404 });
}

/** Write settings of a view into its address without leaving it. */
function keep(query, signal) {
  if (signal.aborted) return;
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(history.state, "", url);
  shown = location.pathname + location.search;
}

function failure(error) {
  const title = error.status === 404 ? "Not found" : "This did not work";
  const back = h("button", { type: "button", class: "button", onclick: () => history.back() }, "Back");
  const home = link("/", "All topics");
  home.className = "button";
  const node = h("section", { class: "view failure", "data-view": "error" },
    h("h1", null, title),
    h("p", { role: "alert", dir: "auto" }, error.message),
    h("p", { class: "buttons" }, history.length > 1 ? back : null, home));
  return { node, title, tab: title };
}

function startWaiting() {
  main.setAttribute("aria-busy", "true");
  const timer = setTimeout(() => { waiting.hidden = false; }, PATIENCE);
  return () => {
    clearTimeout(timer);
    waiting.hidden = true;
  };
}

/** Where the reader stands on a page just shown, and what a screen reader says. */
function settle({ back, first, title }) {
  const { found, focused } = back ? restore(main) : { found: false, focused: false };
  if (!found) toHash();
  if (first) return;
  document.getElementById("announcement").textContent = title;
  if (!focused) main.focus({ preventScroll: true });
}

function toHash() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView();
  else scrollTo(0, 0);
}

/** Whether a click on a link is for the router: same page, no modifier, not a download or a file. */
function isOurs(event, anchor) {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  if (anchor.target || anchor.hasAttribute("download") || anchor.origin !== location.origin) return false;
  if (/^\/(api|static)\//.test(anchor.pathname)) return false;
  const sameView = anchor.pathname + anchor.search === location.pathname + location.search;
  return !(sameView && anchor.hash);
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href]");
  if (!anchor || !isOurs(event, anchor)) return;
  event.preventDefault();
  go(anchor.href);
});
window.addEventListener("popstate", () => {
  if (location.pathname + location.search !== shown) render({ back: true });
});
history.scrollRestoration = "manual";
render({ back: Boolean(history.state), first: true });
