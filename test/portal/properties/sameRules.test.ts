import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PROBLEMS, type Problem } from '../../../src/model/problems.ts';
import { sentenceFor } from '../../../src/portal/kit/forms.ts';
import { type Api, api } from '../../support/platform.ts';
import {
  addProperty,
  addPropertyOwner,
  DEFAULT_FIELDS,
  type PropertyOwner,
  propertyPath,
} from '../../support/propertyOwner.ts';
import { addKey, startServer, type TestServer } from '../../support/server.ts';

/** The portal's forms and the Platform API have the same results. */

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ settings: { POSTERN_DNS_CHECK: 'off', POSTERN_PLAN_PROPERTIES: '3' } });
});
afterAll(() => server.stop());

type Fields = Readonly<Record<string, string | number | boolean>>;
type Case = readonly [what: string, fields: Fields, problem: Problem | undefined];

/** One field with a valid or an invalid value, for new properties and for changes. */
// biome-ignore format: a table reads best with a row on a line
const CASES: readonly Case[] = [
  ['a name with white space around it', { name: '  Shop 2 ' }, undefined],
  ['no name', { name: '   ' }, 'property-name-empty'],
  ['a name of 128 characters', { name: '\u{1f339}'.repeat(128) }, undefined],
  ['a name of 129 characters', { name: 'x'.repeat(129) }, 'property-name-too-long'],
  ['a name with a line break', { name: 'a\nb' }, 'property-name-malformed'],
  ['a name with a joiner', { name: 'a\u200db' }, 'property-name-malformed'],
  ['a name with brackets', { name: '<b>' }, 'property-name-malformed'],
  ['a name that is taken, in another case', { name: 'TAKEN' }, 'property-name-taken'],
  ['no domain', { domain: '' }, 'domain-empty'],
  ['a domain in Unicode', { domain: 'Bücher.example' }, undefined],
  ['localhost', { domain: 'localhost' }, 'domain-localhost'],
  ['an address', { domain: '0x7f.1' }, 'domain-is-address'],
  ['an IPv6 address', { domain: '[::1]' }, 'domain-is-address'],
  ['a wildcard', { domain: '*.example.com' }, 'domain-malformed'],
  ['a single label', { domain: 'intranet' }, 'domain-single-label'],
  ['an empty label', { domain: 'a..b' }, 'domain-not-valid'],
  ['a public suffix', { domain: 'co.uk' }, 'domain-is-suffix'],
  ['the lowest level', { level: 1 }, undefined],
  ['the highest level', { level: 255 }, undefined],
  ['level 0', { level: 0 }, 'level-malformed'],
  ['level 256', { level: 256 }, 'level-malformed'],
  ['a fractional level', { level: 1.5 }, 'level-malformed'],
  ['an unknown growth', { growth: 'furious' }, 'growth-unknown'],
  ['argon2id', { challenge: 'argon2id' }, undefined],
  ['HashWX', { challenge: 'hashwx' }, undefined],
  ['an unknown kind of work', { challenge: 'scrypt' }, 'challenge-unknown'],
  ['the shortest validity', { validity_seconds: 60 }, undefined],
  ['the longest validity', { validity_seconds: 172_800 }, undefined],
  ['a validity that is too short', { validity_seconds: 59 }, 'validity-malformed'],
  ['a validity that is too long', { validity_seconds: 172_801 }, 'validity-malformed'],
  ['zero verifications', { max_replay_count: 0 }, 'allowance-malformed'],
  ['a million verifications', { max_replay_count: 1_000_000 }, undefined],
  ['more than a million', { max_replay_count: 1_000_001 }, 'allowance-malformed'],
];

type Ending = { readonly code: number; readonly sentence: string };
const GOOD = { code: 1000, sentence: '' };

function endingOf(problem: Problem | undefined): Ending {
  return problem === undefined
    ? GOOD
    : { code: PROBLEMS[problem].code, sentence: PROBLEMS[problem].sentence };
}

/** Through the Platform API: the response, or the result of the task. */
async function byApi(client: Api, method: string, path: string, item: unknown): Promise<Ending> {
  const asked = await client.ask<{ id?: string } | null>(method, path, [item]);
  if (asked.code !== 1000) return { code: asked.code, sentence: asked.description };
  const [entry] = await client.finished(asked.data?.id ?? '');
  return entry?.code === 1000 ? GOOD : { code: entry?.code ?? 0, sentence: entry?.description ?? '' };
}

/** Through a form: the sentence of its only error, and the code of the problem with this sentence. */
async function byForm({ browser }: PropertyOwner, path: string, fields: Fields): Promise<Ending> {
  // The form has a checkbox beside the count, and a unit beside the validity.
  const { validity_seconds: validity, ...others } = fields;
  const box = { accept_repeated: 'max_replay_count' in fields };
  const duration = validity === undefined ? {} : { validity, validity_unit: 'seconds' };
  const texts = Object.entries({ ...others, ...box, ...duration }).filter(([, value]) => value !== false);
  const shown = await browser.fill(path, {
    ...DEFAULT_FIELDS,
    ...Object.fromEntries(texts.map(([name, value]) => [name, value === true ? 'on' : String(value)])),
  });
  if (shown.status === 303) return GOOD;
  expect(shown.status).toBe(422);
  const told = [
    ...shown.text.matchAll(/<li><a href="#\w+">([^<]*)<\/a><\/li>|<li>([^<]*)<\/li>(?=<\/ul><\/div>)/g),
  ];
  expect(told).toHaveLength(1);
  const sentence = (told[0]?.[1] ?? told[0]?.[2] ?? '').replaceAll('&#39;', "'");
  // The form names the units that it offers.
  const shownProblem =
    sentence === sentenceFor('validity-out-of-range') ? PROBLEMS['validity-malformed'] : undefined;
  const problem = shownProblem ?? Object.values(PROBLEMS).find((one) => one.sentence === sentence);
  return { code: problem?.code ?? 0, sentence: problem?.sentence ?? sentence };
}

async function world() {
  const owner = await addPropertyOwner(server);
  const org = server.app.services.ids.seal('organization', owner.organization.id);
  const client = api(server, await addKey(server.app.services, owner.account, 'portal'));
  return { owner, org, client, list: `/org/${org}/properties` };
}

const propertiesOf = async ({ organization }: PropertyOwner) =>
  (await server.app.services.stores.properties.list(organization.id)).map(
    ({ id, sitekey, organizationId, createdAt, ...rest }) => rest,
  );

describe('a URL as the domain', () => {
  test.each([
    ['https://www.Example.com:8443/login?x=1', 'www.example.com'],
    ['https://ann:secret@münchen.de./', 'xn--mnchen-3ya.de'],
    ['example.org/path', 'example.org'],
  ])('%s is rejected by the API, and reduced to its host by the forms, with a note', async (url, domain) => {
    const { owner, client, list } = await world();
    expect(await byApi(client, 'POST', list, { name: 'Api', domain: url })).toEqual(
      endingOf('domain-malformed'),
    );
    const done = await owner.browser.fill(`${owner.path}/new`, { ...DEFAULT_FIELDS, domain: url });
    const shown = (await owner.browser.follow(done)).text;
    expect(shown).toContain('was reduced to its host, because the domain has no scheme, port, or path.');
    const first = { name: 'First', domain: url };
    expect((await owner.browser.fill(`${owner.path}/first-property`, first)).status).toBe(303);
    const [one] = await server.app.services.stores.properties.list(owner.organization.id);
    const settings = `${propertyPath(server, owner, one as never)}/settings`;
    const same = await owner.browser.fill(settings, { ...DEFAULT_FIELDS, domain: url });
    expect((await owner.browser.follow(same)).text).toContain('No setting was changed.');
    expect((await propertiesOf(owner)).map((property) => property.domain)).toEqual([domain, domain]);
  });

  test.each([
    ['https://localhost:3000/', 'domain-localhost'],
    ['https://[2001:db8::1]/', 'domain-is-address'],
    ['https://127.0.0.1/', 'domain-is-address'],
    ['https://co.uk/', 'domain-is-suffix'],
    ['https://*.example.com/', 'domain-malformed'],
  ] as const)('%s is rejected by the forms too', async (url, problem) => {
    const { owner } = await world();
    expect(await byForm(owner, `${owner.path}/new`, { domain: url })).toEqual(endingOf(problem));
    expect(await propertiesOf(owner)).toEqual([]);
  });

  test('is shown as the host if the form has another error', async () => {
    const { owner } = await world();
    const fields = { ...DEFAULT_FIELDS, name: '', domain: 'https://example.com/"><b>' };
    const { text } = await owner.browser.fill(`${owner.path}/new`, fields);
    expect(text).toContain('name="domain" type="text" value="example.com"');
    expect(text).toContain('“https://example.com/&quot;&gt;&lt;b&gt;” was reduced to its host');
  });
});

describe('a new property', () => {
  test.each(CASES)('with %s has the same result through the form and the API', async (_, fields, problem) => {
    const [one, other] = [await world(), await world()];
    for (const { owner } of [one, other]) await addProperty(server, owner, { name: 'Taken' });
    const viaForm = await byForm(one.owner, `${one.owner.path}/new`, fields);
    const item = { name: 'Shop', domain: 'example.com', ...fields };
    const viaApi = await byApi(other.client, 'POST', other.list, item);
    expect({ viaForm, viaApi }).toEqual({ viaForm: endingOf(problem), viaApi: endingOf(problem) });
    expect(await propertiesOf(one.owner)).toEqual(await propertiesOf(other.owner));
  });

  test('beyond the quota has the same result', async () => {
    const { owner, client, list } = await world();
    for (const name of ['a', 'b', 'c']) await addProperty(server, owner, { name });
    const viaForm = await byForm(owner, `${owner.path}/new`, {});
    const viaApi = await byApi(client, 'POST', list, { name: 'Shop', domain: 'example.com' });
    expect([viaForm, viaApi]).toEqual([endingOf('properties-limit'), endingOf('properties-limit')]);
    expect(await propertiesOf(owner)).toHaveLength(3);
  });
});

describe('a changed property', () => {
  test.each(CASES)('to %s has the same result through the form and the API', async (_, fields, problem) => {
    const [one, other] = [await world(), await world()];
    for (const { owner } of [one, other]) await addProperty(server, owner, { name: 'Taken' });
    const [ours, theirs] = [await addProperty(server, one.owner), await addProperty(server, other.owner)];
    const path = `${propertyPath(server, one.owner, ours)}/settings`;
    const viaForm = await byForm(one.owner, path, fields);
    const id = server.app.services.ids.seal('property', theirs.id);
    const viaApi = await byApi(other.client, 'PUT', '/properties', { id, ...fields });
    expect({ viaForm, viaApi }).toEqual({ viaForm: endingOf(problem), viaApi: endingOf(problem) });
    expect(await propertiesOf(one.owner)).toEqual(await propertiesOf(other.owner));
  });
});

describe('the property of another user', () => {
  test('is rejected by the API, not found by the form, and does not change', async () => {
    const [owner, thief] = [await world(), await world()];
    const property = await addProperty(server, owner.owner);
    const id = server.app.services.ids.seal('property', property.id);
    const before = await propertiesOf(owner.owner);
    const change = await byApi(thief.client, 'PUT', '/properties', { id, level: 1 });
    const removal = await byApi(thief.client, 'DELETE', '/properties', id);
    const creation = await byApi(thief.client, 'POST', owner.list, { name: 'Mine', domain: 'example.com' });
    expect([change, removal]).toEqual([endingOf('property-not-yours'), endingOf('property-not-yours')]);
    expect(creation).toEqual(endingOf('organization-not-yours'));
    const token = /name="form_token" value="([^"]*)"/.exec(
      (await thief.owner.browser.get(`${thief.owner.path}/new`)).text,
    );
    const fields = { ...DEFAULT_FIELDS, typed_name: 'Shop', form_token: token?.[1] ?? '' };
    const theirs = propertyPath(server, owner.owner, property);
    // Its own organization in the path does not help either.
    const mixed = propertyPath(server, thief.owner, property);
    for (const path of [
      `${theirs}/settings`,
      `${theirs}/delete`,
      `${mixed}/settings`,
      `${mixed}/delete`,
      `${owner.owner.path}/new`,
    ])
      expect([path, (await thief.owner.browser.post(path, fields)).status]).toEqual([path, 404]);
    expect(await propertiesOf(owner.owner)).toEqual(before);
  });
});
