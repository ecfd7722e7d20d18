import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '../../support/server.ts';
import { openRaw } from '../../support/testStorage.ts';
import {
  ANN,
  BEN,
  created,
  DOCUMENT,
  FRIENDS,
  OTHER_SITEKEY,
  SHOP,
  SITEKEY,
  SMALL,
  unchanged,
  useTarget,
  withProperties,
  withProperty,
} from './documents.ts';

const target = useTarget();

describe('an import', () => {
  test('creates everything, and repeating it changes nothing', async () => {
    const everything = { plans: 1, users: 2, organizations: 1, members: 1, properties: 1 };
    const all = (count: (number: number) => object) =>
      Object.fromEntries(Object.entries(everything).map(([kind, number]) => [kind, count(number)]));
    expect(await target.succeed(DOCUMENT)).toEqual({ ok: true, dry_run: false, ...all(created) });
    const [before, entries] = [await target.exported(), await target.cli().json('audit list')];
    expect(await target.succeed(DOCUMENT, '')).toEqual({ ok: true, dry_run: false, ...all(unchanged) });
    expect(await target.exported()).toBe(before);
    // The two exports have audit log entries. The second import has none.
    expect(await target.cli().json('audit list')).toHaveLength(entries.length + 1);
  });

  test('accepts the members of objects in any order, and files of any layout', async () => {
    const { properties, ...head } = FRIENDS;
    const news = { ...SHOP, name: 'News', sitekey: OTHER_SITEKEY };
    const organizations = [
      { properties: [news], ...head, name: 'Others' },
      { properties, ...head },
    ];
    const { format, version, rules, plans, users } = DOCUMENT;
    const file = join(target.cli().folder, 'unordered.json');
    writeFileSync(file, JSON.stringify({ organizations, users, plans, rules, version, format }, null, 4));
    const { code, out } = await target.cli().run(`import ${file} --create-users --json`);
    expect({ code, ...JSON.parse(out) }).toMatchObject({
      code: 0,
      properties: created(2),
      organizations: created(2),
    });
    const exported = JSON.parse(await target.exported());
    expect(exported.organizations).toMatchObject([
      { name: FRIENDS.name, properties: [SHOP] },
      { name: 'Others', properties: [news] },
    ]);
  });

  test('with --dry-run reports the same numbers, and changes nothing', async () => {
    expect(await target.succeed(DOCUMENT, '--dry-run --create-users')).toMatchObject({
      dry_run: true,
      users: created(2),
      properties: created(1),
    });
    expect(await target.cli().json('users list')).toEqual([]);
    expect(await target.cli().json('audit list')).toEqual([]);
    expect(JSON.parse(await target.exported())).toMatchObject({ plans: [], organizations: [] });
  });

  test('lists the users that do not exist, unless it creates them', async () => {
    await target.cli().json('users create --email ann@example.com');
    expect(await target.fail(DOCUMENT, '')).toEqual([
      '$.users[1].email: This user does not exist; create the user first, or use --create-users. (ben@example.com)',
    ]);
    expect(await target.cli().json('orgs list')).toEqual([]);
    // The existing user keeps the plan and the name.
    expect(await target.succeed(DOCUMENT)).toMatchObject({ users: { created: 1, unchanged: 1 } });
    expect(await target.cli().json('users list')).toMatchObject([
      { email: 'ann@example.com', name: 'ann@example.com', plan: 'default' },
      { email: 'ben@example.com', disabled: true },
    ]);
  });

  test('creates users who cannot sign in and are not administrators', async () => {
    await target.succeed(DOCUMENT);
    const raw = await openRaw(target.cli().dataDir);
    const rows = await raw.query('SELECT is_admin AS admin FROM accounts WHERE password_hash IS NULL');
    await raw.close();
    expect(rows.map(({ admin }) => Boolean(admin))).toEqual([false, false]);
  });

  test('adds missing members and properties to an organization that exists', async () => {
    await target.succeed(DOCUMENT);
    const news = { ...SHOP, name: 'News', sitekey: OTHER_SITEKEY };
    expect(await target.succeed({ ...withProperties(news, SHOP), plans: [] })).toMatchObject({
      organizations: unchanged(1),
      members: unchanged(1),
      properties: { created: 1, unchanged: 1 },
    });
    // Objects that the document does not contain remain.
    await target.succeed({
      ...withProperties(),
      organizations: [{ ...FRIENDS, members: [], properties: [] }],
    });
    const { organizations } = JSON.parse(await target.exported());
    expect(organizations).toEqual([{ ...FRIENDS, properties: [news, SHOP] }]);
  });

  test('normalizes names, email addresses, domains, and sitekeys like the Platform API', async () => {
    const { level, growth, challenge, ...rest } = SHOP;
    const property = {
      ...rest,
      name: ' Shop ',
      domain: 'Exämple.com.',
      sitekey: 'AEA467BC-3156-88BF-55FF-632DF525DDA8',
    };
    const organization = { ...FRIENDS, owner: 'ANN@example.com', properties: [property] };
    await target.succeed({ ...DOCUMENT, organizations: [organization] });
    const { organizations } = JSON.parse(await target.exported());
    const expected = {
      ...SHOP,
      domain: 'xn--exmple-cua.com',
      level: 128,
      growth: 'medium',
      challenge: 'blake2b',
    };
    expect(organizations).toEqual([{ ...FRIENDS, properties: [expected] }]);
  });

  test('accepts a document of version 1, whose properties have no kind of work', async () => {
    const { challenge, ...property } = SHOP;
    await target.succeed({ ...withProperties(property), version: 1 });
    const { organizations } = JSON.parse(await target.exported());
    expect(organizations).toEqual([{ ...FRIENDS, properties: [{ ...SHOP, challenge: 'blake2b' }] }]);
  });

  test('takes effect on a running server, even for a sitekey that it has cached as unknown', async () => {
    const server = await startServer({ dataDir: target.cli().dataDir });
    const puzzle = () =>
      fetch(`${server.url}/puzzle?sitekey=${SITEKEY}`, { headers: { origin: 'https://example.com' } });
    expect((await puzzle()).status).toBe(403);
    await target.succeed(withProperty({ enabled: true }));
    // The server checks for changes of other processes five times per second.
    for (let attempt = 0; attempt < 600 && (await puzzle()).status !== 200; attempt++) await Bun.sleep(50);
    expect((await puzzle()).status).toBe(200);
    await server.stop();
  });
});

describe('an import with a conflict changes nothing', () => {
  const property = '$.organizations[0].properties[0]';
  const news = { ...SHOP, name: 'News', sitekey: OTHER_SITEKEY };

  test.each<[string, object, string]>([
    [
      'a property with other values',
      withProperty({ level: 1, enabled: true }),
      `${property}: A property with this sitekey exists, but has other values. (level, enabled)`,
    ],
    [
      'a property with another name',
      withProperty({ name: 'SHOP' }),
      `${property}: A property with this sitekey exists, but has other values. (name)`,
    ],
    [
      'a property of another organization',
      { ...DOCUMENT, organizations: [{ ...FRIENDS, name: 'Others' }] },
      `${property}.sitekey: A property of another organization has this sitekey.`,
    ],
    [
      'a name that another property has',
      withProperty({ sitekey: OTHER_SITEKEY, name: 'sHOP' }),
      `${property}.name: The organization already has a property with this name.`,
    ],
    [
      'a plan with other quotas',
      { ...DOCUMENT, plans: [{ ...SMALL, properties: 4 }] },
      '$.plans[0].name: A plan with this name exists, but has other quotas. (2 organizations, 3 properties)',
    ],
    [
      'an organization whose name differs in case',
      { ...DOCUMENT, organizations: [{ ...FRIENDS, name: 'ANN and friends', properties: [] }] },
      '$.organizations[0].name: The owner already has an organization with this name. (Ann and friends)',
    ],
    [
      'a user with a plan that does not exist',
      { ...DOCUMENT, users: [ANN, BEN, { ...BEN, email: 'cid@example.com', plan: 'none' }] },
      '$.users[2].plan: This plan does not exist. (none)',
    ],
    [
      'more properties than the plan of the owner allows',
      withProperties(SHOP, ...[1, 2, 3].map((n) => ({ ...news, name: `${n}`, sitekey: `${n}`.repeat(32) }))),
      "$.organizations[0].properties: The plan of the organization's owner does not allow more properties; delete some properties, or ask the operator for another plan.",
    ],
    [
      'more organizations than the plan of the owner allows',
      {
        ...DOCUMENT,
        organizations: ['B', 'C'].map((name) => ({ ...FRIENDS, name, members: [], properties: [] })),
      },
      "$.organizations[1]: The user's plan does not allow more organizations; delete an organization, or ask the operator for another plan. (ann@example.com)",
    ],
  ])('%s', async (_, document, error) => {
    await target.succeed(DOCUMENT);
    const before = await target.exported();
    const extra = { ...news, name: 'Extra', sitekey: 'f'.repeat(32) };
    const other = { ...FRIENDS, name: 'Valid', owner: BEN.email, members: [], properties: [extra] };
    const organizations = [...(document as typeof DOCUMENT).organizations, other];
    expect(await target.fail({ ...document, organizations })).toEqual([error]);
    expect(await target.exported()).toBe(before);
  });

  test.each(['properties', 'organizations'])('a sitekey among deleted %s', async (table) => {
    await target.succeed(DOCUMENT);
    const raw = await openRaw(target.cli().dataDir);
    await raw.query(`UPDATE ${table} SET deleted_at = 1`);
    await raw.close();
    expect(await target.fail(DOCUMENT)).toEqual([
      `${property}.sitekey: A deleted property has this sitekey; it is removed 30 days after its deletion.`,
    ]);
  });
});
