// Topics that several parts of a page highlight together: under the pointer, pinned, or found by a filter.

/** Tells subscribers which topic is pointed at, which is pinned, and which topics a filter has found (null: all). */
export class Brush {
  #subscribers = [];
  #due = false;

  constructor() {
    this.state = { pointed: null, pinned: null, found: null };
  }

  /** Call `react(state)` now and after each change. */
  subscribe(react) {
    this.#subscribers.push(react);
    react(this.state);
  }

  point(topic) {
    this.#change("pointed", topic);
  }

  pin(topic) {
    this.#change("pinned", topic);
  }

  find(topics) {
    this.#change("found", topics === null ? null : new Set(topics));
  }

  /** The topic that parts of the page describe: the topic under the pointer, or else the pinned topic. */
  get shown() {
    return this.state.pointed ?? this.state.pinned;
  }

  #change(name, value) {
    if (this.state[name] === value) return;
    this.state = { ...this.state, [name]: value };
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(() => {
      this.#due = false;
      for (const react of this.#subscribers) react(this.state);
    });
  }
}
