// Where the reader stood on a page, kept with the page in the history of the browser.

/** Note the place on the page that is about to be left, and the link it is left by. */
export function remember(url) {
  const left = document.activeElement?.closest?.("main a[href]");
  const follows = left && left.href === url.href;
  save(follows ? { href: left.getAttribute("href"), top: left.getBoundingClientRect().top } : {});
}

/** Go back to the kept place; false where there is none. A link is a surer place than a height. */
export function restore(main, { back }) {
  const place = back && history.state?.place;
  if (!place) return false;
  const links = [...main.querySelectorAll("a[href]")];
  const left = place.href && links.find((each) => each.getAttribute("href") === place.href);
  if (left) steady(left, place.top);
  else scrollTo(0, place.y);
  return Boolean(left);
}

/** Bring a link to its old height; twice, as rows out of sight get their true height only when seen. */
function steady(element, top) {
  const move = () => scrollBy(0, element.getBoundingClientRect().top - top);
  move();
  requestAnimationFrame(move);
  element.focus({ preventScroll: true });
}

function save(link) {
  history.replaceState({ place: { y: scrollY, ...link } }, "");
}

let timer = null;
document.addEventListener("scroll", () => {
  clearTimeout(timer);
  timer = setTimeout(() => save({}), 150);
}, { passive: true });
