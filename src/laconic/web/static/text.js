// Numbers and names as a person reads them.

const whole = new Intl.NumberFormat("en");

/** 13162 as "13,162". */
export function count(number) {
  return whole.format(number);
}

/** "1 topic", "12 topics". */
export function counted(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** A share as per cent with two digits that say something: "4.3 %", "0.02 %", "31 %". */
export function percent(share) {
  const value = 100 * share;
  const size = Math.abs(value);
  if (size === 0) return "0 %";
  if (size < 0.01) return `${value < 0 ? "−" : ""}< 0.01 %`;
  const digits = size < 0.1 ? 2 : size < 9.95 ? 1 : 0;
  return `${value.toFixed(digits).replace("-", "−")} %`;
}

/** A number with three digits that say something and a true minus sign. */
export function decimal(number) {
  const size = Math.abs(number);
  const far = size !== 0 && (size < 0.001 || size >= 1000);
  return (far ? number.toExponential(1) : number.toPrecision(3)).replace(/-/g, "−");
}

/** What a topic is called: the name it was given, else its first three words. */
export function topicName(topic) {
  return topic.name || firstWords(topic).join(", ") || `topic ${topic.topic}`;
}

/** The first words of a topic, as it is called or as they come, with weights or without; negative ones last. */
export function firstWords(topic, n = 3) {
  const pairs = (topic.called ?? topic.words).map((word) => (Array.isArray(word) ? word : [word, 1]));
  const speaking = pairs.filter(([, weight]) => weight > 0);
  return (speaking.length ? speaking : pairs).slice(0, n).map(([word]) => word);
}

/** What a document is called: its title, else its id; a bare number says that it is a document. */
export function documentName({ title, id, document }) {
  if (title) return title;
  return /^\d*$/.test(id ?? "") ? `Document ${id || document}` : id;
}
