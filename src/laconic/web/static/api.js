// What the server answers, as parsed JSON; answers are remembered, so that going back is instant.

const REMEMBERED = 200;
const memory = new Map();

/** The answer to a GET; an error carries the server's own sentence and its status. */
export function get(path, params) {
  const address = path + asQuery(params);
  const known = memory.get(address);
  if (known) return known;
  const answer = ask(address);
  remember(address, answer);
  answer.catch(() => memory.delete(address));
  return answer;
}

/** Send changes; whatever was remembered may have changed with them. */
export async function put(path, body) {
  const answer = await ask(path, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  memory.clear();
  return answer;
}

function remember(address, answer) {
  memory.set(address, answer);
  if (memory.size > REMEMBERED) memory.delete(memory.keys().next().value);
}

function asQuery(params) {
  const given = Object.entries(params ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

async function ask(address, options) {
  const response = await reach(address, options);
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const error = new Error(body?.error ?? `The server answered ${response.status} to ${address}.`);
  error.status = response.status;
  throw error;
}

async function reach(address, options) {
  try {
    return await fetch(address, options);
  } catch {
    throw new Error("The server does not answer. Start laconic explore again, then reload this page.");
  }
}
