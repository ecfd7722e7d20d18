import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { openTab, type Tab } from '../../support/browser.ts';
import { addUser, beginSession } from '../../support/portal.ts';
import { expectOk, startServer, type TestServer } from '../../support/server.ts';
import { BOX, CASE_TIMEOUT_MS } from '../fixture.ts';
import { openPortalUser, type PortalUser } from './portalUser.ts';

setDefaultTimeout(4 * CASE_TIMEOUT_MS);

let server: TestServer;
let url: string;
let tab: Tab;
let user: PortalUser;

beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
  url = server.url.replace('127.0.0.1', 'localhost');
  user = await openPortalUser(url);
  tab = user.tab;
});
afterAll(async () => {
  tab.close();
  await server.stop();
});

/** Code from the page. The test's server does not know its own port. */
async function snippet(id: string): Promise<string> {
  return (await user.textOf(`#snippet-${id}`)).replaceAll('http://localhost:0', url);
}

type Verify = (form: URLSearchParams) => Promise<boolean>;

/** A customer's website with the copied code. */
function openShop(parts: { readonly widget: string; readonly verify: Verify }) {
  const shop = Bun.serve({
    port: 0,
    async fetch(request) {
      if (request.method === 'POST') {
        const isGood = await parts.verify(new URLSearchParams(await request.text()));
        return new Response(`<title>${isGood ? 'welcome' : 'refused'}</title>`, HTML);
      }
      if (new URL(request.url).pathname !== '/') return new Response(null, { status: 404 });
      const form = `<form method="post">${parts.widget}<button id="send">Send</button></form>`;
      return new Response(`<!doctype html><title>shop</title>${form}`, HTML);
    },
  });
  return { url: `http://localhost:${shop.port}/`, stop: () => shop.stop(true) };
}

const HTML = { headers: { 'Content-Type': 'text/html' } };

/** Pastes the address of a page into the field for the domain. */
const PASTE = `(() => {
  const field = document.querySelector('#domain');
  field.value = 'https://www.Example.com:8443/login?x=1';
  field.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }));
})()`;

test('a new user protects the first property, sees its first verification, changes its settings, and uses the playground', async () => {
  const { go, isAt, type, press, textOf, shownOf, expectGood } = user;
  // Setup.
  const link = new URL(server.app.setupLink ?? '');
  await go(`${link.pathname}${link.hash}`);
  await isAt('Set up Postern');
  await type('name', 'Ann');
  await type('email', 'ann@example.com');
  await type('password', 'four words nobody guesses');
  await type('organization', 'My shops');
  await press('Create first user');

  // Name and domain.
  await isAt('Protect your first property');
  await expectGood('first-property-name');
  await type('name', 'Shop');
  await type('domain', 'https://localhost/');
  await press('Continue');
  expect(await textOf('.error-summary')).toContain('The domain cannot be localhost');
  await expectGood('first-property-error');
  // The script reduces a pasted address to its host.
  await tab.evaluate(PASTE);
  expect(await tab.evaluate<string>("document.querySelector('#domain').value")).toBe('www.example.com');
  expect(await textOf('#domain-note')).toContain('was reduced to its host');
  await type('domain', 'example.com');
  expect(await tab.evaluate<boolean>("document.querySelector('#allow_localhost').checked")).toBe(false);
  await tab.click("document.querySelector('#allow_localhost')");
  await press('Continue');
  await isAt('Protect your first property');
  expect(await textOf('#state')).toContain('The widget has not requested a puzzle yet.');
  await expectGood('first-property-steps');

  // The key, and the protected page in another tab.
  await press('Create API key');
  const [widget, backend] = [await snippet('page'), await snippet('javascript')];
  const verify = new Function(`${backend}\nreturn verifyCaptcha;`)() as Verify;
  const shop = openShop({ widget, verify });
  const visitor = await openTab();
  await visitor.goto(shop.url);
  await visitor.until(`${BOX}?.dataset.state === 'idle'`);
  await server.app.flush();
  await visitor.click(BOX);
  await visitor.until(`${BOX}?.dataset.state === 'verified'`);
  await server.app.flush();
  await tab.until("document.querySelector('#seen').textContent.includes('has requested a puzzle')");
  await visitor.click("document.querySelector('#send')");
  await visitor.until("document.title === 'welcome'");
  visitor.close();
  await server.app.flush();
  await tab.until("document.querySelector('#state').classList.contains('done')");
  expect(await textOf('#state h2')).toBe('Verified');
  await expectGood('first-property-done');
  await shop.stop();

  // The settings.
  const steps = await tab.evaluate<string>('location.pathname');
  const sealed = steps.split('/')[5];
  const organization = steps.split('/').slice(0, 4).join('/');
  const propertyPath = `${organization}/properties/${sealed}`;
  await go(`${propertyPath}/settings`);
  await isAt('Shop');
  await expectGood('property-settings');
  await tab.click("document.querySelector('.preset:last-of-type')");
  expect(await shownOf('custom_level', 'max_replay_count')).toEqual(['custom_level']);
  await tab.click("document.querySelector('#accept_repeated')");
  expect(await shownOf('max_replay_count')).toEqual(['max_replay_count']);
  await tab.click("document.querySelector('#accept_repeated')");
  // The costs follow the level and the kind.
  const caption = "document.querySelector('#level-cost caption').textContent";
  await type('custom_level', '160');
  await tab.until(`${caption} === 'Average cost of a puzzle at level 160'`);
  const emphasized = "document.querySelector('#level-cost td strong').closest('td').dataset.label";
  expect(await tab.evaluate<string>(emphasized)).toBe('Time (BLAKE2b)');
  for (const [kind, name] of [
    ['argon2id', 'argon2id'],
    ['hashwx', 'HashWX'],
  ]) {
    const choose = `select.value = '${kind}', select.dispatchEvent(new Event('input', { bubbles: true }))`;
    await tab.evaluate(`void ((select) => (${choose}))(document.querySelector('#challenge'))`);
    await tab.until(`${emphasized} === 'Time (${name})'`);
    await expectGood(`property-settings-${kind}`);
  }
  await type('custom_level', '90');
  await tab.until(`${caption} === 'Average cost of a puzzle at level 90'`);
  await press('Save settings');
  expect(await textOf('.notice')).toBe('The settings were saved.');
  expect(await tab.evaluate<string>("document.querySelector('#custom_level').value")).toBe('90');
  // The server rejects values that the browser accepted.
  await tab.evaluate("void (document.querySelector('main form').noValidate = true)");
  await type('custom_level', '300');
  await press('Save settings');
  expect(await textOf('.error-summary')).toContain('The level must be a whole number from 1 to 255.');
  await expectGood('property-settings-error');

  // The playground.
  await go(`${propertyPath}/playground`);
  await isAt('Shop');
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  await expectGood('playground');
  await type('level', '100');
  await press('Try this level');
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  await tab.click(BOX);
  await tab.until("document.querySelector('#measured').textContent.startsWith('Your browser took')");
  expect(await textOf('#measured')).toMatch(/at least [\d,]+ HashWX hashes: about [\d,.]+ per second/);
  await expectGood('playground-solved');

  // Integration, the list, the form for another property, and the deletion.
  await go(`${propertyPath}/integration`);
  await isAt('Shop');
  await expectGood('integration');

  // The test shows every step of a verification.
  await go(`${propertyPath}/integration/test`);
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  await expectGood('integration-test');
  await tab.click("document.querySelector('#run')");
  await tab.until("document.querySelectorAll('.trial [data-state=done]').length === 4");
  expect(await textOf('#step-fetch .result')).toMatch(
    /Received \d+ bytes in [\d,]+ ms. The difficulty is 90./,
  );
  expect(await textOf('#step-solve .result')).toMatch(/Found in [\d,]+ ms, with WebAssembly./);
  expect(await textOf('#step-send .result')).toMatch(/Sent [\d,]+ bytes/);
  expect(await textOf('#step-verdict .result')).toBe(
    'The solution was accepted. Code 0, origin example.com.',
  );
  await expectGood('integration-test-done');
  await tab.click("document.querySelector('#run')");
  await tab.until(
    "document.querySelectorAll('.trial [data-state=done]').length === 4 && !document.querySelector('#run').disabled",
  );
  await go(`${propertyPath}/integration/test?page=https://www.example.com`);
  await tab.until(`${BOX}?.dataset.state === 'idle'`);
  await tab.click("document.querySelector('#run')");
  await tab.until("document.querySelector('#step-fetch').dataset.state === 'failed'");
  expect(await textOf('#step-fetch .result')).toContain('www.example.com is not example.com');
  expect(await textOf('#step-verdict .result')).toBe('Not reached');
  await expectGood('integration-test-failed');

  // A copy, and the import of an export.
  await go(`${propertyPath}/duplicate`);
  await expectGood('property-duplicate');
  await go(`${organization}/import`);
  await expectGood('properties-import');
  await go(`${organization}`);
  await isAt('My shops');
  await expectGood('properties');
  await press('Create property');
  await isAt('Create property');
  await expectGood('property-new');
  await go(`${propertyPath}/delete`);
  await isAt('Delete this property?');
  await expectGood('property-delete');
  await type('typed_name', 'Shop');
  await press('Delete property');
  await isAt('My shops');
  expect(await textOf('.notice')).toBe('“Shop” was deleted.');
  await expectGood('properties-none');
});

test('many properties with long names, also in Arabic, fit the width of the page', async () => {
  const { go, type, expectGood } = user;
  const { services } = server.app;
  const account = await addUser(server);
  const { id } = expectOk(
    await services.organizations.create(INSTALLATION, {
      name: `${'ل'.repeat(100)} and more`,
      ownerId: account.id,
    }),
  );
  const names = [
    'x'.repeat(128),
    'متجر '.repeat(25).trim(),
    ...Array.from({ length: 58 }, (_, i) => `Shop ${i}`),
  ];
  for (const name of names)
    await services.properties.create(INSTALLATION, {
      organizationId: id,
      name,
      domain: `${'sub.'.repeat(20)}example.com`,
    });
  const { secret } = await beginSession(server, account);
  await tab.cdp('Network.setCookie', { url, name: 'postern-session', value: secret });
  const path = `/portal/orgs/${services.ids.seal('organization', id)}`;
  await go(`${path}?sort=date_asc`);
  await tab.until("document.querySelectorAll('tbody tr').length === 25");
  await expectGood('properties-many');
  await type('filter-text', 'shop 57');
  await tab.until("document.querySelectorAll('tbody tr').length === 1");
  await expectGood('properties-found');
  await type('filter-text', 'nothing like it');
  await tab.until("document.querySelector('main').textContent.includes('No properties match.')");
  await expectGood('properties-not-found');
});

test('the first property can be created, and its state checked, without scripts', async () => {
  const { go, isAt, type, press, textOf } = user;
  const { services } = server.app;
  const account = await addUser(server);
  expectOk(await services.organizations.create(INSTALLATION, { name: 'No scripts', ownerId: account.id }));
  const { secret } = await beginSession(server, account);
  await tab.cdp('Network.setCookie', { url, name: 'postern-session', value: secret });
  await tab.block(['.js']);
  await go('/portal/first-property');
  await isAt('Protect your first property');
  await type('name', 'Plain');
  await type('domain', 'example.com');
  await press('Continue');
  await press('Check again');
  expect(await textOf('#state')).toContain('The widget has not requested a puzzle yet.');
  await tab.block([]);
});
