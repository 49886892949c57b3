// Topics pointed out on a chart by what stands beside it: those that a filter found, the one under the pointer.

const POINTED = "datum.topic === pointed";
const FOUND = "!found || indexof(found, datum.topic) >= 0";
const FADED = 0.16;

/** Tells the chart what is pointed out, now and whenever it is drawn anew. */
export class Pointer {
  constructor() {
    this.signals = { found: null, pointed: null };
    this.view = null;
    this.due = false;
  }

  /** The topics that stay as they are while all others fade; null for all. */
  find(topics) {
    this.change("found", topics);
  }

  /** The one topic that stands out, or null. */
  point(topic) {
    if (topic !== this.signals.pointed) this.change("pointed", topic);
  }

  attach(view) {
    this.view = view;
    this.later();
  }

  change(name, value) {
    this.signals[name] = value;
    this.later();
  }

  /** Once for all changes before the next picture. */
  later() {
    if (this.due || !this.view) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      for (const [name, value] of Object.entries(this.signals)) this.view.signal(name, value);
      this.view.runAsync();
    });
  }
}

/** The description of a chart of topics whose marks heed a Pointer. */
export function pointable(spec) {
  const params = Object.keys(new Pointer().signals).map((name) => ({ name, value: null }));
  return { ...spec, params: [...(spec.params ?? []), ...params], layer: spec.layer.map(heeding) };
}

function heeding(layer) {
  if (layer.layer) return { ...layer, layer: layer.layer.map(heeding) };
  const { mark, encoding } = layer;
  const opacity = { condition: { test: FOUND, value: 1 }, value: FADED };
  if (mark.type !== "circle") return { ...layer, encoding: { ...encoding, opacity } };
  const pointed = (value, usual) => ({ condition: { test: POINTED, value }, value: usual });
  const standing = { fillOpacity: pointed(0.65, mark.fillOpacity), strokeWidth: pointed(3, mark.strokeWidth) };
  return { ...layer, encoding: { ...encoding, opacity, ...standing } };
}
