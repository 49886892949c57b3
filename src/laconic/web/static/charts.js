// Charts by Vega, from the server's own copy: no code is made from strings and no style injected,
// as the security policy of the page forbids both.

import { get } from "./api.js";
import { h, refill } from "./dom.js";
import { measures, refit, widthFor } from "./fitting.js";
import { pointable } from "./pointing.js";
import { tipOf } from "./tip.js";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
let loading = null;

/**
 * Draw a Vega-Lite chart into a node in the theme of the page, anew whenever the theme changes.
 * `onTopic(topic)` is called for a click on a topic; `pointer` points topics out on the chart;
 * `signal` ends the chart when the view is left. The chart can `show` another description later.
 */
export async function draw(node, spec, { onTopic = null, label = null, signal = null, pointer = null } = {}) {
  const [embed, themes] = await Promise.all([vega(), get("/api/themes")]);
  const tip = tipOf(node, onTopic);
  let drawn = null;
  const paintNow = async () => {
    if (signal?.aborted) return;
    drawn?.finalize();
    drawn = null;
    const own = structuredClone(spec); // Vega writes into its data, and answers are remembered
    drawn = await embed(node, own, options(dark.matches ? themes.dark : themes.light, tip.handler));
    if (signal?.aborted) return void drawn.finalize();
    chart.view = drawn.view;
    pointer?.attach(drawn.view);
    if (onTopic) drawn.view.addEventListener("click", (event, item) => follow(item, onTopic));
    fit(node);
    node.setAttribute("role", "img");
    node.setAttribute("aria-label", label ?? spec.description ?? "Chart");
  };
  let painted = Promise.resolve();
  const paint = () => (painted = painted.catch(() => null).then(paintNow)); // one after the other
  const repaint = () => paint().catch((error) => explain(node, error));
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

/**
 * A figure with a chart of the model that is fetched and drawn once it comes into view, made for the
 * width it has there where it can be. With `tools` it can be saved; `wide` stretches it; `bare`
 * leaves the title to the page; `told` stands below it; `pointer` points out topics on it.
 */
export function chartFigure({ name, about }, context, { params = {}, tools = false, wide = false, bare = false, told = null, pointer = null } = {}) {
  const place = h("div", { class: "chart" });
  const caption = tools || bare ? h("figcaption", { class: "about" }, told ?? about) : null;
  const figure = h("figure", { "data-chart": name }, place, caption);
  const { signal } = context;
  const specFor = async (width) => {
    const asked = await get(`/api/charts/${name}`, { ...params, ...await measures(name, width) });
    const spec = wide ? fluid(asked) : bare ? untitled(asked, told ? null : caption) : asked;
    return pointer ? pointable(spec) : spec;
  };
  whenSeen(figure, signal, async () => {
    try {
      const width = widthFor(name, place);
      const spec = await specFor(width);
      if (signal.aborted) return;
      const onTopic = (topic) => context.go(`/topics/${topic}`);
      const chart = await draw(place, spec, { onTopic, label: spec.description ?? about, signal, pointer });
      if (signal.aborted) return;
      refit(name, place, width, signal, specFor, chart);
      if (tools) caption.append(saving(chart, name));
      figure.dataset.drawn = "true";
    } catch (error) {
      explain(place, error);
    }
  });
  return figure;
}

/** The sentence that stands where a chart could not be drawn. */
function explain(place, error) {
  place.removeAttribute("role");
  place.removeAttribute("aria-label");
  refill(place, h("p", { class: "empty", role: "alert" }, error.message));
}

/** Do something once a node has come near the view, after the page has been painted. */
function whenSeen(node, signal, work) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    work();
  }, { rootMargin: "200px" });
  signal.addEventListener("abort", () => observer.disconnect());
  requestAnimationFrame(() => setTimeout(() => observer.observe(node)));
}

/** Vega's `vegaEmbed`, loaded at the first chart. */
function vega() {
  loading ??= new Promise((resolve, reject) => {
    const failed = () => reject(new Error("The drawing program did not load. Reload this page."));
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

/** A chart that takes the width of its place: only one whose marks do not depend on the width. */
function fluid(spec) {
  return { ...spec, width: "container", autosize: { type: "fit-x", contains: "padding" } };
}

/** The chart without its title, whose second line becomes the caption: the page's own letters do not shrink. */
function untitled({ title, ...spec }, caption) {
  if (title?.subtitle && caption) refill(caption, `${[title.subtitle].flat().join(" ")}.`);
  return spec;
}

/** Let a chart shrink until its words would be too small; from there on it scrolls in its place. */
function fit(node) {
  const width = node.querySelector("svg")?.getAttribute("width") ?? 0;
  node.style.setProperty("--natural", `${width}px`);
}

/** Fade the edge beyond which there is more, and let the keyboard scroll there. */
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

function saving(chart, name) {
  const button = (type) => h("button",
    { type: "button", class: "button", onclick: () => save(chart.view, name, type) }, `Save as ${type.toUpperCase()}`);
  return h("span", { class: "buttons" }, button("svg"), button("png"));
}

async function save(view, name, type) {
  const address = await view.toImageURL(type, type === "png" ? 2 : 1);
  h("a", { href: address, download: `${name}.${type}` }).click();
}
