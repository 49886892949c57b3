// Points of documents on a canvas, with the names of the largest topics; a dragged rectangle selects points.

import { h } from "./dom.js";
import { firstWords, givenName, topicName } from "./text.js";

const LARGEST = 3.2; // radius of a point in a small corpus, in pixels
const SMALLEST = 1.1;
const FONT = 12;
const NAMES = 90; // maximum number of names, so that they do not hide the points
const LEAST_WIDTH = 500; // on a narrower map, only topics have names
const LEAST_DRAG = 4; // a shorter movement of the pointer is a click, which selects a disc
const REDRAW_DELAY = 120;

const dark = window.matchMedia("(prefers-color-scheme: dark)");

export class PointMap {
  constructor(place, data, topics, { groups, signal, onSelect }) {
    Object.assign(this, { place, data, topics, groups, onSelect, box: null, kind: "topic", chosen: null });
    this.canvas = h("canvas", { "aria-hidden": "true" });
    place.append(this.canvas);
    let timer = null;
    const later = () => { clearTimeout(timer); timer = setTimeout(() => this.draw(), this.width ? REDRAW_DELAY : 0); };
    const observer = new ResizeObserver(later);
    observer.observe(place);
    dark.addEventListener("change", later, { signal });
    signal.addEventListener("abort", () => { clearTimeout(timer); observer.disconnect(); });
    this.listen();
  }

  colourBy(kind) {
    this.kind = kind;
    if (this.width) this.draw();
  }

  /** Select all documents of a topic; null clears the selection. */
  selectTopic(topic) {
    const { topics } = this.data;
    this.box = null;
    this.chosen = topic === null ? null : topics.flatMap((each, n) => (each === topic ? [n] : []));
    this.draw();
    this.onSelect(this.chosen, topic === null ? null : topicName(this.topics.get(topic)));
  }

  /** Select the documents in a rectangle, given in the units of the data. */
  selectBox({ left, right, top, bottom }) {
    const { x, y } = this.data;
    const inside = (n) => x[n] >= 10 * left && x[n] <= 10 * right && y[n] >= 10 * top && y[n] <= 10 * bottom;
    this.chosen = x.map((_, n) => n).filter(inside);
    this.draw();
    this.onSelect(this.chosen, null);
  }

  listen() {
    let start = null;
    const at = (event) => {
      const room = this.canvas.getBoundingClientRect();
      const scale = this.data.width / room.width;
      return { x: (event.clientX - room.left) * scale, y: (event.clientY - room.top) * scale };
    };
    const boxTo = (end) => ({
      left: Math.min(start.x, end.x), right: Math.max(start.x, end.x), top: Math.min(start.y, end.y), bottom: Math.max(start.y, end.y),
    });
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      start = at(event);
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!start) return;
      this.box = boxTo(at(event));
      this.draw();
    });
    const finish = (event) => {
      if (!start) return;
      const box = boxTo(at(event));
      const isClick = Math.max(box.right - box.left, box.bottom - box.top) < LEAST_DRAG;
      const point = start;
      start = null;
      if (isClick) return this.selectTopic(this.discAt(point));
      this.box = box;
      this.selectBox(box);
    };
    this.canvas.addEventListener("pointerup", finish);
    this.canvas.addEventListener("pointercancel", () => { start = null; this.box = null; this.draw(); });
  }

  discAt({ x, y }) {
    const disc = this.data.discs.find(([, cx, cy, radius]) => Math.hypot(cx - x, cy - y) <= radius);
    return disc ? disc[0] : null;
  }

  draw() {
    const width = this.place.clientWidth;
    if (!width) return;
    this.width = width;
    this.scale = width / this.data.width;
    const height = Math.round(this.data.height * this.scale);
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.drawPoints(pen);
    this.drawNames(pen, { width, height });
    this.drawBox(pen);
    this.place.dataset.drawn = "true";
  }

  /** Draw the points colour by colour, which is much faster than point by point. */
  drawPoints(pen) {
    const { x, y } = this.data;
    const radius = Math.min(LARGEST, Math.max(SMALLEST, (0.2 * this.width) / Math.sqrt(x.length)));
    const chosen = this.chosen ? new Set(this.chosen) : null;
    const scale = this.scale / 10;
    for (const [colour, points] of this.byColour()) {
      for (const lit of [false, true]) {
        pen.beginPath();
        for (const n of points) {
          if ((chosen === null || chosen.has(n)) !== lit) continue;
          const [px, py] = [x[n] * scale, y[n] * scale];
          pen.moveTo(px + radius, py);
          pen.arc(px, py, radius, 0, 2 * Math.PI);
        }
        pen.globalAlpha = lit ? 0.75 : 0.13;
        pen.fillStyle = colour;
        pen.fill();
      }
    }
    pen.globalAlpha = 1;
  }

  byColour() {
    const hues = huesOf(this.place);
    const { topics, classes } = this.data;
    const groups = this.kind === "class" ? classes : topics.map((topic) => this.topics.get(topic).group);
    const found = new Map();
    groups.forEach((group, n) => {
      const colour = hues[group] ?? hues.none;
      if (!found.has(colour)) found.set(colour, []);
      found.get(colour).push(n);
    });
    return found;
  }

  /** Write the names of groups and topics, largest disc first, where they do not touch each other. */
  drawNames(pen, size) {
    const style = getComputedStyle(this.place);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    const taken = [];
    for (const { text, x, y, weight, group } of [...this.groupNames(), ...this.topicNames()]) {
      pen.font = `${weight} ${FONT}px ${style.fontFamily}`;
      const half = pen.measureText(text).width / 2 + (group === undefined ? 3 : 3 + FONT);
      const px = Math.min(Math.max(x * this.scale, half), size.width - half);
      const py = y * this.scale;
      const box = { left: px - half, right: px + half, top: py - FONT * 0.7, bottom: py + FONT * 0.7 };
      if (taken.length >= NAMES) break;
      if (2 * half > size.width || taken.some((other) => meet(box, other))) continue;
      taken.push(box);
      pen.lineWidth = 4;
      pen.strokeStyle = style.getPropertyValue("--card");
      pen.globalAlpha = 0.85;
      pen.strokeText(text, px, py);
      pen.globalAlpha = 1;
      pen.fillStyle = style.getPropertyValue("--ink");
      pen.fillText(text, px, py);
      if (group !== undefined) this.drawMark(pen, { x: px - half + FONT / 2, y: py, group });
    }
  }

  /** A disc in the colour of a group, with a ring that separates it from the points. */
  drawMark(pen, { x, y, group }) {
    pen.beginPath();
    pen.arc(x, y, FONT / 3, 0, 2 * Math.PI);
    pen.strokeStyle = getComputedStyle(this.place).getPropertyValue("--card");
    pen.stroke();
    pen.fillStyle = huesOf(this.place)[group];
    pen.fill();
  }

  /** The names of the groups, as in the legend, above the largest disc of each group. */
  groupNames() {
    if (this.kind === "class" || this.width < LEAST_WIDTH) return [];
    return this.groups.map(({ group, words }) => {
      const discs = this.data.discs.filter(([topic]) => this.topics.get(topic).group === group);
      if (!discs.length) return null;
      const [, x, y, radius] = discs.reduce((a, b) => (b[3] > a[3] ? b : a));
      const above = y - radius - FONT;
      return { text: words.join(", "), x, y: above > 0 ? above : y + radius + FONT, weight: 650, group };
    }).filter(Boolean);
  }

  topicNames() {
    return [...this.data.discs].sort((a, b) => b[3] - a[3]).map(([topic, x, y, radius]) => {
      const about = this.topics.get(topic);
      return { text: givenName(about) ?? firstWords(about, radius * this.scale > 40 ? 2 : 1).join(", "), x, y, weight: 400 };
    });
  }

  drawBox(pen) {
    if (!this.box) return;
    const { left, right, top, bottom } = this.box;
    const style = getComputedStyle(this.place);
    pen.strokeStyle = style.getPropertyValue("--ink");
    pen.lineWidth = 1.5;
    pen.setLineDash([5, 4]);
    pen.strokeRect(left * this.scale, top * this.scale, (right - left) * this.scale, (bottom - top) * this.scale);
    pen.setLineDash([]);
  }
}

const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function huesOf(place) {
  const style = getComputedStyle(place);
  const hue = (name) => style.getPropertyValue(name).trim();
  return { ...Object.fromEntries(Array.from({ length: 8 }, (_, n) => [n, hue(`--g${n}`)])), none: hue("--g-none") };
}
