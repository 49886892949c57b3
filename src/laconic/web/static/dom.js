// Build DOM elements. Strings always become text nodes, never markup.

/** Create an element with attributes and children: strings (as text), nodes, arrays of these, or null. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) setAttribute(element, name, value);
  append(element, children);
  return element;
}

/** Create a link; the router handles links within the explorer. */
export function link(href, ...children) {
  return h("a", { href }, ...children);
}

/** Append children of the same types that `h` accepts. */
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Replace all children of an element. */
export function refill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** Set CSS custom properties, such as the length of a bar, because the security policy forbids style attributes. */
export function styled(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
  else if (name === "class") element.className = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}
