/** Tabs of a headless Firefox, controlled through WebDriver BiDi. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../waitUntil.ts';
import { type Commands, type Event, openSocket } from './commands.ts';
import { type Marionette, openMarionette } from './marionette.ts';
import { findInOutput, type Program, startProgram } from './programs.ts';
import {
  type Accessible,
  asJson,
  createUnsupported,
  type MediaFeature,
  newVisit,
  type Size,
  type View,
} from './view.ts';

type Firefox = {
  readonly bidi: Commands;
  readonly marionette: Marionette;
  /** Receives the events of a tab. */
  readonly listeners: Map<string, (event: Event) => void>;
};

/** Without the back/forward cache, an evaluation whose page is left fails; otherwise, it waits until the visitor returns. */
const PREFERENCES = `user_pref("marionette.port", 0);
user_pref("browser.sessionhistory.max_total_viewers", 0);
`;

let started: Promise<Firefox> | undefined;

async function startFirefox(): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'postern-firefox-'));
  process.once('exit', () => rmSync(profile, { recursive: true, force: true }));
  writeFileSync(join(profile, 'user.js'), PREFERENCES);
  const options = ['--headless', '--no-remote', '--profile', profile, '--marionette'];
  const browser = startProgram(
    ['firefox-esr', ...options, '--remote-debugging-port=0', '--remote-allow-system-access'],
    { HOME: profile },
  );
  forgetWhenEnded(browser);
  void findInOutput(browser.stdout, /(?!)/).catch(() => {});
  await findInOutput(browser.stderr, /(WebDriver BiDi) listening/);
  const portFile = join(profile, 'MarionetteActivePort');
  await waitUntil('the port of Marionette', () => existsSync(portFile) && statSync(portFile).size > 0);
  const marionette = await openMarionette(Number(readFileSync(portFile, 'utf8')));
  const { capabilities } = await marionette.call<{ capabilities: { webSocketUrl: string } }>(
    'WebDriver:NewSession',
    { webSocketUrl: true },
  );
  const listeners: Firefox['listeners'] = new Map();
  const bidi = await openSocket(capabilities.webSocketUrl, (event) => {
    const { context, source } = event.params as { context?: string; source?: { context?: string } };
    // Events of frames have their own context.
    const listener = listeners.get(context ?? source?.context ?? '');
    for (const one of listener === undefined ? listeners.values() : [listener]) one(event);
  });
  await bidi.send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent'] });
  return { bidi, marionette, listeners };
}

/** Bun ends all programs that a test has used when the test times out. */
function forgetWhenEnded(browser: Program): void {
  void browser.exited.then(() => {
    started = undefined;
  });
}

/** Opens a tab. All tabs of this process share one browser, which the first call starts. */
export async function openFirefox(size: Size): Promise<View> {
  started ??= startFirefox();
  const { bidi, marionette, listeners } = await started;
  const { context } = await bidi.send<{ context: string }>('browsingContext.create', { type: 'tab' });
  const resize = (viewport: Size) =>
    bidi.send<void>('browsingContext.setViewport', { context, viewport: { ...viewport } });
  const interception = createInterception(bidi, context);
  const media = createMedia(marionette);
  let visit = newVisit();
  listeners.set(context, ({ method, params }) => {
    if (method === 'log.entryAdded') addEntry(params as Entry, visit);
    else if (method === 'network.beforeRequestSent') {
      const sent = params as BeforeRequestSent;
      if (sent.request.method !== 'OPTIONS') visit.requests.push(requestOf(sent));
      if (sent.isBlocked) interception.decide(sent);
    }
  });
  await resize(size);
  const unsupported = createUnsupported('Firefox');
  return {
    beginVisit() {
      visit = newVisit();
      return visit;
    },
    navigate: (url) => bidi.send('browsingContext.navigate', { context, url, wait: 'complete' }),
    ...createScripts(bidi, context),
    ...createInput(bidi, context),
    block: interception.block,
    redirect: interception.redirect,
    resize,
    setMedia: media.set,
    setOffline: (isOffline) =>
      bidi.send('emulation.setNetworkConditions', {
        networkConditions: isOffline ? { type: 'offline' } : null,
        contexts: [context],
      }),
    clearCookies: () => bidi.send('storage.deleteCookies'),
    async cookieNames(urls) {
      const { cookies } = await bidi.send<{ cookies: Cookie[] }>('storage.getCookies');
      const hosts = urls.map((url) => new URL(url).hostname);
      return cookies.filter(({ domain }) => hosts.includes(domain)).map(({ name }) => name);
    },
    accessible: (expression) => accessibleOf(marionette, context, expression),
    cdp: unsupported,
    screenshot: unsupported,
    size,
    activate: () => bidi.send('browsingContext.activate', { context }),
    async empty() {
      await media.reset();
      return false;
    },
    close() {
      listeners.delete(context);
      bidi.send('browsingContext.close', { context }).catch(() => {});
    },
  };
}

function createScripts(bidi: Commands, context: string) {
  async function evaluateText(expression: string): Promise<string | undefined> {
    const target = { context };
    const sent = bidi.send<Evaluated>('script.evaluate', { expression, target, awaitPromise: true });
    const result = await sent.catch((cause) => {
      // The error of an evaluation whose page was left.
      throw new Error(/destroyed|discarded|no such frame/i.test(String(cause)) ? 'navigated' : String(cause));
    });
    if (result.type === 'exception') throw new Error(result.exceptionDetails.text);
    return result.result.value;
  }
  return {
    async evaluate<T>(expression: string) {
      const text = await evaluateText(asJson(expression));
      return (text === undefined ? undefined : JSON.parse(text)) as T;
    },
    async run(source: string) {
      await evaluateText(source);
    },
    preload: (source: string) =>
      bidi.send<void>('script.addPreloadScript', {
        functionDeclaration: `() => { ${source}\n }`,
        contexts: [context],
      }),
  };
}

/** The code points of keys in WebDriver. */
const KEYS: Readonly<Record<string, string>> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Escape: '\uE00C',
  ArrowDown: '\uE015',
  Space: ' ',
};

function createInput(bidi: Commands, context: string) {
  const keysOf = (text: string) =>
    [...text].flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
  const perform = (source: object) => bidi.send<void>('input.performActions', { context, actions: [source] });
  const type = (text: string) => perform({ type: 'key', id: 'keyboard', actions: keysOf(text) });
  return {
    click: (x: number, y: number) =>
      perform({
        type: 'pointer',
        id: 'mouse',
        actions: [
          { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
          { type: 'pointerDown', button: 0 },
          { type: 'pointerUp', button: 0 },
        ],
      }),
    press: (key: string) => type(KEYS[key] ?? key),
    type,
  };
}

/** Pauses all requests while some are blocked or redirected, and decides about each. */
function createInterception(bidi: Commands, context: string) {
  let blocked: readonly string[] = [];
  let redirected: readonly [from: string, to: string] | undefined;
  let intercept: string | undefined;
  async function update(): Promise<void> {
    const isNeeded = blocked.length > 0 || redirected !== undefined;
    if (isNeeded === (intercept !== undefined)) return;
    if (intercept === undefined) {
      const phases = ['beforeRequestSent'];
      const added = await bidi.send<{ intercept: string }>('network.addIntercept', {
        phases,
        contexts: [context],
      });
      intercept = added.intercept;
    } else {
      await bidi.send('network.removeIntercept', { intercept });
      intercept = undefined;
    }
  }
  return {
    async block(parts: readonly string[]) {
      blocked = parts;
      await update();
    },
    async redirect(from: string, to: string) {
      redirected = [from, to];
      await update();
    },
    decide({ request: { request, url } }: BeforeRequestSent): void {
      const isFailing = blocked.some((part) => url.includes(part));
      const [from, to] = redirected ?? ['', ''];
      const next = from !== '' && url.startsWith(from) ? { url: url.replace(from, to) } : {};
      const [method, parameters] = isFailing
        ? ['network.failRequest', {}]
        : ['network.continueRequest', next];
      bidi.send(method as string, { request, ...(parameters as object) }).catch(() => {});
    },
  };
}

/** Preferences that correspond to media features. */
const MEDIA: Readonly<Record<string, readonly [name: string, values: Record<string, number>]>> = {
  'prefers-color-scheme': ['layout.css.prefers-color-scheme.content-override', { dark: 0, light: 1 }],
  'prefers-reduced-motion': ['ui.prefersReducedMotion', { reduce: 1 }],
  'forced-colors': ['browser.display.document_color_use', { active: 2 }],
};

function createMedia(marionette: Marionette) {
  let changed: string[] = [];
  async function inChrome(script: string): Promise<void> {
    await marionette.call('Marionette:SetContext', { value: 'chrome' });
    await marionette.call('WebDriver:ExecuteScript', { script, args: [] });
    await marionette.call('Marionette:SetContext', { value: 'content' });
  }
  async function reset(): Promise<void> {
    for (const name of changed) await inChrome(`Services.prefs.clearUserPref('${name}')`);
    changed = [];
  }
  return {
    reset,
    async set(features: readonly MediaFeature[]) {
      await reset();
      for (const { name, value } of features) {
        const [preference, values] = MEDIA[name] ?? ['', {}];
        changed.push(preference);
        await inChrome(`Services.prefs.setIntPref('${preference}', ${values[value]})`);
      }
    },
  };
}

async function accessibleOf(
  marionette: Marionette,
  context: string,
  expression: string,
): Promise<Accessible> {
  await marionette.call('WebDriver:SwitchToWindow', { handle: context, focus: false });
  const { value } = await marionette.call<{ value: Readonly<Record<string, string>> }>(
    'WebDriver:ExecuteScript',
    { script: `return ${expression}`, args: [] },
  );
  const [id] = Object.values(value);
  const { value: role } = await marionette.call<{ value: string }>('WebDriver:GetComputedRole', { id });
  const { value: name } = await marionette.call<{ value: string }>('WebDriver:GetComputedLabel', { id });
  return { role, name };
}

/** Adds an entry of the log: a call of a method of `console`, or an error that the page did not catch. */
function addEntry({ type, level, method, text, args = [] }: Entry, visit: ReturnType<typeof newVisit>): void {
  if (type === 'console') {
    const parts = args.map((arg) => (typeof arg.value === 'object' ? arg.type : arg.value));
    visit.consoleLines.push([method, ...(args.length > 0 ? parts : [text])].join(' '));
  } else if (type === 'javascript' && level === 'error' && UNCAUGHT.test(text ?? ''))
    visit.uncaught.push(text ?? '');
}

/** Other errors are the browser's own, such as reports of a policy. */
const UNCAUGHT = /^(?:\w*Error\b|uncaught exception)/;

function requestOf({ request: { url, headers } }: BeforeRequestSent) {
  return { url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value.value])) };
}

type Evaluated =
  | { readonly type: 'success'; readonly result: { readonly value?: string } }
  | { readonly type: 'exception'; readonly exceptionDetails: { readonly text: string } };

type Entry = {
  readonly type: string;
  readonly level: string;
  readonly method?: string;
  readonly text: string | null;
  readonly args?: readonly { readonly type: string; readonly value?: unknown }[];
};

type BeforeRequestSent = {
  readonly isBlocked: boolean;
  readonly request: {
    readonly request: string;
    readonly url: string;
    readonly method: string;
    readonly headers: readonly { readonly name: string; readonly value: { readonly value: string } }[];
  };
};

type Cookie = { readonly name: string; readonly domain: string };
