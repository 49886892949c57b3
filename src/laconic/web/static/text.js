// Format numbers and names for display.

/** Mark of a topic that is often the signature of one author. */
export const FEW_DOCUMENTS = "shared by few documents";

/** What the stability of a topic means. */
export const STABILITY = "How well refits to resampled documents find the topic again, from 0 to 1.";

/** Format a stability: "stability 0.91". */
export function stabilityText(value) {
  return `stability ${value.toFixed(2)}`;
}

const integerFormat = new Intl.NumberFormat("en");

/** Format 13162 as "13,162". */
export function count(number) {
  return integerFormat.format(number);
}

/** Return a number with its noun: "1 topic", "12 topics". */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Format a share as a percentage with two significant digits: "4.3 %", "0.02 %", "31 %". */
export function percent(share) {
  const value = 100 * share;
  const size = Math.abs(value);
  if (size === 0) return "0 %";
  if (size < 0.01) return `${value < 0 ? "−" : ""}< 0.01 %`;
  const digits = size < 0.1 ? 2 : size < 9.95 ? 1 : 0;
  return `${value.toFixed(digits).replace("-", "−")} %`;
}

/** Format a number with three significant digits and a typographic minus sign. */
export function decimal(number) {
  const size = Math.abs(number);
  const isExtreme = size !== 0 && (size < 0.001 || size >= 1000);
  return (isExtreme ? number.toExponential(1) : number.toPrecision(3)).replace(/-/g, "−");
}

/** Return the name of a topic that a user gave to it, or else its automatic name, if it has one. */
export function givenName(topic) {
  return topic.name || topic.automatic;
}

/** Return the display name of a topic: its given name, or else its first three words. */
export function topicName(topic) {
  return givenName(topic) || firstWords(topic).join(", ") || `topic ${topic.topic}`;
}

/** Return the first words of a topic; words with a positive weight come first. The words may be given without weights. */
export function firstWords(topic, n = 3) {
  const pairs = (topic.called ?? topic.words).map((word) => (Array.isArray(word) ? word : [word, 1]));
  const positive = pairs.filter(([, weight]) => weight > 0);
  return (positive.length ? positive : pairs).slice(0, n).map(([word]) => word);
}

/** Return the display name of a document: its title or else its id; the id 12 becomes "Document 12". */
export function documentName({ title, id, document }) {
  if (title) return title;
  return /^\d*$/.test(id ?? "") ? `Document ${id || document}` : id;
}
