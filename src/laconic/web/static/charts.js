// Vega charts, drawn with the copy of Vega that the server provides. The security policy forbids
// evaluating strings as code and injecting styles, hence the options `ast` and `defaultStyle`.

import { get } from "./api.js";
import { h, refill } from "./dom.js";
import { layoutParams, refit, widthFor } from "./fitting.js";
import { tipOf } from "./tip.js";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
let loading = null;

/**
 * Draw a Vega-Lite chart into a node, and again whenever the light or dark theme changes.
 * A click on a topic calls `onTopic(topic)`. `signal`
 * removes the chart when the user leaves the view. The returned chart can `show` another spec later.
 */
export async function draw(node, spec, { onTopic = null, label = null, signal = null } = {}) {
  const [embed, themes] = await Promise.all([vega(), get("/api/themes")]);
  const tip = tipOf(node, onTopic);
  let drawn = null;
  const paintNow = async () => {
    if (signal?.aborted) return;
    drawn?.finalize();
    drawn = null;
    const copy = structuredClone(spec); // Vega would change the data of a cached response
    drawn = await embed(node, copy, options(dark.matches ? themes.dark : themes.light, tip.handler));
    if (signal?.aborted) return void drawn.finalize();
    chart.view = drawn.view;
    if (onTopic) drawn.view.addEventListener("click", (event, item) => follow(item, onTopic));
    fit(node);
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", label ?? spec.description ?? "Chart");
  };
  let painted = Promise.resolve();
  const paint = () => (painted = painted.catch(() => null).then(paintNow)); // wait for the previous drawing
  const repaint = () => paint().catch((error) => showError(node, error));
  const finish = () => {
    dark.removeEventListener("change", repaint);
    drawn?.finalize();
    tip.hide();
  };
  const chart = { view: null, show: (other) => { spec = other; return repaint(); } };
  if (signal?.aborted) return chart;
  markEdge(node);
  dark.addEventListener("change", repaint);
  signal?.addEventListener("abort", finish);
  await paint();
  return chart;
}

/** A figure with a chart of the model, with buttons to save it; it is requested and drawn when it scrolls into view. */
export function chartFigure({ name, about }, context) {
  const container = h("div", { class: "chart" });
  const caption = h("figcaption", { class: "about" }, about);
  const figure = h("figure", { "data-chart": name }, container, caption);
  const { signal } = context;
  const specFor = async (width) => get(`/api/charts/${name}`, await layoutParams(name, width));
  whenVisible(figure, signal, async () => {
    try {
      const width = widthFor(name, container);
      const spec = await specFor(width);
      if (signal.aborted) return;
      const onTopic = (topic) => context.go(`/topics/${topic}`);
      const chart = await draw(container, spec, { onTopic, label: spec.description ?? about, signal });
      if (signal.aborted) return;
      refit(name, container, width, signal, specFor, chart);
      caption.append(saveButtons(chart, name));
      figure.dataset.drawn = "true";
    } catch (error) {
      showError(container, error);
    }
  });
  return figure;
}

/** Show an error message in place of a chart. */
function showError(container, error) {
  container.removeAttribute("role");
  container.removeAttribute("aria-label");
  refill(container, h("p", { class: "empty", role: "alert" }, error.message));
}

/** Call `work` after the page has been painted, as soon as a node is near the viewport. */
function whenVisible(node, signal, work) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    work();
  }, { rootMargin: "200px" });
  signal.addEventListener("abort", () => observer.disconnect());
  requestAnimationFrame(() => setTimeout(() => observer.observe(node)));
}

/** Load `vegaEmbed` when the first chart is drawn. */
function vega() {
  loading ??= new Promise((resolve, reject) => {
    const failed = () => reject(new Error("The chart library (Vega) could not be loaded. Reload this page."));
    const script = h("script", { src: "/vega.js", onload: () => resolve(window.vegaEmbed), onerror: failed });
    document.head.append(script);
  });
  return loading;
}

function options(theme, tooltip) {
  const background = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
  const config = { ...theme, background };
  return { config, tooltip, ast: true, actions: false, defaultStyle: false, renderer: "svg" };
}

/** Let a chart shrink to the minimum width at which its text is legible; if there is less room, it scrolls. */
function fit(node) {
  const width = node.querySelector("svg")?.getAttribute("width") ?? 0;
  node.style.setProperty("--natural", `${width}px`);
}

/** Fade the edge of a chart that can be scrolled, and make it scrollable by keyboard. */
function markEdge(node) {
  const mark = () => {
    const hidden = node.scrollWidth - node.clientWidth;
    node.classList.toggle("more", hidden - node.scrollLeft > 4);
    if (hidden > 0) node.tabIndex = 0;
    else node.removeAttribute("tabindex");
  };
  node.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(node);
}

function follow(item, onTopic) {
  const topic = item?.datum?.topic;
  if (Number.isInteger(topic)) onTopic(topic);
}

function saveButtons(chart, name) {
  const button = (type) => h("button",
    { type: "button", class: "button", onclick: () => save(chart.view, name, type) }, `Save as ${type.toUpperCase()}`);
  return h("span", { class: "buttons" }, button("svg"), button("png"));
}

async function save(view, name, type) {
  const url = await view.toImageURL(type, type === "png" ? 2 : 1);
  h("a", { href: url, download: `${name}.${type}` }).click();
}
