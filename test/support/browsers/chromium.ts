/** Tabs of Chromium, controlled through Bun.WebView: the program in BUN_CHROME_PATH, or chromium-headless-shell, or Chromium. */

import { PATIENCE_MS } from '../waitUntil.ts';
import { type Accessible, emptyPage, newVisit, type Size, type View, type Visit } from './view.ts';

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
  /^(?:Page\.(?:enable|reload|bringToFront)|Runtime\.evaluate|Input\.\w+|Network\.(?:\w*Cookies?|enable)|Accessibility\.getPartialAXTree)$/;

/** Parameters that undo other methods. A tab is not reused after a method that is in neither table. */
const UNDO: Readonly<Record<string, Record<string, unknown>>> = {
  'Emulation.setEmulatedMedia': { media: '', features: [] },
  'Network.setBlockedURLs': { urls: [] },
  'Emulation.setCPUThrottlingRate': { rate: 1 },
};

/** Time limit for leaving a page, longer than any page needs on a busy machine. After this time, the tab is closed. */
const LEAVING_MS = 20_000;

/** Opens a tab. All tabs of this process share one browser, which the first call starts. */
export async function openChromium(size: Size): Promise<View> {
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
  const navigate = await createNavigation(view);
  return {
    beginVisit() {
      visit = newVisit();
      return visit;
    },
    navigate,
    evaluate: <T>(expression: string) => view.evaluate(expression) as Promise<T>,
    click: (x, y) => view.click(x, y),
    press: (key) => view.press(key),
    ...emulationOf(undo.cdp),
    cdp: undo.cdp,
    activate: () => view.cdp('Page.bringToFront'),
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
      const leaving = leave(view, navigate, undo.undoAll).then(
        () => undo.isComplete(),
        () => false,
      );
      return Promise.race([leaving, Bun.sleep(LEAVING_MS).then(() => false)]);
    },
    close: () => view.close(),
  };
}

/** The controls that consist of calls of the DevTools protocol. */
function emulationOf(cdp: View['cdp']) {
  return {
    run: (source: string) => cdp<void>('Runtime.evaluate', { expression: source }),
    type: (text: string) => cdp<void>('Input.insertText', { text }),
    async preload(source: string) {
      await cdp('Page.enable');
      await cdp('Page.addScriptToEvaluateOnNewDocument', { source });
    },
    block: (parts: readonly string[]) =>
      cdp<void>('Network.setBlockedURLs', { urls: parts.map((part) => `*${part}*`) }),
    resize: (size: Size, isPhone = false) =>
      cdp<void>('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 2, mobile: isPhone }),
    setMedia: (features: readonly object[]) => cdp<void>('Emulation.setEmulatedMedia', { features }),
    setOffline: (offline: boolean) =>
      cdp<void>('Network.emulateNetworkConditions', {
        offline,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      }),
    clearCookies: () => cdp<void>('Network.clearBrowserCookies'),
    async cookieNames(urls: readonly string[]) {
      const { cookies } = await cdp<{ cookies: { name: string }[] }>('Network.getCookies', { urls });
      return cookies.map(({ name }) => name);
    },
    async accessible(expression: string): Promise<Accessible> {
      const { result } = await cdp<{ result: { objectId: string } }>('Runtime.evaluate', { expression });
      const { nodes } = await cdp<{ nodes: AxNode[] }>('Accessibility.getPartialAXTree', {
        objectId: result.objectId,
        fetchRelatives: false,
      });
      const [node] = nodes;
      if (node === undefined || node.ignored) return { role: '', name: '' };
      return { role: node.role?.value ?? '', name: node.name?.value ?? '' };
    },
  };
}

type AxNode = {
  readonly ignored: boolean;
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
};

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
async function leave(
  view: Bun.WebView,
  navigate: View['navigate'],
  undoAll: () => Promise<void>,
): Promise<void> {
  await undoAll();
  await view.evaluate('void sessionStorage.clear()');
  await navigate(emptyPage());
  await view.cdp('Page.resetNavigationHistory');
  await view.cdp('Input.dispatchMouseEvent', { type: 'mouseMoved', x: 0, y: 0 });
}

/**
 * Creates a function that opens a page and waits until it is loaded. `Bun.WebView.navigate` would also return when a page loads
 * that the tab is about to leave. The next call would then fail, because its page disappears.
 */
async function createNavigation(view: Bun.WebView): Promise<View['navigate']> {
  // The events may arrive before the answer that contains the ids.
  const events: Lifecycle[] = [];
  let onEvent = () => {};
  view.addEventListener<Lifecycle>('Page.lifecycleEvent', ({ data }) => {
    events.push(data);
    onEvent();
  });
  await view.cdp('Page.enable');
  await view.cdp('Page.setLifecycleEventsEnabled', { enabled: true });
  return async (url) => {
    events.length = 0;
    const answer = await view.cdp<Navigated>('Page.navigate', { url });
    if (answer.errorText !== undefined) throw new Error(answer.errorText);
    const deadline = performance.now() + PATIENCE_MS;
    while (!isLoaded(events, answer)) {
      if (performance.now() > deadline) throw new Error(`${url} is not loaded after ${PATIENCE_MS} ms`);
      const next = Promise.withResolvers<boolean>();
      onEvent = () => next.resolve(true);
      const hasEvent = await Promise.race([next.promise, Bun.sleep(2000).then(() => false)]);
      if (!hasEvent && (await isShown(view, answer))) return;
    }
  };
}

/** Asks the browser whether the page is loaded, in case an event was missed. */
async function isShown(view: Bun.WebView, { loaderId }: Navigated): Promise<boolean> {
  const { frameTree } = await view.cdp<{ frameTree: { frame: Lifecycle } }>('Page.getFrameTree');
  if (frameTree.frame.loaderId !== loaderId) return false;
  const state = { expression: "document.readyState === 'complete'" };
  const { result } = await view.cdp<{ result: { value: boolean } }>('Runtime.evaluate', state);
  return result.value;
}

/** Returns whether the page, or one to which its script has navigated, is loaded, or only the fragment of the URL differs. */
function isLoaded(events: readonly Lifecycle[], { frameId, loaderId }: Navigated): boolean {
  if (loaderId === undefined) return true;
  const ofPage = events.filter((event) => event.frameId === frameId);
  const first = ofPage.findIndex((event) => event.loaderId === loaderId);
  return first !== -1 && ofPage.slice(first).some(({ name }) => name === 'load');
}

/** Without `loaderId` if the document stays. */
type Navigated = { readonly frameId: string; readonly loaderId?: string; readonly errorText?: string };

type Lifecycle = { readonly frameId: string; readonly loaderId: string; readonly name: string };

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
