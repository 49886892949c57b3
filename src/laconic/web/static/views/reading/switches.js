// Switches that show or hide the marks in texts; the browser stores their state for the session.

import { h } from "../../dom.js";

const STORAGE_KEY = "laconic.reading";
const SWITCHES = [
  ["colours", "Topic colours", true],
  ["letters", "Topic letters", false],
  ["keywords", "Keywords", true],
];

/** Buttons that add or remove classes such as `with-colours` on the root element of the text. */
export function switches(root, names) {
  const settings = read();
  const buttons = SWITCHES.filter(([name]) => names.includes(name)).map(([name, label, defaultValue]) => {
    const button = h("button", { type: "button", class: "switch" }, label);
    const turn = (on) => {
      button.setAttribute("aria-pressed", on);
      root.classList.toggle(`with-${name}`, on);
    };
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      turn(on);
      write({ ...read(), [name]: on });
    });
    turn(settings[name] ?? defaultValue);
    return button;
  });
  return h("div", { class: "switches", role: "group", "aria-label": "Show in the text" }, buttons);
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(STORAGE_KEY)) ?? {};
  } catch {
    return {}; // some browsers block storage; the switches work without it
  }
}

function write(settings) {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(settings));
  } catch {
    // storage is blocked, see above
  }
}
