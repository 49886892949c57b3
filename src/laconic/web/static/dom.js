// Elements from data. Whatever comes from data becomes a text node, never markup.

/** An element with attributes and children: strings (as text), nodes, arrays of these, or null. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) give(element, name, value);
  append(element, children);
  return element;
}

/** A link; the router follows those that stay on the page. */
export function link(href, ...children) {
  return h("a", { href }, ...children);
}

/** Add children as `h` does. */
export function append(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Put children in the place of all that an element holds. */
export function refill(element, ...children) {
  element.replaceChildren();
  return append(element, children);
}

/** Set custom properties, such as the length of a bar: a style attribute is not allowed here. */
export function styled(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

function give(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2).toLowerCase(), value);
  else if (name === "class") element.className = value;
  else element.setAttribute(name, value === true ? "" : String(value));
}
