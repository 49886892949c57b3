// The header: title of the model, the views it has, and the search box.

import { link, refill } from "./dom.js";
import { furnishSearch } from "./search-box.js";

const VIEWS = [
  ["/", "Topics", () => true],
  ["/documents", "Documents", (overview) => overview.has.documents],
  ["/pictures", "Pictures", (overview) => overview.charts.length > 0],
  ["/compare", "Compare", (overview) => overview.has.compare],
];

let furnished = false;

/** Fill the header once the model is known. */
export function furnish(overview, go) {
  if (furnished) return;
  furnished = true;
  document.querySelector(".home").textContent = overview.title;
  const shown = VIEWS.filter(([, , applies]) => applies(overview));
  refill(document.getElementById("views"), shown.map(([href, name]) => link(href, name)));
  furnishSearch(document.getElementById("search"), overview, go);
}

/** Mark the view that the page shows. */
export function mark(path) {
  const section = path.startsWith("/topics") ? "/" : path.startsWith("/documents/") ? "/documents" : path;
  for (const each of document.querySelectorAll("#views a")) {
    if (each.getAttribute("href") === section) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
  if (path !== "/search") return;
  const input = document.querySelector("#search input");
  if (input) input.value = new URLSearchParams(location.search).get("q") ?? "";
}
