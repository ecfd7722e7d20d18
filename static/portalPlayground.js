// Shows how long this browser took to solve the puzzle.

const output = document.getElementById('measured');

/** Parses a payload: version, error, usedWasm, milliseconds (u32), and 16 solutions of 8 bytes, which end with a counter of 4 bytes. */
function parse(payload) {
  const bytes = Uint8Array.from(atob(payload.split('.')[0]), (unit) => unit.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  let attempts = 0;
  for (let at = 7; at < bytes.length; at += 8) attempts += view.getUint32(at + 4, true) + 1;
  return { usesWasm: bytes[2] === 1, elapsed: view.getUint32(3, true), attempts };
}

function fill(text, values) {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
}

document.addEventListener('postern:start', () => {
  output.hidden = false;
  output.textContent = output.dataset.solving;
});

document.addEventListener('postern:finish', ({ detail }) => {
  const { usesWasm, elapsed, attempts } = parse(detail.solution);
  const rate = (attempts / Math.max(elapsed, 1) / 1000).toPrecision(2);
  const language = document.documentElement.lang;
  output.textContent = fill(usesWasm ? output.dataset.wasm : output.dataset.script, {
    elapsed: elapsed.toLocaleString(language),
    attempts: attempts.toLocaleString(language),
    rate: Number(rate).toLocaleString(language),
  });
});

document.addEventListener('postern:error', ({ detail }) => {
  output.textContent = fill(output.dataset.failed, { reason: detail.reason });
});
