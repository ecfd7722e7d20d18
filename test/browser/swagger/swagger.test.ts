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

const STORED = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';

async function enterKey(tab: Tab): Promise<void> {
  await tab.click("document.querySelector('#api-key')");
  await tab.type(` ${tenant.portalKey} `);
  await tab.press('Enter');
  await tab.until("document.activeElement?.textContent === 'Forget key'");
}

/** @returns the status and the body of the response */
async function listOrganizations(tab: Tab): Promise<readonly string[]> {
  await tab.click(`document.querySelector('${LIST} .opblock-summary-control')`);
  await tab.until(`${button(LIST, 'Try it out')} !== undefined`);
  await tab.click(button(LIST, 'Try it out'));
  await tab.until(`${button(LIST, 'Execute')} !== undefined`);
  await tab.click(button(LIST, 'Execute'));
  const row = `document.querySelector('${LIST} .live-responses-table tbody')`;
  await tab.until(`${row} !== null`);
  return tab.evaluate(
    `['status', 'description'].map((name) => ${row}.querySelector('.response-col_' + name).textContent)`,
  );
}

test('"Try it out" sends the request with the entered API key to this host and shows the response', async () => {
  const tab = await openPage();
  await enterKey(tab);
  const [status, body] = await listOrganizations(tab);
  expect(status).toStartWith('200');
  expect(body).toContain(tenant.organization.name);
  expect(hostsOf(tab)).toEqual([origin]);
  expect(await tab.evaluate<string[]>('violations')).toEqual([]);
  tab.close();
});

test('the API key is kept for this tab until the user forgets it, and is in no URL', async () => {
  const tab = await openPage();
  expect(await tab.evaluate<string>(STORED)).toBe('[{},{},""]');
  await enterKey(tab);
  await tab.goto(`${origin}/swagger`);
  await tab.until(`document.querySelector('${LIST}') !== null`);
  expect((await listOrganizations(tab))[0]).toStartWith('200');
  expect(await tab.evaluate<string>(STORED)).toBe(
    JSON.stringify([{}, { 'postern-api-key': tenant.portalKey }, '']),
  );
  expect(tab.requests.filter(({ url }) => url.includes(tenant.portalKey))).toEqual([]);

  await tab.click(button('.key', 'Forget key'));
  await tab.until("document.activeElement?.id === 'api-key'");
  expect(await tab.evaluate<string>(STORED)).toBe('[{},{},""]');
  expect(await tab.evaluate<string>("document.querySelector('#api-key').value")).toBe('');
  await tab.click(button(LIST, 'Execute'));
  await tab.until(
    `document.querySelector('${LIST} .live-responses-table tbody .response-col_status')?.textContent.startsWith('401')`,
  );
  tab.close();
});

test('a link to an operation opens it below the header of the page', async () => {
  const tab = await openTab({ width: 1200, height: 900 });
  await tab.goto(`${origin}/swagger#/Operation/getReadiness`);
  await tab.until("document.querySelector('.opblock.is-open') !== null");
  await tab.until(`(() => {
    const { top } = document.querySelector('.opblock.is-open').getBoundingClientRect();
    return top >= document.querySelector('.bar').getBoundingClientRect().bottom && top < innerHeight;
  })()`);
  tab.close();
});
