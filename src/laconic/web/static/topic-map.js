// Map of topics as SVG: circles in the hue of their group, and as many names as fit without touching each other.

import { get } from "./api.js";
import { h, refill } from "./dom.js";
import { element } from "./sparkline.js";
import { firstWords, givenName, percent, topicName } from "./text.js";

const STEP = 20; // widths are rounded down to multiples of this number of pixels, so that few layouts are computed
const NARROWEST = 240;
const WIDEST = 1200;
const SIZE = 12; // font size of the names in pixels
const LINE = 14; // line height of the names in pixels
const LONGEST = 26; // maximum number of characters in a line of a name
const GAP = 3; // minimum distance between names in pixels
const RESIZE_DELAY = 200;
const widths = new Map(); // last width of the map on each page, so that a reload can request it at once

/** The map of topics. A click on a circle pins the topic, and a second click or Enter opens it. */
export function topicMap(context, brush, { onPin = null, pinned = null } = {}) {
  const place = h("div", { class: "topic-map", role: "group", "aria-label": "Map of topics" });
  const map = new TopicMap(place, context, brush, onPin);
  const expected = widths.get(location.pathname);
  if (expected) get("/api/map", { width: expected }).catch(() => null);
  if (pinned !== null) brush.pin(pinned);
  let timer = null;
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(() => map.draw(), map.width ? RESIZE_DELAY : 0);
  });
  observer.observe(place);
  context.signal.addEventListener("abort", () => { clearTimeout(timer); observer.disconnect(); });
  return place;
}

class TopicMap {
  constructor(place, context, brush, onPin) {
    Object.assign(this, { place, context, brush, onPin, width: 0, circles: new Map(), names: new Map() });
    this.topics = new Map(context.overview.topics.map((topic) => [topic.topic, topic]));
    brush.subscribe((state) => this.mark(state));
    place.addEventListener("pointerover", ({ target }) => brush.point(topicAt(target)));
    place.addEventListener("pointerleave", () => brush.point(null));
    place.addEventListener("focusin", ({ target }) => brush.point(topicAt(target)));
    place.addEventListener("focusout", () => brush.point(null));
    place.addEventListener("click", (event) => this.click(event));
    place.addEventListener("keydown", (event) => this.key(event));
  }

  async draw() {
    const width = Math.min(WIDEST, Math.max(NARROWEST, Math.floor(this.place.clientWidth / STEP) * STEP));
    if (!this.place.clientWidth || width === this.width) return;
    this.width = width;
    widths.set(location.pathname, width);
    try {
      const data = await get("/api/map", { width });
      if (width === this.width && !this.context.signal.aborted) this.show(data);
    } catch (error) {
      refill(this.place, h("p", { class: "empty", role: "alert" }, error.message));
    }
  }

  show({ width, height, circles }) {
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
    this.circles.clear();
    this.names.clear();
    for (const circle of circles) svg.append(this.circle(circle));
    for (const label of namesThatFit(circles, this.topics, { width, height })) {
      const name = nameOf(label);
      this.names.set(label.topic, name);
      svg.append(name);
    }
    this.tip = element("g", { class: "map-tip", "aria-hidden": "true" });
    svg.append(this.tip);
    this.places = new Map(circles.map(([topic, x, y, radius]) => [topic, { x, y, radius }]));
    this.size = { width, height };
    refill(this.place, svg);
    this.place.dataset.drawn = "true";
    this.mark(this.brush.state);
  }

  circle([topic, x, y, radius]) {
    const about = this.topics.get(topic);
    const label = `${topicName(about)}, ${percent(about.share)}`;
    const circle = element("circle", { cx: x, cy: y, r: radius, "data-topic": topic, "data-group": about.group, role: "button", "aria-label": label, tabindex: this.circles.size ? -1 : 0 });
    this.circles.set(topic, circle);
    return circle;
  }

  /** Light the topics of the brush, and write the name of a lit topic that has no name on the map. */
  mark({ pointed, pinned, found }) {
    for (const [topic, circle] of this.circles) {
      const faded = found !== null && !found.has(topic);
      circle.classList.toggle("faded", faded);
      circle.classList.toggle("lit", topic === pointed);
      circle.classList.toggle("pinned", topic === pinned);
      circle.setAttribute("aria-pressed", String(topic === pinned));
      this.names.get(topic)?.classList.toggle("faded", faded);
      this.names.get(topic)?.classList.toggle("lit", topic === (pointed ?? pinned));
    }
    this.showTip(pointed ?? pinned);
  }

  showTip(topic) {
    if (!this.tip) return;
    this.tip.replaceChildren();
    const place = this.places.get(topic);
    if (!place || this.names.has(topic)) return;
    const lines = [shorten(topicName(this.topics.get(topic)), 2 * LONGEST)];
    const width = widest(lines);
    const room = this.size.width - width / 2 - GAP;
    const x = Math.min(Math.max(place.x, width / 2 + GAP), Math.max(room, width / 2));
    const above = place.y - place.radius - LINE / 2 - GAP;
    this.tip.append(nameOf({ topic, lines, x, y: above > LINE ? above : place.y + place.radius + LINE }));
  }

  click({ target }) {
    const topic = topicAt(target);
    if (topic === null) return this.brush.pin(null);
    if (topic === this.brush.state.pinned) return this.context.go(`/topics/${topic}`);
    this.brush.pin(topic);
    this.onPin?.(topic);
  }

  /** Arrow keys move to the nearest circle in their direction, Space pins, Enter opens. */
  key(event) {
    const topic = topicAt(event.target);
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (topic === null || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") this.context.go(`/topics/${topic}`);
    else if (event.key === " ") this.brush.pin(topic === this.brush.state.pinned ? null : topic);
    else if (event.key === "Escape") this.brush.pin(null);
    else if (arrows[event.key]) this.focus(this.nearest(topic, arrows[event.key]), topic);
    else return;
    event.preventDefault();
  }

  focus(topic, before) {
    if (topic === null) return;
    this.circles.get(before).setAttribute("tabindex", "-1");
    this.circles.get(topic).setAttribute("tabindex", "0");
    this.circles.get(topic).focus({ preventScroll: true });
  }

  /** Return the topic with the smallest distance in a direction; distances across the direction count twice. */
  nearest(from, [dx, dy]) {
    const { x, y } = this.places.get(from);
    let best = [Infinity, null];
    for (const [topic, other] of this.places) {
      const along = (other.x - x) * dx + (other.y - y) * dy;
      const across = Math.abs((other.x - x) * dy) + Math.abs((other.y - y) * dx);
      if (topic !== from && along > 0 && along + 2 * across < best[0]) best = [along + 2 * across, topic];
    }
    return best[1];
  }
}

function topicAt(target) {
  const topic = target.closest?.("[data-topic]")?.dataset.topic;
  return topic === undefined ? null : Number(topic);
}

function nameOf({ topic, lines, x, y }) {
  const text = element("text", { class: "map-name", x, y, "data-topic": topic, "aria-hidden": "true" });
  lines.forEach((line, n) => {
    text.append(element("tspan", { x, y: y + (n - (lines.length - 1) / 2) * LINE }, line));
  });
  return text;
}

/** Choose names that do not touch each other, starting with the largest topics. */
function namesThatFit(circles, topics, size) {
  const taken = [];
  const chosen = [];
  for (const [topic, x, y, radius] of circles) {
    const label = candidates(topics.get(topic), { x, y, radius }, size).find(({ box }) =>
      inside(box, size) && !taken.some((other) => meet(box, other)) && !covers(box, circles, topic));
    if (!label) continue;
    taken.push(label.box);
    chosen.push({ topic, ...label });
  }
  return chosen;
}

/**
 * Return possible places of a name, best first: in the circle or beside it, with as many words as fit;
 * at last, the first word across the circle.
 */
function candidates(topic, { x, y, radius }) {
  const words = givenName(topic) ? [shorten(givenName(topic), LONGEST)] : firstWords(topic, 3).map((word) => shorten(word, LONGEST));
  const counts = [...new Set([words.length, Math.min(2, words.length), 1])];
  const within = (n) => at(words.slice(0, n), [[x, y, "in"]], radius);
  const beside = (n) => {
    const lines = [words.slice(0, n).join(", ")];
    const [width, height] = [widest(lines), LINE];
    return at(lines, [
      [x, y + radius + height / 2 + 1], [x, y - radius - height / 2 - 1],
      [x + radius + width / 2 + 4, y], [x - radius - width / 2 - 4, y]], radius);
  };
  const two = Math.min(2, words.length);
  return [...counts.filter((n) => n > 1).flatMap(within), ...beside(two), ...within(1), ...beside(1), ...at([words[0]], [[x, y, "across"]], radius)];
}

function at(lines, centres, radius) {
  const [width, height] = [widest(lines), LINE * lines.length];
  return centres
    .filter(([, , where]) => where !== "in" || Math.hypot(width, height) <= 2 * radius + 2)
    .map(([x, y, where]) => ({
      lines, x, y,
      box: { left: x - width / 2 - GAP, right: x + width / 2 + GAP, top: y - height / 2, bottom: y + height / 2 },
    }));
}

const inside = (box, { width, height }) => box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height;
const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Tell whether a name would touch the circle of another topic. */
function covers(box, circles, topic) {
  const distance = (value, low, high) => Math.max(low - value, value - high, 0);
  return circles.some(([other, x, y, radius]) => other !== topic
    && Math.hypot(distance(x, box.left, box.right), distance(y, box.top, box.bottom)) < radius);
}

function shorten(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

let canvas = null;

/** Return the width of the widest line in the font of the page. */
function widest(lines) {
  canvas ??= document.createElement("canvas").getContext("2d");
  canvas.font = `${SIZE}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.max(...lines.map((line) => canvas.measureText(line).width));
}
