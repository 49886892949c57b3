// What the reader wants to see in texts, kept from one document to the next.

import { h } from "../../dom.js";

const KEPT = "laconic.reading";
const SWITCHES = [
  ["colours", "Colours", true],
  ["letters", "Letters", false],
  ["keywords", "Keywords", true],
];

/** Buttons that put classes such as `with-colours` on the root of the text. */
export function switches(root, offered) {
  const kept = read();
  const buttons = SWITCHES.filter(([name]) => offered.includes(name)).map(([name, label, first]) => {
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
    turn(kept[name] ?? first);
    return button;
  });
  return h("div", { class: "switches", role: "group", "aria-label": "Show in the text" }, buttons);
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
  } catch {
    return {}; // storage is closed to some pages, and the switches work without it
  }
}

function write(settings) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(settings));
  } catch {
    // as above
  }
}
