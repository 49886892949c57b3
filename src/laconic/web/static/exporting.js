// Links to save the data of a view as CSV or JSON, and to copy its address.

import { h } from "./dom.js";

const COPIED = 2000; // milliseconds for which the button says that the address was copied

/** Links below a view; null if the view has no data of its own. */
export function exportBar(name, path, query) {
  const sources = sourceOf(name, path, query);
  const file = (text, href, extension) => h("a", { href, download: `${name}.${extension}` }, text);
  return h("p", { class: "export about" }, "Save this view: ",
    sources ? [file("CSV", sources.csv, "csv"), " · ", file("JSON", sources.json, "json"), " · "] : null, copyButton());
}

/** Return the URLs of the data of a view, or null. */
function sourceOf(name, path, query) {
  const item = path[1] === undefined ? "" : encodeURIComponent(path[1]);
  const apis = {
    overview: "/api/overview", topic: `/api/topics/${item}`, document: `/api/documents/${item}`, word: `/api/words/${item}`,
    search: "/api/search", compare: "/api/compare", map: "/api/document-map", documents: "/api/documents",
  };
  if (!apis[name] || (name === "search" && !query.get("q"))) return null;
  const params = new URLSearchParams([...query].filter(([key, value]) => value && (ALLOWED[name] ?? []).includes(key)));
  if (name === "search") params.set("k", 100);
  const json = `${apis[name]}${params.size ? `?${params}` : ""}`;
  if (name === "documents") {
    params.delete("page");
    return { csv: `/api/documents.csv${params.size ? `?${params}` : ""}`, json };
  }
  params.set("format", "csv");
  return { csv: `${apis[name]}?${params}`, json };
}

// parameters in the URL of a view that are also parameters of its data
const ALLOWED = {
  documents: ["label", "topic", "since", "until", "sort"],
  search: ["q", "label", "topic", "since", "until"],
};

function copyButton() {
  const button = h("button", { type: "button", class: "plain", onclick: async () => {
    await navigator.clipboard.writeText(location.href).catch(() => null);
    button.textContent = "Link copied";
    setTimeout(() => { button.textContent = "Copy link"; }, COPIED);
  } }, "Copy link");
  return button;
}
