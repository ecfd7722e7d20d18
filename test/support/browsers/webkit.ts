/**
 * The tab of WebKitGTK's MiniBrowser in a virtual X display. WebKit's inspector protocol controls it, and xdotool sends the input as the
 * X server does, because the protocol has no input.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../binary.ts';
import { waitUntil } from '../waitUntil.ts';
import { type Inspector, openInspector } from './inspector.ts';
import { findInOutput, startProgram } from './programs.ts';
import {
  type Accessible,
  createUnsupported,
  emptyPage,
  type MediaFeature,
  newVisit,
  type Size,
  type View,
} from './view.ts';

/** The height of the bars above the page, with reserve. The display is as large as the largest page of the tests. */
const BARS = 200;
const DISPLAY = '1600x1200x24';

const PROGRAMS = '/usr/lib/*/webkit2gtk-4.*/MiniBrowser';

type Position = { readonly x: number; readonly y: number };

type WebKit = {
  readonly inspector: Inspector;
  readonly xdotool: (...args: readonly (string | number)[]) => Promise<void>;
  /** The position of the page on the display. */
  readonly origin: Position;
};

let started: Promise<WebKit> | undefined;

async function startWebKit(): Promise<WebKit> {
  const home = mkdtempSync(join(tmpdir(), 'postern-webkit-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const xvfb = startProgram(['Xvfb', '-displayfd', '1', '-screen', '0', DISPLAY, '-nolisten', 'tcp']);
  void findInOutput(xvfb.stderr, /(?!)/).catch(() => {});
  const display = { DISPLAY: `:${await findInOutput(xvfb.stdout, /(\d+)\n/)}` };
  const address = `127.0.0.1:${await freePort()}`;
  const [program] = new Bun.Glob(PROGRAMS.slice(1)).scanSync({ cwd: '/' });
  const browser = startProgram([`/${program}`, '--private', emptyPage()], {
    ...display,
    HOME: home,
    XDG_RUNTIME_DIR: home,
    NO_AT_BRIDGE: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
    WEBKIT_INSPECTOR_HTTP_SERVER: address,
  });
  // Bun ends all programs that a test has used when the test times out.
  void browser.exited.then(() => {
    started = undefined;
  });
  for (const stream of [browser.stdout, browser.stderr]) void findInOutput(stream, /(?!)/).catch(() => {});
  let path: string | undefined;
  await waitUntil('the page in the inspector', async () => {
    const list = await fetch(`http://${address}/`).then(
      (response) => response.text(),
      () => '',
    );
    path = /\/socket\/\d+\/\d+\/[\w-]+/.exec(list)?.[0];
    return path !== undefined;
  });
  const inspector = await openInspector(`ws://${address}${path}`);
  const progress = 'location.protocol + document.readyState';
  await waitUntil('the first page', async () => {
    const state = await inspector.evaluate(progress).catch(() => '');
    return state === 'http:complete';
  });
  const xdotool: WebKit['xdotool'] = async (...args) => {
    const child = startProgram(['xdotool', ...args.map(String)], display);
    if ((await child.exited) !== 0) throw new Error(`xdotool failed: ${args.join(' ')}`);
  };
  await xdotool(
    'search',
    '--sync',
    '--onlyvisible',
    '--class',
    'MiniBrowser',
    'windowfocus',
    'windowmove',
    0,
    0,
  );
  return { inspector, xdotool, origin: await measureOrigin(inspector, xdotool) };
}

/** Moves the pointer into the page, which reports the position in its own coordinates. */
async function measureOrigin(inspector: Inspector, xdotool: WebKit['xdotool']): Promise<Position> {
  const there = { x: 200, y: 300 };
  const moved = await inspector.begin(
    `new Promise((resolve) => addEventListener('mousemove', ({ clientX: x, clientY: y }) => resolve(JSON.stringify({ x, y }))))`,
  );
  await xdotool('mousemove', there.x - 1, there.y);
  await xdotool('mousemove', there.x, there.y);
  const seen = JSON.parse((await inspector.finish(moved)) ?? '') as Position;
  return { x: there.x - seen.x, y: there.y - seen.y };
}

/** Opens the only tab. A test that failed may have left it in any state. */
export async function openWebKit(size: Size): Promise<View> {
  started ??= startWebKit();
  const { inspector, xdotool, origin } = await started;
  const { send } = inspector;
  const resize = async ({ width, height }: Size) => {
    const window = ['search', '--onlyvisible', '--class', 'MiniBrowser', 'windowsize', '--sync'];
    const bars = await inspector.evaluate(
      'JSON.stringify([outerWidth - innerWidth, outerHeight - innerHeight])',
    );
    const [right = 0, top = BARS] = JSON.parse(bars ?? '[]') as number[];
    await xdotool(...window, width + right, height + top);
    const isSize = `innerWidth === ${width} && innerHeight === ${height}`;
    await waitUntil(
      'the size of the page',
      async () => (await inspector.evaluate(`String(${isSize})`)) === 'true',
    );
  };
  const unsupported = createUnsupported('WebKit');
  const blocking = createBlocking(inspector);
  let visit = newVisit();
  let source = '';
  inspector.setVisit(() => visit);
  await leave(inspector);
  await resize(size);

  /** Sends input, and waits until the page has received the event. */
  async function input(event: string, ...args: readonly (string | number)[]): Promise<void> {
    const seen = await inspector.begin(
      `new Promise((resolve) => addEventListener('${event}', () => resolve(''), { once: true, capture: true }))`,
    );
    await xdotool(...args);
    // The page may have been left.
    await inspector.finish(seen).catch(() => {});
  }

  return {
    beginVisit() {
      visit = newVisit();
      return visit;
    },
    navigate: inspector.navigate,
    async evaluate<T>(expression: string) {
      const text = await inspector.evaluate(`${AS_JSON}(${expression}\n)`);
      return (text === undefined ? undefined : JSON.parse(text)) as T;
    },
    run: (script) => run(inspector, script),
    click: (x, y) =>
      input('mouseup', 'mousemove', Math.round(origin.x + x), Math.round(origin.y + y), 'click', 1),
    press: (key) => input('keyup', 'key', KEYS[key] ?? key),
    type: (text) => input('keyup', 'type', text),
    async preload(script) {
      source += `;{ ${script}\n }`;
      await inspector.setBootstrap(source);
    },
    block: blocking.block,
    redirect: unsupported,
    resize,
    setMedia: (features) => setMedia(inspector, features),
    setOffline: unsupported,
    async clearCookies() {
      for (const { name, domain } of await cookiesOf(inspector))
        await send('Page.deleteCookie', { cookieName: name, url: `http://${domain}/` });
    },
    async cookieNames(urls) {
      const hosts = urls.map((url) => new URL(url).hostname);
      const all = await cookiesOf(inspector);
      return all.filter(({ domain }) => hosts.includes(domain)).map(({ name }) => name);
    },
    accessible: (expression) => accessibleOf(inspector, expression),
    cdp: unsupported,
    screenshot: unsupported,
    size,
    activate: async () => {},
    async empty() {
      await leave(inspector);
      return false;
    },
    close: () => {},
  };
}

/** Characters. WebKit closes the connection at a message of more than 128 KiB, after compression. */
const MAX_SCRIPT = 100_000;

/** Runs a script. A longer one is sent in parts, and the policy of the page must allow `eval`. */
async function run({ send }: Inspector, script: string): Promise<void> {
  if (script.length <= MAX_SCRIPT) {
    await send('Runtime.evaluate', { expression: script });
    return;
  }
  const variable = 'window.longScript';
  await send('Runtime.evaluate', { expression: `${variable} = ''` });
  for (let start = 0; start < script.length; start += MAX_SCRIPT) {
    const part = JSON.stringify(script.slice(start, start + MAX_SCRIPT));
    await send('Runtime.evaluate', { expression: `${variable} += ${part}` });
  }
  await send('Runtime.evaluate', { expression: `(0, eval)(${variable}); delete ${variable}` });
}

/** A function that converts a value, or a promise of one, to JSON. A value is returned even if the page is left at once. */
const AS_JSON =
  "((value) => typeof value?.then === 'function' ? value.then((one) => JSON.stringify(one)) : JSON.stringify(value))";

/** Undoes what a test has changed, and leaves its page. */
async function leave(inspector: Inspector): Promise<void> {
  // A page that is about to navigate by itself would interrupt the other commands.
  await inspector.navigate(emptyPage());
  await inspector.setBootstrap('');
  // It is an error if the interception is not enabled.
  await inspector.send('Network.setInterceptionEnabled', { enabled: false }).catch(() => {});
  await setMedia(inspector, []);
  await inspector.navigate(emptyPage());
  await inspector.evaluate("(sessionStorage.clear(), '')");
}

/** The names of keys in X. */
const KEYS: Readonly<Record<string, string>> = {
  Enter: 'Return',
  Space: 'space',
  ArrowDown: 'Down',
  '/': 'slash',
};

/** WebKit has no forced colors. */
const PREFERENCES: Readonly<Record<string, string>> = {
  'prefers-color-scheme': 'PrefersColorScheme',
  'prefers-reduced-motion': 'PrefersReducedMotion',
};
const VALUES: Readonly<Record<string, string>> = { light: 'Light', dark: 'Dark', reduce: 'Reduce' };

async function setMedia({ send }: Inspector, features: readonly MediaFeature[]): Promise<void> {
  for (const name of Object.values(PREFERENCES)) await send('Page.overrideUserPreference', { name });
  for (const { name, value } of features) {
    const preference = PREFERENCES[name];
    if (preference === undefined) throw new Error(`WebKit does not have ${name}`);
    await send('Page.overrideUserPreference', { name: preference, value: VALUES[value] });
  }
}

/** Lets requests fail whose URL matches. */
function createBlocking({ send }: Inspector) {
  let blocked: readonly string[] = [];
  const patternOf = (part: string) => part.replaceAll(/[^\w]/g, '\\$&');
  return {
    async block(parts: readonly string[]) {
      const rule = (part: string) => ({ url: patternOf(part), stage: 'request', isRegex: true });
      for (const part of blocked) await send('Network.removeInterception', rule(part));
      blocked = parts;
      await send('Network.setInterceptionEnabled', { enabled: parts.length > 0 });
      for (const part of parts) await send('Network.addInterception', rule(part));
    },
  };
}

type Cookie = { readonly name: string; readonly domain: string };

async function cookiesOf({ send }: Inspector): Promise<readonly Cookie[]> {
  return (await send<{ cookies: readonly Cookie[] }>('Page.getCookies')).cookies;
}

async function accessibleOf({ send }: Inspector, expression: string): Promise<Accessible> {
  await send('DOM.getDocument');
  const { result } = await send<{ result: { objectId: string } }>('Runtime.evaluate', { expression });
  const { nodeId } = await send<{ nodeId: number }>('DOM.requestNode', { objectId: result.objectId });
  const { properties } = await send<{ properties: AxProperties }>('DOM.getAccessibilityPropertiesForNode', {
    nodeId,
  });
  if (properties.ignored || !properties.exists) return { role: '', name: '' };
  return { role: properties.role, name: properties.label };
}

type AxProperties = {
  readonly exists: boolean;
  readonly ignored?: boolean;
  readonly role: string;
  readonly label: string;
};
