// Page header: model title, navigation and search box.

import { h, link, refill } from "./dom.js";
import { fillSearchForm } from "./search-box.js";

const FEWEST = 3; // number of topics of the smallest model with a tree of topics
const VIEWS = [
  ["/", "Topics", () => true],
  ["/tree", "Tree", (overview) => overview.n_topics >= FEWEST],
  ["/documents", "Documents", (overview) => overview.has.documents],
  ["/map", [h("span", { class: "wide-name" }, "Document "), "map"], (overview) => overview.has.documents],
  ["/pictures", "Charts", (overview) => overview.charts.length > 0],
  ["/compare", "Compare", (overview) => overview.has.compare],
];

let isFilled = false;

/** Fill the header, unless it is already filled. */
export function fillHeader(overview, go) {
  if (isFilled) return;
  isFilled = true;
  document.querySelector(".home").textContent = overview.title;
  const views = VIEWS.filter(([, , applies]) => applies(overview));
  refill(document.getElementById("views"), views.map(([href, name]) => link(href, name)));
  fillSearchForm(document.getElementById("search"), overview, go);
}

/** Mark the current view in the navigation. */
export function markCurrentView(path) {
  const section = path.startsWith("/topics") ? "/" : path.startsWith("/documents/") ? "/documents" : path;
  for (const each of document.querySelectorAll("#views a")) {
    if (each.getAttribute("href") !== section) each.removeAttribute("aria-current");
    else {
      each.setAttribute("aria-current", "page");
      reveal(each);
    }
  }
  if (path !== "/search") return;
  const input = document.querySelector("#search input");
  if (input) input.value = new URLSearchParams(location.search).get("q") ?? "";
}

/** Scroll the navigation, which is one row on a phone, so that a link is visible. */
function reveal(link) {
  const row = link.parentElement;
  row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
}
