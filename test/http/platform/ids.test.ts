import { beforeAll, describe, expect, test } from 'bun:test';
import { addTenant, NEVER_MS } from '../../support/server.ts';
import { useClient, useIds, useServer, useTenant } from '../../support/useServer.ts';

/** Tests rename the tables of organizations and properties, so queries of them fail. */
// Renaming the tables would look like a change by another process.
const server = useServer({ settings: { POSTERN_DNS_CHECK: 'off' }, watchEveryMs: NEVER_MS });
const foreign = useServer({ settings: { POSTERN_DNS_CHECK: 'off' } });
const tenant = useTenant(server);
const client = useClient(server, tenant);
const ids = useIds(server, tenant);

beforeAll(async () => {
  // From now on the key is cached, so any further database query is about the id.
  await client.get('/orgs');
  const { raw } = server;
  await raw.query('ALTER TABLE organizations RENAME TO hidden_organizations');
  await raw.query('ALTER TABLE properties RENAME TO hidden_properties');
});

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A request with the id, and the kind of the id. */
type Place = {
  readonly name: string;
  readonly kind: 'org' | 'property';
  /** Paths cannot contain empty segments or dots as names. */
  readonly isPath: boolean;
  readonly ask: (id: string) => readonly [method: string, path: string, body?: unknown];
};

const inPath = encodeURIComponent;
const item = { name: 'New', domain: 'example.com' };

// biome-ignore format: a table reads best with a row on a line
const PLACES: readonly Place[] = [
  { name: 'PUT /org', kind: 'org', isPath: false, ask: (id) => ['PUT', '/org', { id, name: 'New name' }] },
  { name: 'DELETE /org', kind: 'org', isPath: false, ask: (id) => ['DELETE', '/org', { id }] },
  { name: 'GET /org/:id/properties', kind: 'org', isPath: true, ask: (id) => ['GET', `/org/${inPath(id)}/properties`] },
  { name: 'GET /org/:id/property/x', kind: 'org', isPath: true, ask: (id) => ['GET', `/org/${inPath(id)}/property/${ids.property}`] },
  { name: 'POST /org/:id/properties', kind: 'org', isPath: true, ask: (id) => ['POST', `/org/${inPath(id)}/properties`, [item]] },
  { name: 'GET /org/x/property/:id', kind: 'property', isPath: true, ask: (id) => ['GET', `/org/${ids.org}/property/${inPath(id)}`] },
  { name: 'PUT /properties', kind: 'property', isPath: false, ask: (id) => ['PUT', '/properties', [{ id, level: 5 }]] },
  { name: 'DELETE /properties', kind: 'property', isPath: false, ask: (id) => ['DELETE', '/properties', [id]] },
];

/** Texts similar to the id. */
function variantsOf(id: string): readonly string[] {
  const at = (index: number, sign: string) => `${id.slice(0, index)}${sign}${id.slice(index + 1)}`;
  const characters = [...id];
  const flipped = characters.flatMap((character, index) => {
    const next = ALPHABET[(ALPHABET.indexOf(character) + 1) % 64] ?? '';
    const far = ALPHABET[(ALPHABET.indexOf(character) + 32) % 64] ?? '';
    return [at(index, next), at(index, far), at(index, 'é'), `${id.slice(0, index)}${id.slice(index + 1)}`];
  });
  const turned = characters.map((character, index) =>
    at(index, character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase()),
  );
  const letters = (a: string, b: string) => (id.includes(a) ? id.replace(a, b) : at(3, b));
  return [
    ...flipped,
    ...turned,
    id.toUpperCase(),
    id.toLowerCase(),
    characters.toReversed().join(''),
    `${id}=`,
    `${id}==`,
    `${id}A`,
    ` ${id}`,
    `${id} `,
    `${id}\n`,
    `${id}\0`,
    `"${id}"`,
    `${id},${id}`,
    `${id}${id}`,
    Buffer.from(id, 'base64url').toString('hex'),
    at(5, '+'),
    at(5, '/'),
    at(5, '%'),
    letters('A', 'А'),
    letters('e', 'е'),
    letters('o', '\u03bf'),
    at(7, '\uff11'),
    at(7, '\u200b'),
    [...id].map((sign) => String.fromCodePoint(0xfee0 + (sign.codePointAt(0) ?? 0))).join(''),
    '1',
    '0',
    '-1',
    String(tenant.organization.id),
    'null',
    'undefined',
    '[object Object]',
    'A'.repeat(22),
    'AQAAAAAAAAAAAAAAAAAAAQ',
    'x'.repeat(10_240),
    "' OR 1=1 --",
    '../orgs',
    '{org_id}',
    ':org_id',
    tenant.property.sitekey,
    '00000000-0000-0000-0000-000000000000',
  ].filter((forged) => forged !== id);
}

describe.each(PLACES.map((place) => [place.name, place] as const))(
  'an id in %s',
  (_, { kind, isPath, ask }) => {
    const code = kind === 'org' ? 1109 : 1212;
    /** @returns ids that do not get the expected code */
    async function wrongOf(ids: readonly string[]): Promise<readonly unknown[]> {
      const wrong: unknown[] = [];
      for (const id of ids) {
        const [method, path, body] = ask(id);
        const reply = await client.ask(method, path, body);
        if (reply.status !== 400 || reply.code !== code) wrong.push([id, reply.status, reply.code]);
      }
      return wrong;
    }

    test('with any changed character is rejected without a database query', async () => {
      const before = await server.written();
      expect(await wrongOf(variantsOf(kind === 'org' ? ids.org : ids.property))).toEqual([]);
      expect(await server.written()).toEqual(before);
    });

    test('of another kind or another installation is rejected without a database query', async () => {
      const { seal } = server.app.services.ids;
      const theirs = await addTenant(foreign);
      const before = await server.written();
      const others = [
        kind === 'org' ? ids.property : ids.org,
        seal('account', tenant.account.id),
        seal('api-key', 1 as never),
        foreign.app.services.ids.seal('organization', theirs.organization.id),
        foreign.app.services.ids.seal('property', theirs.property.id),
      ];
      expect(await wrongOf(others)).toEqual([]);
      expect(await server.written()).toEqual(before);
    });

    if (isPath) return;
    const empty = kind === 'org' ? 1108 : 1211;

    // Some requests treated null as a wrong type, others as a missing id.
    test.each([
      ['""', ''],
      ['null', null],
    ])('that is %s counts as missing', async (_, id) => {
      const [method, path, body] = ask(id as string);
      expect(await client.ask(method, path, body)).toMatchObject({ status: 400, code: empty });
    });

    const mistyped = [0, 1, true, [], {}, ['x'], { id: 'x' }].map((id) => [JSON.stringify(id), id] as const);
    test.each(mistyped)('that is %s has the wrong type', async (_, id) => {
      const [method, path, body] = ask(id as string);
      const reply = await client.ask(method, path, body);
      expect(reply).toMatchObject({
        status: 400,
        code: 1001,
        description: expect.stringContaining('string'),
      });
    });
  },
);

test('a valid id is looked up in the database, which fails here', async () => {
  for (const { name, ask } of PLACES.filter(({ name }) => !name.endsWith(' /properties'))) {
    const [method, path, body] = ask(name.includes('x/property') ? ids.property : ids.org);
    expect([name, await client.ask(method, path, body)]).toMatchObject([name, { status: 500, code: 1001 }]);
  }
});
