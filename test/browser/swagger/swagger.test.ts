import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openTab, type Tab } from '../../support/browser.ts';
import { addTenant, startServer, type Tenant, type TestServer } from '../../support/server.ts';
import { CASE_TIMEOUT_MS, WATCH_VIOLATIONS } from '../fixture.ts';

setDefaultTimeout(CASE_TIMEOUT_MS);

let server: TestServer;
let tenant: Tenant;
let origin: string;
beforeAll(async () => {
  // "Try it out" must use the host of the page, not the public URL.
  server = await startServer({ settings: { POSTERN_BASE_URL: 'https://captcha.example.com' } });
  tenant = await addTenant(server);
  origin = server.url;
});
afterAll(() => server.stop());

const LIST = '#operations-Organizations-listOrganizations';
const button = (selector: string, text: string) =>
  `[...document.querySelectorAll('${selector} button')].find((one) => one.textContent.includes('${text}'))`;

async function openPage(): Promise<Tab> {
  const tab = await openTab({ width: 1200, height: 900 });
  await tab.preload(WATCH_VIOLATIONS);
  await blockOtherHosts(tab);
  await tab.goto(`${origin}/swagger`);
  await tab.until(`document.querySelector('${LIST}') !== null`);
  return tab;
}

/** Blocks hosts on the internet. */
async function blockOtherHosts(tab: Tab): Promise<void> {
  await tab.block(['https://', 'wss://', 'ws://']);
}

/** @returns the origins of all requests, except data URLs */
function hostsOf(tab: Tab): readonly string[] {
  const urls = tab.requests.map(({ url }) => new URL(url)).filter(({ protocol }) => protocol !== 'data:');
  return [...new Set(urls.map((url) => url.origin))];
}

async function type(tab: Tab, selector: string, text: string): Promise<void> {
  await tab.click(`document.querySelector('${selector}')`);
  await tab.type(text);
}

test('shows every operation, contacts no other host, and violates no policy', async () => {
  const tab = await openPage();
  const shown = await tab.evaluate<string[]>(
    "[...document.querySelectorAll('.opblock-summary-path')].map((one) => one.dataset.path)",
  );
  const document = (await (await fetch(`${origin}/swagger/json`)).json()) as {
    paths: Record<string, object>;
  };
  const paths = Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map(() => path));
  expect([...shown].sort()).toEqual(paths.sort());
  expect(await tab.evaluate<string>('document.title')).toBe('Postern API');
  expect(hostsOf(tab)).toEqual([origin]);
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  expect(tab.consoleLines.filter((line) => /^(error|warn)/.test(line))).toEqual([]);
  if (process.env.SHOT) await Bun.write(process.env.SHOT, await tab.screenshot());
  tab.close();
});

test('"Try it out" with an API key sends the request to this host and shows the response', async () => {
  const tab = await openPage();
  await tab.click("document.querySelector('.auth-wrapper .authorize')");
  await tab.until(
    "document.querySelector('#api_key_value') !== null || document.querySelector('.auth-container input') !== null",
  );
  await type(tab, '.auth-container input', tenant.portalKey);
  await tab.click(button('.auth-container', 'Authorize'));
  await tab.until(`${button('.auth-container', 'Logout')} !== undefined`);
  await tab.click(button('.modal-ux', 'Close'));

  await tab.click(`document.querySelector('${LIST} .opblock-summary-control')`);
  await tab.until(`${button(LIST, 'Try it out')} !== undefined`);
  await tab.click(button(LIST, 'Try it out'));
  await tab.until(`${button(LIST, 'Execute')} !== undefined`);
  await tab.click(button(LIST, 'Execute'));
  const status = `document.querySelector('${LIST} .live-responses-table tbody .response-col_status')`;
  await tab.until(`${status} !== null`);
  expect(await tab.evaluate<string>(`${status}.textContent`)).toStartWith('200');
  const shown = await tab.evaluate<string>(
    `document.querySelector('${LIST} .live-responses-table tbody .response-col_description').textContent`,
  );
  expect(shown).toContain(tenant.organization.name);
  expect(hostsOf(tab)).toEqual([origin]);
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  if (process.env.SHOT2) await Bun.write(process.env.SHOT2, await tab.screenshot());
  tab.close();
});

test('the API key is not stored', async () => {
  const tab = await openPage();
  const stored = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
  expect(await tab.evaluate<string>(stored)).toBe('[{},{},""]');
  tab.close();
});
