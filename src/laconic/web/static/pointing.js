// Highlight on a chart the topics of the list that match the filter, and the topic under the pointer.

const POINTED = "datum.topic === pointed";
const FOUND = "!found || indexof(found, datum.topic) >= 0";
const FADED = 0.16;

/** Sends the highlighted topics to a chart, and sends them again after the chart has been redrawn. */
export class Pointer {
  constructor() {
    this.signals = { found: null, pointed: null };
    this.view = null;
    this.due = false;
  }

  /** Fade all topics except the given topics; null means that no topic is faded. */
  find(topics) {
    this.change("found", topics);
  }

  /** Highlight one topic; null means that no topic is highlighted. */
  point(topic) {
    if (topic !== this.signals.pointed) this.change("pointed", topic);
  }

  attach(view) {
    this.view = view;
    this.update();
  }

  change(name, value) {
    this.signals[name] = value;
    this.update();
  }

  /** Apply all pending changes before the next frame. */
  update() {
    if (this.due || !this.view) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      for (const [name, value] of Object.entries(this.signals)) this.view.signal(name, value);
      this.view.runAsync();
    });
  }
}

/** Return a chart of topics whose marks react to a Pointer. */
export function pointable(spec) {
  const params = Object.keys(new Pointer().signals).map((name) => ({ name, value: null }));
  return { ...spec, params: [...(spec.params ?? []), ...params], layer: spec.layer.map(withSignals) };
}

function withSignals(layer) {
  if (layer.layer) return { ...layer, layer: layer.layer.map(withSignals) };
  const { mark, encoding } = layer;
  const opacity = { condition: { test: FOUND, value: 1 }, value: FADED };
  if (mark.type !== "circle") return { ...layer, encoding: { ...encoding, opacity } };
  const pointed = (value, defaultValue) => ({ condition: { test: POINTED, value }, value: defaultValue });
  const highlight = { fillOpacity: pointed(0.65, mark.fillOpacity), strokeWidth: pointed(3, mark.strokeWidth) };
  return { ...layer, encoding: { ...encoding, opacity, ...highlight } };
}
