/** Tabs that tests reuse. Opening a tab takes half a second of CPU time, and resetting one much less. */

export type Size = { readonly width: number; readonly height: number };

/** `headers` are the sent ones, including cookies. */
export type SentRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Events of a tab during one test. */
export type Visit = {
  /** All requests, without preflights. */
  readonly requests: SentRequest[];
  /** Errors that the page did not catch. */
  readonly uncaught: string[];
  readonly consoleLines: string[];
};

/** A tab of Chromium, which several tests use in sequence. */
export type View = {
  /** Collects requests, errors, and console lines in a new visit from now on. */
  readonly beginVisit: () => Visit;
  readonly navigate: (url: string) => Promise<void>;
  readonly evaluate: <T>(expression: string) => Promise<T>;
  readonly click: (x: number, y: number) => Promise<void>;
  readonly press: (key: string) => Promise<void>;
  readonly cdp: <T>(method: string, parameters?: Record<string, unknown>) => Promise<T>;
  readonly screenshot: () => Promise<Blob>;
  /** Sends the requests for an origin to another one, as an entry in the DNS would; pages cannot see it. */
  readonly redirect: (from: string, to: string) => Promise<void>;
  readonly size: Size;
  /** Undoes the changes of a test and leaves its page. @returns false if the tab cannot be reused */
  readonly empty: () => Promise<boolean>;
  readonly close: () => void;
};

const SWITCHES = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @returns the headless shell, which takes half of the CPU time; undefined for the usual locations of the complete browser */
const browserPath = () => process.env.BUN_CHROME_PATH ?? Bun.which('chromium-headless-shell') ?? undefined;

/** Methods of the DevTools protocol whose effect ends with the page or applies to the whole browser. */
const HARMLESS =
  /^(?:Page\.(?:enable|reload|bringToFront)|Runtime\.evaluate|Input\.\w+|Network\.(?:\w*Cookies?|enable))$/;

/** Parameters that undo other methods. A tab is not reused after a method that is in neither table. */
const UNDO: Readonly<Record<string, Record<string, unknown>>> = {
  'Emulation.setEmulatedMedia': { media: '', features: [] },
  'Network.setBlockedURLs': { urls: [] },
};

/** Time limit for leaving a page, longer than any page needs on a busy machine. After this time, the tab is closed. */
const LEAVING_MS = 20_000;

/** Tabs for the next tests, one of each size. Some are still being reset. */
const idle = new Map<string, Promise<View | undefined>>();
const keyOf = ({ width, height }: Size) => `${width}x${height}`;

/** Returns an empty tab. */
export async function acquireView(size: Size): Promise<View> {
  const reused = idle.get(keyOf(size));
  idle.delete(keyOf(size));
  const view = (await reused) ?? (await openView(size));
  await view.cdp('Page.bringToFront');
  return view;
}

/** Keeps a tab for the next test, or closes it. */
export function releaseView(view: View): void {
  const key = keyOf(view.size);
  if (idle.has(key)) {
    view.close();
    return;
  }
  idle.set(
    key,
    view.empty().then((isUsable) => {
      if (isUsable) return view;
      view.close();
      return undefined;
    }),
  );
}

async function openView(size: Size): Promise<View> {
  let visit: Visit = newVisit();
  const path = browserPath();
  const view = new Bun.WebView({
    ...size,
    backend: { type: 'chrome', url: false, argv: SWITCHES, ...(path !== undefined && { path }) },
    console: (type, ...parts) => void visit.consoleLines.push([type, ...parts].join(' ')),
  });
  await view.navigate('about:blank');
  await watch(view, () => visit);
  const undo = createUndo(view);
  return {
    beginVisit() {
      visit = newVisit();
      return visit;
    },
    navigate: (url) => view.navigate(url),
    evaluate: <T>(expression: string) => view.evaluate(expression) as Promise<T>,
    click: (x, y) => view.click(x, y),
    press: (key) => view.press(key),
    cdp: undo.cdp,
    screenshot: async () => (await view.screenshot()) as Blob,
    async redirect(from, to) {
      // Requests pause at the same time, but a view rejects a call while another one is pending.
      let queue: Promise<unknown> = Promise.resolve();
      view.addEventListener<Paused>('Fetch.requestPaused', ({ data: { requestId, request } }) => {
        const url = request.url.replace(from, to);
        queue = queue.then(() => view.cdp('Fetch.continueRequest', { requestId, url })).catch(() => {});
      });
      await undo.cdp('Fetch.enable', { patterns: [{ urlPattern: `${from}/*` }] });
    },
    size,
    async empty() {
      const leaving = leave(view, undo.undoAll).then(
        () => undo.isComplete(),
        () => false,
      );
      return Promise.race([leaving, Bun.sleep(LEAVING_MS).then(() => false)]);
    },
    close: () => view.close(),
  };
}

const newVisit = (): Visit => ({ requests: [], uncaught: [], consoleLines: [] });

/** Records what a test changes with the DevTools protocol. */
function createUndo(view: Bun.WebView) {
  const scripts = new Set<string>();
  const changed = new Set<string>();
  return {
    async cdp<T>(method: string, parameters?: Record<string, unknown>): Promise<T> {
      const isScript = method === 'Page.addScriptToEvaluateOnNewDocument';
      if (!isScript && !HARMLESS.test(method)) changed.add(method);
      const answer = await view.cdp<T>(method, parameters);
      if (isScript) scripts.add((answer as { identifier: string }).identifier);
      return answer;
    },
    async undoAll(): Promise<void> {
      for (const identifier of scripts)
        await view.cdp('Page.removeScriptToEvaluateOnNewDocument', { identifier });
      scripts.clear();
      for (const method of changed) {
        const parameters = UNDO[method];
        if (parameters === undefined) continue;
        await view.cdp(method, parameters);
        changed.delete(method);
      }
    },
    isComplete: () => changed.size === 0,
  };
}

/** Navigates to an empty page of the same host. Unlike `about:blank`, it does not start a new process. */
async function leave(view: Bun.WebView, undoAll: () => Promise<void>): Promise<void> {
  await undoAll();
  await view.evaluate('void sessionStorage.clear()');
  const url = emptyPage();
  await view.navigate(url);
  // `navigate` may still wait for the previous page.
  const isThere = `location.href === '${url}' && document.readyState === 'complete'`;
  while (!(await view.evaluate(isThere))) await Bun.sleep(5);
  await view.cdp('Page.resetNavigationHistory');
  await view.cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 0, y: 0 });
}

let emptyPages: ReturnType<typeof Bun.serve> | undefined;

/** Returns the URL of an empty page on `localhost`, the host of most tests. */
function emptyPage(): string {
  emptyPages ??= Bun.serve({
    port: 0,
    fetch: () => new Response('<title>empty</title>', { headers: { 'content-type': 'text/html' } }),
  });
  emptyPages.unref();
  return `http://localhost:${emptyPages.port}/`;
}

async function watch(view: Bun.WebView, visit: () => Visit): Promise<void> {
  const headersById = new Map<string, Record<string, string>>();
  // The two events of a request arrive in any order.
  const headersOf = (id: string) => {
    const headers = headersById.get(id) ?? {};
    headersById.set(id, headers);
    return headers;
  };
  view.addEventListener<Sent>('Network.requestWillBeSent', ({ data: { requestId, request } }) => {
    if (request && request.method !== 'OPTIONS')
      visit().requests.push({ url: request.url, headers: headersOf(requestId) });
  });
  view.addEventListener<Sent>('Network.requestWillBeSentExtraInfo', ({ data: { requestId, headers } }) => {
    Object.assign(headersOf(requestId), headers);
  });
  view.addEventListener<Thrown>('Runtime.exceptionThrown', ({ data: { exceptionDetails } }) => {
    visit().uncaught.push(exceptionDetails.exception?.description ?? exceptionDetails.text);
  });
  await view.cdp('Network.enable');
  await view.cdp('Runtime.enable');
}

type Thrown = {
  readonly exceptionDetails: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
};

type Paused = { readonly requestId: string; readonly request: { readonly url: string } };

type Sent = {
  readonly requestId: string;
  readonly request?: { readonly url: string; readonly method: string };
  readonly headers?: Readonly<Record<string, string>>;
};
