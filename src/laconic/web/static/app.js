// Client-side router: every URL belongs to a view, so links, the back button and reloading work.

import { get } from "./api.js";
import { h, link, refill } from "./dom.js";
import { exportBar } from "./exporting.js";
import { restore, remember } from "./places.js";
import { fillHeader, markCurrentView } from "./shell.js";

const PROGRESS_DELAY = 250; // delay in milliseconds of the progress bar, so that fast responses do not flicker

const main = document.getElementById("main");
const waiting = document.getElementById("waiting");
let viewController = new AbortController();
let currentUrl = null;

/** Navigate to a URL of the explorer. */
export function go(href) {
  const url = new URL(href, location.href);
  remember(url);
  if (url.href !== location.href) history.pushState(null, "", url);
  return render({ back: false });
}

/** Render the current URL again after a change. */
export function reload() {
  return render({ back: true });
}

async function render({ back, first = false }) {
  viewController.abort();
  viewController = new AbortController();
  const { signal } = viewController;
  const stopWaiting = startWaiting();
  const view = await build(signal, back).catch(failure);
  stopWaiting();
  if (signal.aborted) return;
  currentUrl = location.pathname + location.search;
  document.title = view.tab;
  refill(main, view.node);
  main.setAttribute("aria-busy", "false");
  markCurrentView(location.pathname);
  restorePosition({ back, first, title: view.title });
}

async function build(signal, back) {
  const overviewRequest = get("/api/overview");
  overviewRequest.then((overview) => fillHeader(overview, go), () => null); // error pages also need the header
  const path = pathOf(location);
  const name = viewName(path);
  const [overview, { show }] = await Promise.all([overviewRequest, load(name)]);
  let title = overview.title;
  const context = {
    path, overview, signal, go, reload, back,
    query: new URLSearchParams(location.search),
    title: (text) => { title = text; },
    keep: (query) => keep(query, signal),
  };
  const nodes = await show(context);
  const tab = title === overview.title ? title : `${title} · ${overview.title}`;
  const end = exportBar(name, path, context.query);
  return { node: h("div", { class: "view", "data-view": name }, nodes, end), title, tab };
}

function pathOf({ pathname }) {
  try {
    return pathname.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    throw notFound(pathname);
  }
}

/** Import the module of a view; if the server is unreachable, throw an error with a clear message. */
function load(name) {
  return import(`./views/${name}.js`).catch((error) => {
    if (error instanceof SyntaxError) throw error;
    throw new Error("This view could not be loaded. Check that laconic explore is still running, then reload this page.");
  });
}

/** Return the name of the view for a path. */
function viewName(path) {
  const [first = "overview", second] = path;
  const itemViews = { topics: "topic", documents: "document", words: "word" };
  if (path.length === 2 && second && itemViews[first]) return itemViews[first];
  if (path.length === 1 && first === "topics") return "overview";
  if (path.length < 2 && ["overview", "documents", "search", "compare", "pictures", "map", "tree", "intrusion"].includes(first)) return first;
  throw notFound(location.pathname);
}

function notFound(path) {
  return Object.assign(new Error(`The explorer has no page ${path}.`), { status: 404 });
}

/** Store the settings of a view in the URL without leaving the view. */
function keep(query, signal) {
  if (signal.aborted) return;
  const url = new URL(location.href);
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === "") url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  history.replaceState(history.state, "", url);
  currentUrl = location.pathname + location.search;
}

function failure(error) {
  const title = error.status === 404 ? "Not found" : "Something went wrong";
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
  const timer = setTimeout(() => { waiting.hidden = false; }, PROGRESS_DELAY);
  return () => {
    clearTimeout(timer);
    waiting.hidden = true;
  };
}

/** Restore the scroll position and the focus, and announce the new page to screen readers. */
function restorePosition({ back, first, title }) {
  const { found, focused } = back ? restore(main) : { found: false, focused: false };
  if (!found) scrollToHash();
  if (first) return;
  document.getElementById("announcement").textContent = title;
  if (!focused) main.focus({ preventScroll: true });
}

function scrollToHash() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView();
  else scrollTo(0, 0);
}

/** Tell whether the router handles a click: only on links to views of this site, without a modifier key. */
function isInternalClick(event, anchor) {
  if (event.defaultPrevented || event.button !== 0) return false;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return false;
  if (anchor.target || anchor.hasAttribute("download") || anchor.origin !== location.origin) return false;
  if (/^\/(api|static)\//.test(anchor.pathname)) return false;
  const sameView = anchor.pathname + anchor.search === location.pathname + location.search;
  return !(sameView && anchor.hash);
}

document.addEventListener("click", (event) => {
  const anchor = event.target.closest("a[href]");
  if (!anchor || !isInternalClick(event, anchor)) return;
  event.preventDefault();
  go(anchor.href);
});
window.addEventListener("popstate", () => {
  if (location.pathname + location.search !== currentUrl) render({ back: true });
});
history.scrollRestoration = "manual";
render({ back: Boolean(history.state), first: true });
