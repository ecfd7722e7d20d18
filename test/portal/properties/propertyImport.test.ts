import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { INSTALLATION } from '../../../src/model/actor.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/propertyFields.ts';
import { startDns } from '../../support/dns.ts';
import { tokenIn } from '../../support/portal.ts';
import { addProperty, addPropertyOwner, type PropertyOwner } from '../../support/propertyOwner.ts';
import { startServer, type TestServer } from '../../support/server.ts';
import { useServer } from '../../support/useServer.ts';

const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_PROPERTIES: '1500' } });

const propertiesOf = ({ organization }: PropertyOwner, at: TestServer = server) =>
  at.app.services.stores.properties.list(organization.id);

async function preview(
  { browser, path }: PropertyOwner,
  file: string | Uint8Array<ArrayBuffer>,
  options = {},
) {
  const form = new FormData();
  form.set('form_token', tokenIn(await browser.get(`${path}/import`)));
  form.set('file', new File([file], 'properties.csv'));
  for (const [name, value] of Object.entries<string>(options)) form.set(name, value);
  return browser.upload(`${path}/import`, form);
}

/** Presses the button of a preview. */
async function apply({ browser, path }: PropertyOwner, text: string, options = {}) {
  const [, form = ''] =
    /<form method="post" action="[^"]*\/import\/apply"[^>]*>([\s\S]*?)<\/form>/.exec(text) ?? [];
  const body = new FormData();
  for (const [, name = '', value = ''] of form.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)"/g,
  ))
    body.set(name, value);
  for (const [name, value] of Object.entries<string>(options)) body.set(name, value);
  return browser.upload(`${path}/import/apply`, body);
}

describe('an export', () => {
  test.each([
    ['csv', 'text/csv; charset=utf-8; header=present'],
    ['json', 'application/json; charset=utf-8'],
  ])('as %s contains all properties, and its import changes nothing', async (format, type) => {
    const owner = await addPropertyOwner(server);
    await addProperty(server, owner, { name: '=A, "B"', level: 99, growth: 'fast', allowsLocalhost: true });
    await addProperty(server, owner, { name: 'Second', isEnabled: false, validitySeconds: 1801 });
    const file = await owner.browser.get(`${owner.path}/export.${format}`);
    expect([file.status, file.headers.get('content-type')]).toEqual([200, type]);
    expect(file.headers.get('content-disposition')).toMatch(
      new RegExp(`^attachment; filename="postern-properties-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
    );
    const before = await propertiesOf(owner);
    const shown = await preview(owner, file.text);
    expect(shown.text).toContain('The file changes nothing: all properties have these settings already.');
    expect(await propertiesOf(owner)).toEqual(before);
  });

  test('of many properties is complete', async () => {
    const owner = await addPropertyOwner(server);
    for (let i = 0; i < 1101; i++) await addProperty(server, owner, { name: `Shop ${i}` });
    const { text } = await owner.browser.get(`${owner.path}/export.json`);
    const names = (JSON.parse(text) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(Array.from({ length: 1101 }, (_, i) => `Shop ${i}`));
  }, 60_000);
});

describe('an import', () => {
  test('with more fields than any form has is rejected before it is read', async () => {
    const { browser, path } = await addPropertyOwner(server);
    const send = (fields: number) => {
      const form = new FormData();
      form.set('form_token', 'x');
      for (let i = 1; i < fields; i++) form.set(`${i}`, '');
      return browser.upload(`${path}/import`, form);
    };
    const responses = [await send(64), await send(65), await send(10_000)];
    // The form token is wrong.
    expect(responses.map(({ status }) => status)).toEqual([403, 413, 413]);
  });

  test('shows all changes first, and then applies them', async () => {
    const owner = await addPropertyOwner(server);
    const one = await addProperty(server, owner, { name: 'One' });
    const two = await addProperty(server, owner, { name: 'Two' });
    const csv = `name,domain,sitekey,level\nOne,example.com,${one.sitekey},90\nTwo,,${two.sitekey},\nNew,example.org,,\n`;
    const shown = await preview(owner, csv);
    expect(shown.status).toBe(200);
    for (const text of [
      '1 property will be created.',
      '1 property will be changed.',
      '1 property stays as it is.',
      '<code>level</code>: 128 → 90',
      'New property for example.org',
      'Import 2 properties',
    ])
      expect(shown.text).toContain(text);
    expect(await propertiesOf(owner)).toEqual([one, two]);
    const done = await apply(owner, shown.text);
    expect(done.redirectPath).toBe(owner.path);
    expect((await owner.browser.follow(done)).text).toContain('2 properties were imported.');
    const [first, second, third] = await propertiesOf(owner);
    expect([first, second]).toEqual([{ ...one, level: 90 }, two]);
    expect(third).toMatchObject({ ...DEFAULT_SETTINGS, name: 'New', domain: 'example.org' });
    const filter = { organizationId: owner.organization.id };
    const { entries } = await server.app.services.audit.list(INSTALLATION, filter, { limit: 9 });
    expect(entries.map(({ action, source }) => [action, source])).toEqual([
      ['property-created', 'portal'],
      ['property-updated', 'portal'],
    ]);
    // Sending the form again changes nothing, because the properties have these settings now, or the name is taken.
    const again = await apply(owner, shown.text);
    expect([again.status, again.text.includes('has a problem')]).toEqual([422, true]);
    expect(await propertiesOf(owner)).toHaveLength(3);
  });

  test('names the line, the column, and the problem of each row, and offers no import', async () => {
    const owner = await addPropertyOwner(server);
    const before = await server.written();
    const shown = await preview(
      owner,
      'name,domain,level\n<b>,example.com,5\nA,example.com,0\nB,https://x.com,\n',
    );
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('3 properties have problems.');
    for (const [line, column] of [
      [2, 'name'],
      [3, 'level'],
      [4, 'domain'],
    ])
      expect(shown.text).toMatch(new RegExp(`<td[^>]*>${line}</td>.*?<code>${column}</code>`, 's'));
    expect(shown.text).toContain('<bdi class="long">&lt;b&gt;</bdi>');
    expect(shown.text).not.toContain('/import/apply');
    expect(await propertiesOf(owner)).toEqual([]);
    expect((await server.written()).commits).toBe(before.commits);
  });

  test.each([
    ['no file', '', 'Choose a CSV or JSON file.'],
    [
      'an unknown column',
      'name,color\nA,red\n',
      'The file has a column that is not part of the format. (&quot;color&quot;)',
    ],
    ['a broken file', 'name,domain\n"A\n', 'The CSV file could not be read. ('],
    ['too many rows', `name\n${'A\n'.repeat(1001)}`, 'The file has more than 1,000 properties.'],
  ])('of %s shows the form with the error', async (_, file, sentence) => {
    const owner = await addPropertyOwner(server);
    const shown = await preview(owner, file);
    expect(shown.status).toBe(422);
    expect(shown.text).toContain(`id="file-error">${sentence}`);
  });

  test('of a file above the limit is rejected', async () => {
    const owner = await addPropertyOwner(server);
    const large = await preview(owner, `name\n${'A'.repeat(800 * 1024)}`);
    expect([large.status, large.text.includes('larger than 768 KiB')]).toEqual([422, true]);
    expect((await preview(owner, new Uint8Array(2 * 1024 ** 2))).status).toBe(413);
  });

  test('rejects contents that are not a file, or that are too large when they are unpacked', async () => {
    const owner = await addPropertyOwner(server);
    const token = tokenIn(await owner.browser.get(`${owner.path}/import`));
    for (const contents of ['', 'x', gzipSync(Buffer.alloc(100 * 1024 ** 2)).toString('base64')]) {
      const form = new FormData();
      form.set('form_token', token);
      form.set('contents', contents);
      expect((await owner.browser.upload(`${owner.path}/import/apply`, form)).status).toBe(422);
    }
    expect(await propertiesOf(owner)).toEqual([]);
  });

  test('requires the token of the form, and files are accepted only by its routes', async () => {
    const owner = await addPropertyOwner(server);
    const form = new FormData();
    form.set('file', new File(['name,domain\nA,example.com\n'], 'a.csv'));
    expect((await owner.browser.upload(`${owner.path}/import`, form)).status).toBe(403);
    form.set('form_token', tokenIn(await owner.browser.get(`${owner.path}/import`)));
    expect((await owner.browser.upload(`${owner.path}/new`, form)).status).toBe(415);
    const broken = { 'Content-Type': 'multipart/form-data; boundary=x' };
    expect((await owner.browser.post(`${owner.path}/import`, { a: 'b' }, broken)).status).toBe(415);
  });

  test('copies properties to another organization with new sitekeys, if the user wants that', async () => {
    const [from, to] = [await addPropertyOwner(server), await addPropertyOwner(server)];
    const original = await addProperty(server, from, { name: 'Moved', level: 90 });
    const { text } = await from.browser.get(`${from.path}/export.csv`);
    expect((await preview(to, text)).text).toContain('No property of this organization has this sitekey.');
    const shown = await preview(to, text, { create_unknown: 'on' });
    expect(shown.text).toContain('New property for example.com, with a new sitekey');
    await apply(to, shown.text);
    const [copy] = await propertiesOf(to);
    expect(copy).toMatchObject({ name: 'Moved', level: 90 });
    expect(copy?.sitekey).not.toBe(original.sitekey);
  });

  test('of 1,000 new properties fits the limit of a page, and is applied', async () => {
    const owner = await addPropertyOwner(server);
    const items = Array.from({ length: 1000 }, (_, i) => ({
      name: `Shop ${i} ${crypto.randomUUID()}`,
      domain: `${crypto.randomUUID()}.example.com`,
    }));
    const shown = await preview(owner, JSON.stringify(items));
    expect(shown.text.length).toBeLessThan(150_000);
    expect(shown.text).toContain('950 more are not shown.');
    const done = await apply(owner, shown.text);
    expect((await owner.browser.follow(done)).text).toContain('1000 properties were imported.');
    expect(await propertiesOf(owner)).toHaveLength(1000);
  });
});

test('an import with a domain that does not resolve shows the problem, and can skip the check', async () => {
  const dns = await startDns({ 'shop.example.org': { A: ['192.0.2.1'] } });
  const checking = await startServer({ settings: { POSTERN_DNS_SERVERS: dns.address } });
  const owner = await addPropertyOwner(checking);
  const shown = await preview(owner, 'name,domain\nA,shop.example.org\nB,missing.example.org\n');
  const rejected = await apply(owner, shown.text);
  expect(rejected.status).toBe(422);
  expect(rejected.text).toContain('Nothing was imported, because of the problems below.');
  expect(rejected.text).toMatch(/<td[^>]*>3<\/td>.*does not resolve/s);
  expect(await propertiesOf(owner, checking)).toEqual([]);
  const done = await apply(owner, shown.text, { skip_dns_check: 'on' });
  expect(done.status).toBe(303);
  expect(await propertiesOf(owner, checking)).toHaveLength(2);
  await checking.stop();
  await dns.stop();
});
