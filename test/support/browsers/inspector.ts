/** WebKit's inspector protocol: commands for the page inside commands for the browser, and the events of the page. */
import { createCommands, type Event, openSocket } from './commands.ts';
import { newVisit, type Visit } from './view.ts';

export type Inspector = {
  readonly send: <T>(method: string, params?: object) => Promise<T>;
  /** Starts to evaluate an expression whose value is a promise of a text. @returns the id of the promise */
  readonly begin: (expression: string) => Promise<string>;
  /** Waits for a promise. @throws if it is rejected, or if the page is left */
  readonly finish: (objectId: string) => Promise<string | undefined>;
  /** Evaluates an expression whose value is a text, or a promise of one. */
  readonly evaluate: (expression: string) => Promise<string | undefined>;
  /** Opens a page, and waits until it is loaded. */
  readonly navigate: (url: string) => Promise<void>;
  /** Sets the script that runs on the next pages before their own scripts; empty for none. */
  readonly setBootstrap: (source: string) => Promise<void>;
  /** Names the visit that collects the events. */
  readonly setVisit: (current: () => Visit) => void;
};

const DOMAINS = ['Page', 'Runtime', 'Console', 'Network'];

export async function openInspector(url: string): Promise<Inspector> {
  let target = '';
  let visit: () => Visit = newVisit;
  let loaded = Promise.withResolvers<void>();
  let destination = '';
  let hasNewDocument = false;
  let bootstrap = '';
  const ready = Promise.withResolvers<void>();

  const browser = await openSocket(url, ({ method, params }) => {
    const { targetInfo, newTargetId, message } = params as TargetEvent;
    if (method === 'Target.targetCreated' && targetInfo?.type === 'page') enable(targetInfo);
    if (method === 'Target.didCommitProvisionalTarget' && newTargetId !== undefined) target = newTargetId;
    if (method === 'Target.dispatchMessageFromTarget' && message !== undefined) page.receive(message);
  });
  const toTarget = (targetId: string, message: string) =>
    void browser.send('Target.sendMessageToTarget', { targetId, message }).catch(() => {});
  const page = createCommands((text) => toTarget(target, text), onEvent);
  const { send } = page;

  function enable({ targetId, isPaused = false }: TargetInfo): void {
    if (target === '') target = targetId;
    const tell = (method: string, params = {}) =>
      toTarget(targetId, JSON.stringify({ id: 0, method, params }));
    for (const domain of DOMAINS) tell(`${domain}.enable`);
    tell('Page.setBootstrapScript', { source: bootstrap });
    if (isPaused) void browser.send('Target.resume', { targetId }).catch(() => {});
    ready.resolve();
  }

  function onEvent({ method, params }: Event): void {
    if (method === 'Page.frameNavigated' && (params as FrameNavigated).frame.parentId === undefined) {
      page.rejectAll('navigated');
      // A page that the tab is about to leave may still navigate, for example because its form is sent.
      hasNewDocument ||= (params as FrameNavigated).frame.url === destination;
    } else if (method === 'Page.loadEventFired' && hasNewDocument) loaded.resolve();
    else if (method === 'Console.messageAdded') addMessage((params as MessageAdded).message, visit());
    else if (method === 'Network.requestWillBeSent') {
      const { url: sentTo, headers, method: verb } = (params as RequestWillBeSent).request;
      if (verb !== 'OPTIONS') visit().requests.push({ url: sentTo, headers });
    } else if (method === 'Network.requestIntercepted') {
      const { requestId } = params as { requestId: string };
      void send('Network.interceptRequestWithError', { requestId, errorType: 'General' }).catch(() => {});
    }
  }

  async function start(expression: string): Promise<Evaluated['result']> {
    const { result, wasThrown } = await send<Evaluated>('Runtime.evaluate', { expression });
    if (wasThrown) throw new Error(result.description ?? String(result.value));
    return result;
  }

  async function finish(promiseObjectId: string): Promise<string | undefined> {
    const { result, wasThrown } = await send<Evaluated>('Runtime.awaitPromise', {
      promiseObjectId,
      returnByValue: true,
    });
    if (wasThrown) throw new Error(result.description ?? String(result.value));
    return result.value;
  }

  await ready.promise;
  // Another host gets another process. Without a pause, its page may be loaded before its events are enabled.
  await browser.send('Target.setPauseOnStart', { pauseOnStart: true });
  return {
    send,
    begin: async (expression) => (await start(expression)).objectId ?? '',
    finish,
    async evaluate(expression) {
      const { objectId, value } = await start(expression);
      return objectId === undefined ? value : finish(objectId);
    },
    async navigate(to) {
      loaded = Promise.withResolvers();
      hasNewDocument = false;
      destination = new URL(to).href.replace(/#.*/, '');
      // The command may be answered by the page that is left.
      await send('Page.navigate', { url: to }).catch(() => {});
      await loaded.promise;
    },
    async setBootstrap(source) {
      bootstrap = source;
      await send('Page.setBootstrapScript', { source });
    },
    setVisit: (current) => {
      visit = current;
    },
  };
}

/** The browser reports a blocked request like an exception, even if the page catches the error. */
const BLOCKED = /(?:due to access control checks|by Cross-Origin Resource Sharing policy)\.$/;

/** Adds a call of a method of `console`, or an error that the page did not catch. */
function addMessage({ source, level, text, parameters = [] }: ConsoleMessage, visit: Visit): void {
  if (source === 'console-api') {
    const parts = parameters.map(({ value, description }) => value ?? description);
    visit.consoleLines.push([level, ...(parts.length > 0 ? parts : [text])].join(' '));
  } else if (source === 'javascript' && level === 'error' && !BLOCKED.test(text)) visit.uncaught.push(text);
}

type TargetInfo = { readonly targetId: string; readonly type: string; readonly isPaused?: boolean };

type TargetEvent = {
  readonly targetInfo?: TargetInfo;
  readonly newTargetId?: string;
  readonly message?: string;
};

/** `url` has no fragment. */
type FrameNavigated = { readonly frame: { readonly parentId?: string; readonly url: string } };

type Evaluated = {
  readonly result: {
    readonly objectId?: string;
    readonly value?: string;
    readonly description?: string;
  };
  readonly wasThrown?: boolean;
};

type ConsoleMessage = {
  readonly source: string;
  readonly level: string;
  readonly text: string;
  readonly parameters?: readonly { readonly value?: unknown; readonly description?: string }[];
};
type MessageAdded = { readonly message: ConsoleMessage };

type RequestWillBeSent = {
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
  };
};
