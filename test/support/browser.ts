/**
 * A real Chromium, driven through Bun.WebView. The browser is found in the usual places, or where
 * BUN_CHROME_PATH points; one process serves a whole test run.
 */

import { PATIENCE_MS } from './patience.ts';

/** One tab. */
export type Tab = {
  goto(url: string): Promise<void>;
  /** The value of an expression in the page; promises are awaited. */
  evaluate<T>(expression: string): Promise<T>;
  /** Resolves once the expression is truthy; looks at every frame. */
  until(expression: string): Promise<void>;
  /** A trusted click in the middle of what the expression evaluates to, an element. */
  click(expression: string): Promise<void>;
  /** A trusted key, as in `Tab`, `Enter`, `Space`. */
  press(key: string): Promise<void>;
  /** All requests since the tab was opened, preflights left out. */
  readonly requests: readonly SentRequest[];
  /** Lines that the page wrote to its console. */
  readonly consoleLines: readonly string[];
  cdp<T>(method: string, parameters?: Record<string, unknown>): Promise<T>;
  /** A PNG of the tab. */
  screenshot(): Promise<Blob>;
  /** @throws where the page left an error uncaught: no test passes over one */
  close(): void;
};

/** `headers` are what left the browser, cookies included. */
type SentRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

const SWITCHES = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Opens an empty tab; the browser starts with the first. */
export async function openTab(
  size: { width: number; height: number } = { width: 800, height: 600 },
): Promise<Tab> {
  const consoleLines: string[] = [];
  const view = new Bun.WebView({
    ...size,
    backend: { type: 'chrome', url: false, argv: SWITCHES },
    console: (type, ...parts) => void consoleLines.push([type, ...parts].join(' ')),
  });
  await view.navigate('about:blank');
  const requests = await watchRequests(view);
  const uncaught = await watchErrors(view);
  const evaluate = <T>(expression: string) => view.evaluate(expression) as Promise<T>;
  return {
    goto: (url) => view.navigate(url),
    evaluate,
    async until(expression) {
      for (let isSo: boolean | undefined; isSo !== false; ) {
        isSo = await evaluate<boolean>(waiting(expression)).catch(whereNavigated);
        if (isSo) return;
      }
      throw new Error(`still false after ${PATIENCE_MS} ms: ${expression}\n${consoleLines.join('\n')}`);
    },
    async click(expression) {
      const middle = await evaluate<{ x: number; y: number }>(middleOf(expression));
      await view.click(middle.x, middle.y);
    },
    press: (key) => view.press(key),
    requests,
    consoleLines,
    cdp: (method, parameters) => view.cdp(method, parameters),
    screenshot: async () => (await view.screenshot()) as Blob,
    close() {
      view.close();
      if (uncaught.length > 0) throw new Error(`uncaught in the page: ${uncaught.join('\n')}`);
    },
  };
}

async function watchRequests(view: Bun.WebView): Promise<SentRequest[]> {
  const requests: SentRequest[] = [];
  const headersById = new Map<string, Record<string, string>>();
  // The two events of a request come in any order.
  const headersOf = (id: string) => {
    const headers = headersById.get(id) ?? {};
    headersById.set(id, headers);
    return headers;
  };
  view.addEventListener<Sent>('Network.requestWillBeSent', ({ data: { requestId, request } }) => {
    if (request && request.method !== 'OPTIONS')
      requests.push({ url: request.url, headers: headersOf(requestId) });
  });
  view.addEventListener<Sent>('Network.requestWillBeSentExtraInfo', ({ data: { requestId, headers } }) => {
    Object.assign(headersOf(requestId), headers);
  });
  await view.cdp('Network.enable');
  return requests;
}

async function watchErrors(view: Bun.WebView): Promise<string[]> {
  const uncaught: string[] = [];
  view.addEventListener<Thrown>('Runtime.exceptionThrown', ({ data: { exceptionDetails } }) => {
    uncaught.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
  });
  await view.cdp('Runtime.enable');
  return uncaught;
}

type Thrown = {
  readonly exceptionDetails: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
};

type Sent = {
  readonly requestId: string;
  readonly request?: { readonly url: string; readonly method: string };
  readonly headers?: Readonly<Record<string, string>>;
};

/** A page that goes away takes the look at it along; then the next page is looked at. */
function whereNavigated(cause: unknown): undefined {
  if (String(cause).includes('navigated')) return undefined;
  throw cause;
}

/** A page's clock may be turned by its test, so patience is counted in frames of about 16 ms. */
function waiting(expression: string): string {
  return `new Promise((resolve) => {
    let frames = ${PATIENCE_MS / 16};
    const look = () => {
      if (${expression}) resolve(true);
      else if (frames-- < 0) resolve(false);
      else requestAnimationFrame(look);
    };
    look();
  })`;
}

function middleOf(expression: string): string {
  return `((element) => {
    element.scrollIntoView({ block: 'nearest' });
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  })(${expression})`;
}
