import { openTab, type Tab } from '../support/browser.ts';
import { bundle } from './bundle.ts';
import { expectRoute, type PageClient } from './client.ts';
import { isVendorUrl } from './network.ts';
import type { Postern } from './postern.ts';

/** Runs the components of pages in Chromium. */

/** Time limit for a check, in milliseconds. */
const PATIENCE_MS = 45_000;
const POLL_MS = 50;

/** Values for the program, and a record of what it reports. Errors are shown with their message. */
const PRELUDE = `{
  window.host = 'HOST';
  window.sitekey = 'KEY';
  window.calls = [];
  const { error } = console;
  console.error = (...values) => error(...values.map((value) => value?.message ?? value));
  window.addEventListener('error', ({ message }) => void calls.push(['error', message]));
  window.addEventListener('unhandledrejection', ({ reason }) => void calls.push(['rejection', String(reason)]));
  window.log = (name) => (...values) => void calls.push([name, ...values]);
}`;

/** Presses the widget's button once, or starts the check, and returns the token as soon as there is one. */
const stepOf = ({ start, field }: PageClient) => `(() => {
  const start = ${start === undefined ? 'undefined' : `() => (${start})`};
  const all = (root) => [...root.querySelectorAll('*')].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
  const elements = () => all(document);
  if (!window.isStarted && start && window.component !== undefined && window.component !== null) {
    // The component may not be ready yet.
    try { start(); window.isStarted = true; } catch {}
  }
  if (!window.isStarted && !start) {
    const box = elements().find((e) => e.matches('.box[data-state=idle]') && e.checkVisibility());
    const button = box?.querySelector('button');
    if (button) {
      window.isStarted = true;
      button.click();
    }
  }
  const field = ${field === undefined ? "''" : `elements().find((e) => e.name === ${JSON.stringify(field)})?.value`};
  const [, token] = calls.findLast(([name, token]) => name === 'done' && token) ?? [];
  const text = token?.detail?.token ?? token?.token ?? token?.response ?? token;
  return field || (typeof text === 'string' && text) || '';
})()`;

/** @returns the token @throws with what the page logged */
async function tokenFrom(tab: Tab, client: PageClient): Promise<string> {
  const step = stepOf(client);
  for (let polls = PATIENCE_MS / POLL_MS; polls > 0; polls--) {
    const token = await tab.evaluate<string>(step);
    if (token !== '') return token;
    await Bun.sleep(POLL_MS);
  }
  const urls = tab.requests.map(({ url }) => url).filter((url) => /^https?:/.test(url));
  const calls = await tab.evaluate<string>('String(calls.map(String))');
  throw new Error(['no token', calls, ...tab.consoleLines, ...urls.slice(1)].join('; ').slice(0, 1500));
}

/** Shows the component, solves, and verifies. @throws with the reason if it does not work */
export async function runPage(client: PageClient, folder: string, postern: Postern): Promise<void> {
  const program = await bundle(client, folder, postern.fill);
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Client</title>
    <script>${postern.fill(PRELUDE)}</script>${postern.fill(client.head)}<main></main><script>${program}</script></html>`;
  const site = Bun.serve({
    port: 0,
    fetch: () => new Response(html, { headers: { 'Content-Type': 'text/html' } }),
  });
  const tab = await openTab();
  try {
    await tab.goto(`http://localhost:${site.port}/`);
    await postern.expectOnce(client.vendor, await tokenFrom(tab, client));
    const vendorUrls = tab.requests.map(({ url }) => url).filter(isVendorUrl);
    expectRoute(client, vendorUrls.length > 0, vendorUrls[0]);
  } finally {
    await site.stop(true);
    closeAnyway(tab);
  }
}

/** Some clients throw when they are removed; the result does not depend on it. */
function closeAnyway(tab: Tab): void {
  try {
    tab.close();
  } catch {
    // An uncaught error in the page.
  }
}
