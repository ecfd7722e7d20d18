/** A page with the widget of a product, and how a visitor uses it. */
export type Page = {
  readonly html: string;
  /** Files on the disk that the server of the page serves, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Expression for the element to click; falsy until the widget is ready. */
  readonly button: string;
  /** Paths of requests that exchange challenges and solutions; all other requests are downloads. */
  readonly api: readonly string[];
};

/**
 * `solved` resolves to the milliseconds from pressing the mouse button until the page has the token, or to null if the widget
 * reports an error.
 */
const WATCH = `
  let startedAt;
  document.addEventListener('pointerdown', (event) => { startedAt ??= event.timeStamp; }, true);
  window.solved = new Promise((resolve) => {
    window.finish = (token) => { if (token) resolve(performance.now() - startedAt); };
    window.giveUp = () => resolve(null);
  });`;

function htmlOf(head: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>compare</title>
<link rel="icon" href="data:,"><script>${WATCH}</script>
${head}<form>${body}<button>Send</button></form></html>`;
}

/** @param url of Postern */
export function posternPage(url: string, sitekey: string): Page {
  const root = "document.querySelector('.postern-captcha > div')?.shadowRoot";
  return {
    html: htmlOf(
      `<script>document.addEventListener('postern:finish', ({ detail }) => finish(detail.solution));
document.addEventListener('postern:error', giveUp);</script>
<script src="${url}/widget/postern.js" defer></script>`,
      `<div class="postern-captcha" data-sitekey="${sitekey}"></div>`,
    ),
    files: {},
    button: `${root}?.querySelector('.box')?.dataset.state === 'idle' && ${root}.querySelector('button')`,
    api: ['/puzzle'],
  };
}

/** @param url of the server with the routes `challenge` and `redeem` @param file returns the path of a file of a package */
export function capPage(url: string, file: (path: string) => string): Page {
  return {
    html: htmlOf(
      `<script>window.CAP_CUSTOM_WASM_URL = '/cap_wasm_bg.wasm';
document.addEventListener('solve', ({ detail }) => finish(detail.token), true);
document.addEventListener('error', giveUp, true);</script>
<script src="/widget.js" defer></script>`,
      `<cap-widget data-cap-api-endpoint="${url}/"></cap-widget>`,
    ),
    files: {
      '/widget.js': file('@cap.js/widget/cap.min.js'),
      '/cap_wasm_bg.wasm': file('@cap.js/wasm/browser/cap_wasm_bg.wasm'),
    },
    button: "document.querySelector('cap-widget')?.shadowRoot?.querySelector('.checkbox')",
    api: ['/challenge', '/redeem'],
  };
}

/** @param url of the server with the route `challenge` @param file returns the path of a file of a package */
export function altchaPage(url: string, file: (path: string) => string): Page {
  return {
    html: htmlOf(
      `<script>document.addEventListener('statechange', ({ detail }) => {
  if (detail.state === 'verified') finish(detail.payload);
  if (detail.state === 'error') giveUp();
}, true);</script>
<script src="/altcha.js" type="module" async defer></script>`,
      `<altcha-widget challenge="${url}/challenge"></altcha-widget>`,
    ),
    files: { '/altcha.js': file('altcha/dist/main/altcha.min.js') },
    button: "document.querySelector('altcha-widget input[type=checkbox]')",
    api: ['/challenge'],
  };
}
