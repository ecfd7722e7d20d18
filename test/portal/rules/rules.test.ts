import { describe, expect, test } from 'bun:test';
import { HOUR, type Instant } from '../../../src/lib/time.ts';
import { INSTALLATION } from '../../../src/model/actor.ts';
import type { RuleScope } from '../../../src/model/rules/rule.ts';
import { TOKEN_FIELD } from '../../../src/portal/components/form.tsx';
import {
  addUser,
  type BrowserClient,
  formTokenOf,
  type PageResponse,
  signedIn,
} from '../../support/portal.ts';
import { expectOk } from '../../support/server.ts';
import { useFixture, useServer } from '../../support/useServer.ts';
import { examplePath } from '../kit/examples.ts';

const server = useServer();

/** An administrator with a property, and its rules without the example. */
const world = useFixture(
  async () => {
    const admin = await addUser(server, true);
    const browser = await signedIn(server, admin);
    const property = await examplePath('/portal/orgs/:org/properties/:property', server, admin);
    const id = server.app.services.ids.open('property', property.split('/').at(-1) ?? '');
    if (id === undefined) throw new Error('no property');
    await server.app.services.rules.replace(INSTALLATION, 'installation', []);
    const places: readonly (readonly [string, RuleScope])[] = [
      [`${property}/rules`, id],
      ['/portal/system/rules', 'installation'],
    ];
    return { browser, token: formTokenOf(server, browser), places };
  },
  { per: 'test' },
);

const FORM = {
  name: 'Attack',
  networks: '198.51.100.0/24, 203.0.113.0/24\r\n2001:db8::/32',
  countries: 'de us',
  user_agents: '*curl*\r\n*python*',
  action: 'block',
  mode: 'dry_run',
  place: 'last',
};

const rulesOf = async (scope: RuleScope) =>
  expectOk(await server.app.services.rules.list(INSTALLATION, scope)).rules;

/** Sends a form with its token. */
async function send(path: string, fields: Record<string, string>): Promise<PageResponse> {
  return world.browser.post(path, { [TOKEN_FIELD]: world.token, ...fields });
}

/** Sends a form with its token, and follows the redirect. */
async function sendAndFollow(path: string, fields: Record<string, string>): Promise<PageResponse> {
  const sent = await send(path, fields);
  expect([path, sent.status, sent.text.slice(0, 0)]).toEqual([path, 303, '']);
  return world.browser.follow(sent);
}

/** Runs a test for the rules of a property, and for those of the installation. */
async function inEachPlace(work: (path: string, scope: RuleScope, browser: BrowserClient) => Promise<void>) {
  for (const [path, scope] of world.places) await work(path, scope, world.browser);
}

/** The text of a page without tags. */
const textOf = ({ text }: PageResponse) => text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');

describe('the form of a rule', () => {
  /** The conditions whose fields are open. */
  const openIn = ({ text }: PageResponse) =>
    [...text.matchAll(/<details open=""><summary>[^<]*<\/summary>.*?<textarea id="(\w+)"/gs)].map(
      ([, id]) => id,
    );

  test('opens the conditions that have entries or an error; in a blank form, the first', () =>
    inEachPlace(async (path, scope, browser) => {
      expect(openIn(await browser.get(`${path}/new`))).toEqual(['networks']);
      const { networks: _, ...fields } = FORM;
      const rejected = await send(`${path}/new`, { ...fields, countries: 'XX1', user_agents: '' });
      expect(openIn(rejected)).toEqual(['countries']);
      await send(`${path}/new`, { ...FORM, networks: '' });
      const [rule] = await rulesOf(scope);
      expect(openIn(await browser.get(`${path}/${rule?.id}`))).toEqual(['countries', 'user_agents']);
    }));
});

describe('the list of rules', () => {
  test('starts with examples, which fill in the form', () =>
    inEachPlace(async (path, _, browser) => {
      const { text } = await browser.get(path);
      const links = [...text.matchAll(/href="([^"]+\/new\?example=\w+)"/g)].map(([, link = '']) => link);
      expect(links).toHaveLength(3);
      for (const link of links) {
        const example = await browser.get(link);
        expect([link, /name="name"[^>]* value="[^"]+"/.test(example.text)]).toEqual([link, true]);
      }
    }));

  test('shows each rule as a sentence, with its action, its mode, and its hits', () =>
    inEachPlace(async (path, _, browser) => {
      const shown = await sendAndFollow(`${path}/new`, FORM);
      expect(shown.text).toContain('The rule “Attack” was created.');
      const text = textOf(await browser.get(path));
      expect(text).toContain(
        'If the client address is in 198.51.100.0/24, 203.0.113.0/24, or 2001:db8::/32, the country is Germany or United States, and the user agent matches *curl* or *python*.',
      );
      expect(text).toMatch(/Block\s*Dry run\s*0\s*0\s*Never/);
    }));

  test('has buttons that move a rule, activate it, and start a dry run', () =>
    inEachPlace(async (path, scope) => {
      await send(`${path}/new`, FORM);
      await send(`${path}/new`, { ...FORM, name: 'Second', mode: 'active' });
      const [first, second] = await rulesOf(scope);
      const moved = await sendAndFollow(`${path}/change`, { up: second?.id ?? '' });
      expect(moved.text).toContain('The rule “Second” is now number 1.');
      expect((await rulesOf(scope)).map(({ name }) => name)).toEqual(['Second', 'Attack']);
      await sendAndFollow(`${path}/change`, { down: second?.id ?? '' });
      expect((await rulesOf(scope)).map(({ name }) => name)).toEqual(['Attack', 'Second']);
      await sendAndFollow(`${path}/change`, { activate: first?.id ?? '' });
      await sendAndFollow(`${path}/change`, { dry_run: second?.id ?? '' });
      expect((await rulesOf(scope)).map(({ isDryRun }) => isDryRun)).toEqual([false, true]);
      for (const fields of [{ up: '0000000000000000' }, {}] as Record<string, string>[])
        expect((await send(`${path}/change`, fields)).status).toBe(404);
    }));

  test('has several pages of less than 150 kB, and buttons lead back to the page of the rule', () =>
    inEachPlace(async (path, scope, browser) => {
      const agents = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(250));
      const rule = (name: string) => ({
        name: name.padEnd(128, '.'),
        action: 'block',
        conditions: {
          user_agents: agents,
          paths: ['/login*', `/${'x'.repeat(200)}`],
          countries: ['US', 'DE'],
        },
      });
      const rules = Array.from({ length: 100 }, (_, index) => rule(`Rule number ${index}`));
      expectOk(await server.app.services.rules.replace(INSTALLATION, scope, rules));
      const { text } = await browser.get(path);
      expect([text.includes('Rule number 19'), text.includes('Rule number 20')]).toEqual([true, false]);
      expect(Buffer.byteLength(text)).toBeLessThan(140_000);
      expect((await browser.get(`${path}?page=4`)).text).toContain('Rule number 99');
      const { id = '' } = (await rulesOf(scope))[20] ?? {};
      expect((await sendAndFollow(`${path}/change`, { activate: id })).text).toContain('Rule number 39');
      expect((await sendAndFollow(`${path}/change`, { up: id })).text).toContain('Rule number 1.');
    }));

  // Names are on a page four times, and a list of the longest rules with hits had pages of more than 150 kB.
  test.each([
    ['in another alphabet', '規則'.repeat(64), 'x'],
    ['of characters that HTML escapes', '&"'.repeat(64), '&'],
  ])(
    'has pages of less than 150 kB if all rules are as long as possible and have hits, with names %s',
    (_, name, letter) =>
      inEachPlace(async (path, scope, browser) => {
        const headers = (first: number) =>
          [0, 1, 2, 3].map((n) => `x-${'h'.repeat(120)}-${(first + n) % 16}: ${letter.repeat(100)}`);
        const rules = Array.from({ length: 100 }, (_, index) => ({
          name,
          action: 'adjust',
          levels: -128,
          conditions: {
            networks: Array.from({ length: 5 }, (_, n) => `2001:db8:1234:${index}:abcd:${n}::/96`),
            countries: ['US', 'GB', 'AE', 'BA', 'CD'],
            asns: Array.from({ length: 5 }, (_, n) => 4_200_000_000 + n),
            user_agents: Array.from({ length: 3 }, (_, n) => letter.repeat(100) + n),
            paths: Array.from({ length: 3 }, (_, n) => `/${letter.repeat(100)}${n}`),
            headers: headers(4 * index),
          },
        }));
        expectOk(await server.app.services.rules.replace(INSTALLATION, scope, rules));
        const ids = (await rulesOf(scope)).map(({ id }) => id);
        for (let hour = 0; hour < 24; hour++) {
          const lastHitAt = (server.clock.now - hour * HOUR) as Instant;
          await server.app.services.stores.rules.addHits(
            ids.map((id) => ({ id, hits: 1000 + hour, lastHitAt })),
          );
        }
        const { text } = await browser.get(path);
        expect(text).toMatch(/<svg viewBox="0 0 95 24"/);
        expect(Buffer.byteLength(text)).toBeLessThan(140_000);
      }),
  );
});

describe('the form of a rule', () => {
  test('creates a rule at the chosen position', () =>
    inEachPlace(async (path, scope) => {
      await send(`${path}/new`, FORM);
      await send(`${path}/new`, { ...FORM, name: 'Last' });
      await send(`${path}/new`, { ...FORM, name: 'First', place: 'first' });
      await send(`${path}/new`, { ...FORM, name: 'Second', place: 'after-1' });
      expect((await rulesOf(scope)).map(({ name }) => name)).toEqual(['First', 'Second', 'Attack', 'Last']);
    }));

  test('changes a rule, and shows its current values', () =>
    inEachPlace(async (path, scope, browser) => {
      await send(`${path}/new`, { ...FORM, action: 'adjust', levels: '-8' });
      const [rule] = await rulesOf(scope);
      const { text } = await browser.get(`${path}/${rule?.id}`);
      expect(text).toContain('198.51.100.0/24\n203.0.113.0/24\n2001:db8::/32</textarea>');
      expect(text).toMatch(/name="levels"[^>]* value="-8"/);
      const revision = /name="revision" value="(\d+)"/.exec(text)?.[1] ?? '';
      const changed = { ...FORM, name: 'Renamed', action: 'set', level: '200', mode: 'active', revision };
      await sendAndFollow(`${path}/${rule?.id}`, changed);
      expect(await rulesOf(scope)).toMatchObject([
        {
          id: rule?.id,
          name: 'Renamed',
          action: { kind: 'set', level: 200 },
          isEnabled: true,
          isDryRun: false,
        },
      ]);
      // The form was opened before the change above.
      const late = await send(`${path}/${rule?.id}`, { ...FORM, name: 'Late', revision });
      expect([late.status, late.text.includes('have been changed')]).toEqual([422, true]);
      expect(late.text).toContain('value="Late"');
      expect((await rulesOf(scope))[0]?.name).toBe('Renamed');
    }));

  test('names the line and the character of an error, and keeps what the user typed', () =>
    inEachPlace(async (path, scope) => {
      const networks = '192.0.2.0/24\r\n198.51.100.0/24 here\r\n';
      const shown = await send(`${path}/new`, { ...FORM, name: '', networks, countries: 'XX' });
      expect(shown.status).toBe(422);
      const summary = /class="error-summary"[\s\S]*?<\/ul>/.exec(shown.text)?.[0] ?? '';
      expect(summary).toContain('<a href="#name">The rule needs a name.</a>');
      expect(summary).toContain('<a href="#networks">Line 2, character 17: This is not an IP address');
      expect(summary).toContain('<a href="#countries">Line 1, character 1: This is not a country code');
      expect(shown.text).toContain('192.0.2.0/24\n198.51.100.0/24 here\n</textarea>');
      expect(await rulesOf(scope)).toEqual([]);
    }));

  test.each([
    ['without a condition', { networks: '', countries: '', user_agents: '' }, 'Enter at least one condition'],
    ['with an unknown action', { action: 'deny' }, 'The action must be allow, block, adjust, or set.'],
    ['without the levels to add', { action: 'adjust', levels: '' }, 'levels must be a whole number'],
    ['with too many levels', { action: 'adjust', levels: '255' }, 'levels must be a whole number'],
    ['with a fixed level of 0', { action: 'set', level: '0' }, 'level must be a whole number'],
  ])('rejects a rule %s', async (_, fields, message) => {
    await inEachPlace(async (path, scope) => {
      const shown = await send(`${path}/new`, { ...FORM, ...fields });
      expect([shown.status, shown.text.includes(message)]).toEqual([422, true]);
      expect(await rulesOf(scope)).toEqual([]);
    });
  });

  test('deletes a rule after a confirmation', () =>
    inEachPlace(async (path, scope, browser) => {
      await send(`${path}/new`, FORM);
      const [rule] = await rulesOf(scope);
      expect((await browser.get(`${path}/${rule?.id}`)).text).toContain('Delete the rule “Attack”?');
      const shown = await sendAndFollow(`${path}/${rule?.id}/delete`, {});
      expect(shown.text).toContain('The rule “Attack” was deleted.');
      expect(await rulesOf(scope)).toEqual([]);
      expect((await browser.get(`${path}/${rule?.id}`)).status).toBe(404);
    }));
});

describe('rules as JSON', () => {
  test('with too many values or levels are rejected before they are parsed', () =>
    inEachPlace(async (path, _, browser) => {
      for (const rules of [`[${'[],'.repeat(20_000)}[]]`, `${'['.repeat(33)}${']'.repeat(33)}`]) {
        const form = new FormData();
        form.set(TOKEN_FIELD, world.token);
        form.set('file', new File([rules], 'rules.json'));
        const shown = await browser.upload(`${path}/json`, form);
        expect(shown.status).toBe(422);
        expect(textOf(shown)).toContain('The JSON has too many values');
      }
    }));

  test('can be downloaded and sent back, and keep their ids', () =>
    inEachPlace(async (path, scope, browser) => {
      await send(`${path}/new`, FORM);
      const file = await browser.get(`${path}/rules.json`);
      expect(file.headers.get('content-disposition')).toBe('attachment; filename="rules.json"');
      const [before] = await rulesOf(scope);
      const page = await browser.get(`${path}/json`);
      expect(page.text).toContain(`&quot;${before?.id}&quot;`);
      const shown = await sendAndFollow(`${path}/json`, { rules: file.text });
      expect(shown.text).toContain('The list now has 1 rule.');
      expect((await rulesOf(scope))[0]?.id).toBe(before?.id as NonNullable<typeof before>['id']);
      const late = await send(`${path}/json`, { rules: file.text });
      expect([late.status, late.text.includes('have been changed')]).toEqual([422, true]);
    }));

  test.each([
    ['{', 'This is not valid JSON'],
    ['{"rule": []}', 'The JSON must be an array of rules'],
    [
      '[{"name":"A","action":"block","conditions":{"networks":["192.0.2.0/33"]}}]',
      'rules[0].conditions.networks[0]',
    ],
    ['[{"name":"A"}]', 'rules[0]'],
    ['[{"name":"A","<i>":1}]', 'rules[0]: The member &quot;&lt;i&gt;&quot; is unknown'],
    ['[{"conditions":{"{{path}}":1}}]', 'rules[0].conditions: The member &quot;{{path}}&quot; is unknown'],
    ['{"rule": []}', 'The member &quot;rule&quot; is unknown'],
    ['{"rules":[],"extra":1}', 'The member &quot;extra&quot; is unknown'],
    ['7', 'The rules must be an array.'],
  ])('reject %s and show the position', async (rules, message) => {
    await inEachPlace(async (path, scope) => {
      await send(`${path}/new`, FORM);
      const shown = await send(`${path}/json`, { rules });
      expect([shown.status, shown.text.includes(message)]).toEqual([422, true]);
      expect((await rulesOf(scope)).map(({ name }) => name)).toEqual(['Attack']);
    });
  });
});

describe('the test of a request', () => {
  test('starts with the request of the user, and explains which rule decides', () =>
    inEachPlace(async (path, scope, browser) => {
      await send(`${path}/new`, { ...FORM, networks: '', countries: '', mode: 'active' });
      await send(`${path}/new`, {
        ...FORM,
        name: 'Trial',
        user_agents: '*python*',
        networks: '',
        countries: '',
        place: 'first',
      });
      const form = await browser.get(`${path}/test`);
      expect(form.text).toMatch(/name="address"[^>]* value="[\d.:a-f]+"/);
      const shown = textOf(await send(`${path}/test`, { address: '192.0.2.1', user_agent: 'python curl' }));
      expect(shown).toContain('The request gets no puzzle');
      expect(shown).toContain('Matches, but is only counted, because it is in a dry run.');
      expect(shown).toContain('Decides, because it is the first active rule that matches.');
      expect(shown).toContain('the user agent matches *curl* or *python*');
      const other = textOf(await send(`${path}/test`, { user_agent: 'Firefox' }));
      expect(other).toContain('No rule decides.');
      expect(other).toContain('No enabled rule matches this request.');
      expect(other.includes('on a laptop')).toBe(scope !== 'installation');
      expect((await rulesOf(scope)).map(({ hits }) => hits)).toEqual([undefined, undefined]);
      const fields = { ...FORM, networks: '', countries: '', user_agents: '', downgrades: 'hashwx' };
      await send(`${path}/new`, { ...fields, mode: 'active' });
      const downgraded = textOf(await send(`${path}/test`, { downgrade: 'hashwx' }));
      expect(downgraded).toContain('If the puzzle is downgraded from HashWX.');
    }));

  test.each([
    ['address', '192.0.2', 'must be an IPv4 or IPv6 address'],
    ['country', 'Germany', 'Enter a two-letter code'],
    ['asn', 'x', 'Enter a whole number from 1 to 4294967294'],
    ['headers', 'a: b\r\nc', 'Line 2 is not a header'],
  ])('rejects an invalid %s', async (field, value, message) => {
    await inEachPlace(async (path) => {
      const shown = await send(`${path}/test`, { [field]: value });
      expect([shown.status, shown.text.includes(message)]).toEqual([422, true]);
      expect(shown.text).toContain(`<a href="#${field}">`);
    });
  });
});

test('administrators see that no GeoIP file is configured', async () => {
  const { text } = await world.browser.get('/portal/system/rules');
  expect(text).toContain('No GeoIP file is configured');
  expect(text).toContain('POSTERN_GEOIP_FILES');
});

test('a member who is not an administrator does not see which rule of the installation matches', async () => {
  const { rules } = server.app.services;
  const rule = { name: 'Secret rule', action: 'block', conditions: { networks: ['192.0.2.1'] } };
  expectOk(await rules.replace(INSTALLATION, 'installation', [rule]));
  const member = await addUser(server);
  const browser = await signedIn(server, member);
  const path = await examplePath('/portal/orgs/:org/properties/:property/rules/test', server, member);
  const fields = { [TOKEN_FIELD]: formTokenOf(server, browser), address: '192.0.2.1' };
  const { text } = await browser.post(path, fields);
  expect(text).toContain('A rule of the installation');
  expect(text).not.toContain('Secret rule');
  expectOk(await rules.replace(INSTALLATION, 'installation', []));
});
