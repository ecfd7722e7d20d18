/**
 * `npm run screenshots`: writes the pictures of the documentation and the animation of the README to docs/images.
 *
 * Starts a demo for the widget, and an installation with a user, properties, and a year of statistics for the portal and the
 * Swagger page, both in temporary folders. The statistics and the clock of the portal do not depend on the date.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../src/cli/run.ts';
import type { Instant } from '../src/lib/time.ts';
import { parseSitekey } from '../src/model/property.ts';
import { BOX, BUTTON, isIn } from './browser/fixture.ts';
import { openTab, type Tab } from './support/browser.ts';
import { createRecorder, type Recorder } from './support/recorder.ts';
import { startServer, type TestServer } from './support/server.ts';
import { addYearOfTraffic } from './support/traffic.ts';

const FOLDER = join(import.meta.dir, '../docs/images');
const SCHEMES = ['light', 'dark'] as const;
type Scheme = (typeof SCHEMES)[number];
type Clip = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** The time in the pictures of the portal. */
const NOW = Date.UTC(2026, 10, 20, 15, 30) as Instant;
const USER = { email: 'ann@example.com', password: 'a long pass phrase of Ann' };

const SIZE = { width: 1280, height: 900 } as const;
/** The upper part of a page. */
const TOP: Clip = { x: 0, y: 0, ...SIZE };

/** Milliseconds that a request of the animation takes, so that it shows the check. */
const TOUR_LATENCY = 1500;

type Look = {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly motion: 'reduce' | 'no-preference';
};

const STILL: Look = { ...SIZE, scale: 1, motion: 'reduce' };
/** The window of the animation. On the page, it is about half as wide as its number of pixels. */
const TOUR: Look = { width: 1280, height: 744, scale: 1.5, motion: 'no-preference' };

async function look(tab: Tab, scheme: Scheme, { motion, scale, width, height } = STILL): Promise<void> {
  await tab.cdp('Emulation.setEmulatedMedia', {
    features: [
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: motion },
    ],
  });
  await tab.cdp('Emulation.setScrollbarsHidden', { hidden: true });
  const metrics = { width, height, deviceScaleFactor: scale, mobile: false };
  await tab.cdp('Emulation.setDeviceMetricsOverride', metrics);
}

const tours = new Map<Scheme, Recorder>();

/** The first part of the animation: a visitor clicks the widget of the demo and sends the form. */
async function recordDemo(tab: Tab, url: string): Promise<void> {
  for (const scheme of SCHEMES) {
    await look(tab, scheme, TOUR);
    const recorder = createRecorder(tab, { x: 760, y: 690 });
    tours.set(scheme, recorder);
    await tab.goto(`${url}/demo?theme=${scheme}`);
    await tab.until(`${BOX}?.dataset.state === 'idle'`);
    await recorder.frame(1200);
    const network = { offline: false, latency: TOUR_LATENCY, downloadThroughput: -1, uploadThroughput: -1 };
    await tab.cdp('Network.emulateNetworkConditions', network);
    await recorder.click(BUTTON);
    while (!(await tab.evaluate<boolean>(isIn('verified')))) await recorder.frame(120);
    await tab.cdp('Network.emulateNetworkConditions', { ...network, latency: 0 });
    await recorder.frame(1000);
    await recorder.click("document.querySelector('form .send')");
    await tab.until(
      "document.querySelector('.verdict.accepted') !== null && document.readyState === 'complete'",
    );
    await recorder.frame(1800);
  }
}

/** The second part of the animation: the dashboard, for 30 days and for a year. */
async function recordDashboard(tab: Tab, url: string, path: string): Promise<void> {
  for (const scheme of SCHEMES) {
    const recorder = tours.get(scheme);
    if (recorder === undefined) throw new Error('the animation has no beginning');
    await look(tab, scheme, TOUR);
    await tab.goto(`${url}${path}?range=30d`);
    await tab.until(CHART);
    await recorder.frame(2500);
    await recorder.click(
      `[...document.querySelectorAll('main a')].find((link) => link.textContent === '1 year')`,
    );
    await tab.until(`location.search !== '?range=30d' && ${CHART}`);
    await recorder.frame(3500);
    const file = `tour-${scheme}.webp`;
    console.log(`docs/images/${file}  ${await recorder.save(join(FOLDER, file))} bytes`);
  }
}

const CHART = "document.querySelector('.chart canvas') !== null";

async function save(tab: Tab, name: string, clip: Clip): Promise<void> {
  // Without the focus ring and the caret of whatever was used last.
  await tab.evaluate('void document.activeElement?.blur()');
  const { data } = await tab.cdp<{ readonly data: string }>('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: false,
    captureBeyondViewport: true,
    clip: { ...clip, scale: 1 },
  });
  const bytes = Buffer.from(data, 'base64');
  await Bun.write(join(FOLDER, `${name}.png`), bytes);
  console.log(`docs/images/${name}.png  ${bytes.length} bytes`);
}

/** The demo's form with a verified widget. */
async function saveWidget(tab: Tab, url: string): Promise<void> {
  for (const scheme of SCHEMES) {
    await look(tab, scheme);
    await tab.goto(`${url}/demo?theme=${scheme}`);
    await tab.until(`${BOX}?.dataset.state === 'idle'`);
    await tab.click(BUTTON);
    await tab.until(isIn('verified'));
    const clip = await tab.evaluate<Clip>(`(() => {
      const { x, y, width, height } = document.querySelector('.card').getBoundingClientRect();
      return { x: x - 32, y: y - 32, width: width + 64, height: height + 64 };
    })()`);
    await save(tab, `widget-${scheme}`, clip);
  }
}

/** The first page of a property, with the chart of 30 days. */
async function saveDashboard(tab: Tab, url: string, path: string): Promise<void> {
  await tab.goto(`${url}/portal/login`);
  await tab.evaluate(`void (
    (document.querySelector('#email').value = ${JSON.stringify(USER.email)}),
    (document.querySelector('#password').value = ${JSON.stringify(USER.password)}))`);
  await tab.click("document.querySelector('main form button[type=submit]')");
  await tab.until("location.pathname === '/portal' && document.readyState === 'complete'");
  for (const scheme of SCHEMES) {
    await look(tab, scheme);
    await tab.goto(`${url}${path}?range=30d`);
    await tab.until("document.querySelector('.chart canvas') !== null");
    // Down to the chart: the documentation's page with this picture is smaller than 150 kB.
    await save(tab, `dashboard-${scheme}`, { ...TOP, height: 744 });
  }
}

async function saveSwagger(tab: Tab, url: string): Promise<void> {
  for (const scheme of SCHEMES) {
    await look(tab, scheme);
    await tab.goto(`${url}/swagger`);
    await tab.until("document.querySelector('.opblock-summary-path') !== null");
    await save(tab, `swagger-${scheme}`, TOP);
  }
}

/** Runs a command on the data folder. @returns its JSON */
async function postern<T>(dataDir: string, ...words: readonly string[]): Promise<T> {
  const lines: string[] = [];
  const exitCode = await runCommandLine([...words, '--json', '--data-dir', dataDir], {
    environment: {},
    out: (line) => void lines.push(line),
    err: (line) => void lines.push(line),
    stdin: async () => USER.password,
  });
  if (exitCode !== 0) throw new Error(`${words.join(' ')} failed with ${exitCode}: ${lines.join('\n')}`);
  return JSON.parse(lines.at(-1) ?? '') as T;
}

type Row = { readonly id: string; readonly sitekey: string };

/** Creates a user with properties. @returns the path of the first property in the portal, and all sitekeys */
async function seed(dataDir: string) {
  const { email } = USER;
  await postern(dataDir, 'users', 'create', '--email', email, '--name', 'Ann', '--admin', '--password-stdin');
  const org = await postern<Row>(dataDir, 'orgs', 'create', '--user', email, '--name', 'Acme');
  const properties: Row[] = [];
  for (const [name, domain] of [
    ['Shop', 'shop.example.com'],
    ['Blog', 'blog.example.com'],
  ] as const) {
    const words = ['properties', 'create', '--org', org.id, '--name', name, '--domain', domain];
    properties.push(await postern<Row>(dataDir, ...words, '--no-dns-check'));
  }
  const path = `/portal/orgs/${org.id}/properties/${properties[0]?.id}`;
  return { path, sitekeys: properties.map(({ sitekey }) => sitekey) };
}

/** Starts a server for the work. `localhost` keeps cookies as on https. */
async function withServer(
  settings: Record<string, string>,
  work: (server: TestServer, url: string) => Promise<void>,
  prepare: (dataDir: string) => Promise<void> = async () => {},
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-screenshots-'));
  try {
    await prepare(dataDir);
    const server = await startServer({ settings, dataDir });
    await work(server, server.url.replace('127.0.0.1', 'localhost'));
    await server.stop();
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const tab = await openTab(SIZE);
await withServer({ POSTERN_DEMO: 'on' }, async (_, url) => {
  await saveWidget(tab, url);
  await recordDemo(tab, url);
});

let seeded: Awaited<ReturnType<typeof seed>> | undefined;
await withServer(
  {},
  async (server, url) => {
    if (seeded === undefined) throw new Error('nothing was seeded');
    server.clock.now = NOW;
    for (const text of seeded.sitekeys) {
      const sitekey = parseSitekey(text);
      if (sitekey.ok) await addYearOfTraffic(server, sitekey.value);
    }
    await saveSwagger(tab, url);
    await saveDashboard(tab, url, seeded.path);
    await recordDashboard(tab, url, seeded.path);
  },
  async (dataDir) => {
    seeded = await seed(dataDir);
  },
);
tab.close();
process.exit(0);
