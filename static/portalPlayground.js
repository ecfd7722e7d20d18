// Shows how long this browser took to solve the puzzle.

const output = document.getElementById('measured');

/** The kinds of work by their number in a puzzle. */
const KINDS = ['BLAKE2b', 'argon2id', 'HashWX'];
/** The number of nonces of a block of HashWX. */
const NONCES = 65_536;

/**
 * Parses a payload: version, error, usedWasm, milliseconds (u32), and solutions of 8 bytes, which end with a counter of 4 bytes. For
 * HashWX, they end with a nonce of 2 bytes and a block of 4 bytes.
 * In a puzzle of version 2 or later, the second byte is the kind of work.
 */
function parse(payload) {
  const [first, second] = payload.split('.');
  const bytes = Uint8Array.from(atob(first), (unit) => unit.charCodeAt(0));
  const puzzle = atob(second);
  const view = new DataView(bytes.buffer);
  const kind = KINDS[puzzle.charCodeAt(0) === 1 ? 0 : puzzle.charCodeAt(1)];
  let attempts = 0;
  for (let at = 7; at < bytes.length; at += 8) {
    const last = view.getUint32(at + 4, true);
    attempts += 1 + (kind === 'HashWX' ? last * NONCES + view.getUint16(at + 2, true) : last);
  }
  return { usesWasm: bytes[2] === 1, elapsed: view.getUint32(3, true), attempts, kind };
}

function fill(text, values) {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

document.addEventListener('postern:start', () => {
  output.hidden = false;
  output.textContent = output.dataset.solving;
});

document.addEventListener('postern:finish', ({ detail }) => {
  const { usesWasm, elapsed, attempts, kind } = parse(detail.solution);
  const isBlake2b = kind === 'BLAKE2b';
  const perSecond = (1000 * attempts) / Math.max(elapsed, 1);
  const rate = (isBlake2b ? perSecond / 1e6 : perSecond).toPrecision(2);
  const language = document.documentElement.lang;
  const text = !isBlake2b ? 'hashes' : usesWasm ? 'wasm' : 'script';
  output.textContent = fill(output.dataset[text], {
    elapsed: elapsed.toLocaleString(language),
    attempts: attempts.toLocaleString(language),
    rate: Number(rate).toLocaleString(language),
    kind,
  });
});

document.addEventListener('postern:error', ({ detail }) => {
  output.textContent = fill(output.dataset.failed, { reason: detail.reason });
});
