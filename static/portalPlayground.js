// Shows how long this browser took to solve the puzzle.

const output = document.getElementById('measured');

/**
 * Parses a payload: version, error, usedWasm, milliseconds (u32), and solutions of 8 bytes, which end with a counter of 4 bytes.
 * In a puzzle of version 2, the second byte is the kind of work: 1 is argon2id.
 */
function parse(payload) {
  const [first, second] = payload.split('.');
  const bytes = Uint8Array.from(atob(first), (unit) => unit.charCodeAt(0));
  const puzzle = atob(second);
  const view = new DataView(bytes.buffer);
  let attempts = 0;
  for (let at = 7; at < bytes.length; at += 8) attempts += view.getUint32(at + 4, true) + 1;
  const isArgon2id = puzzle.charCodeAt(0) === 2 && puzzle.charCodeAt(1) === 1;
  return { usesWasm: bytes[2] === 1, elapsed: view.getUint32(3, true), attempts, isArgon2id };
}

function fill(text, values) {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

document.addEventListener('postern:start', () => {
  output.hidden = false;
  output.textContent = output.dataset.solving;
});

document.addEventListener('postern:finish', ({ detail }) => {
  const { usesWasm, elapsed, attempts, isArgon2id } = parse(detail.solution);
  const perSecond = (1000 * attempts) / Math.max(elapsed, 1);
  const rate = (isArgon2id ? perSecond : perSecond / 1e6).toPrecision(2);
  const language = document.documentElement.lang;
  const text = isArgon2id ? 'argon2id' : usesWasm ? 'wasm' : 'script';
  output.textContent = fill(output.dataset[text], {
    elapsed: elapsed.toLocaleString(language),
    attempts: attempts.toLocaleString(language),
    rate: Number(rate).toLocaleString(language),
  });
});

document.addEventListener('postern:error', ({ detail }) => {
  output.textContent = fill(output.dataset.failed, { reason: detail.reason });
});
