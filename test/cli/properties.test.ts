import { describe, expect, test } from 'bun:test';
import { HOUR, type Instant } from '../../src/lib/time.ts';
import type { Sitekey } from '../../src/model/property.ts';
import { type Hour, toHour } from '../../src/model/statistics.ts';
import { openTestServices } from '../support/services.ts';
import { ID, ISO, useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
const sample = useSampleData(cli);

describe('properties', () => {
  test('are created with the defaults or with the given settings', async () => {
    const { benOrg } = sample;
    const plain = await cli.json(`properties create --org ${benOrg} --name Plain --domain Plain.Example.COM`);
    const shown = { id: ID, sitekey: expect.stringMatching(/^[0-9a-f]{32}$/), org_id: benOrg };
    expect(plain).toEqual({
      ...shown,
      name: 'Plain',
      domain: 'plain.example.com',
      level: 128,
      growth: 'medium',
      challenge: 'blake2b',
      validity_seconds: 1800,
      allow_subdomains: false,
      allow_localhost: false,
      max_replay_count: 1,
      enabled: true,
    });
    const settings =
      '--level 255 --growth fast --challenge hashwx --validity-seconds 60 --allow-subdomains --allow-localhost --max-replay-count 9';
    expect(
      await cli.json(`properties create --org ${benOrg} --name Full --domain bücher.example ${settings}`),
    ).toEqual({
      ...shown,
      name: 'Full',
      domain: 'xn--bcher-kva.example',
      level: 255,
      growth: 'fast',
      challenge: 'hashwx',
      validity_seconds: 60,
      allow_subdomains: true,
      allow_localhost: true,
      max_replay_count: 9,
      enabled: true,
    });
    const listed = await cli.json(`properties list --org ${benOrg}`);
    expect(listed.map(Object.keys)).toEqual(
      Array(2).fill(['id', 'name', 'domain', 'sitekey', 'org_id', 'enabled']),
    );
    const all = await cli.json('properties list');
    expect(all.map(({ name }: { name: string }) => name)).toEqual(['Shop', 'Plain', 'Full']);
  });
});

describe('a property', () => {
  test('can be disabled and enabled repeatedly, with an audit log entry each time', async () => {
    const [shop] = await cli.json(`properties list --org ${sample.annOrg}`);
    for (const [verb, enabled] of [
      ['disable', false],
      ['disable', false],
      ['enable', true],
    ] as const) {
      const switched = await cli.json(`properties ${verb} ${shop.id}`);
      expect(switched).toMatchObject({ ...shop, enabled, level: 1 });
      expect(await cli.json(`properties list --org ${sample.annOrg}`)).toEqual([{ ...shop, enabled }]);
      const [entry] = await cli.json('audit list --limit 1');
      const action = `property-${verb}d`;
      expect(entry).toMatchObject({ action, object: `Shop (${sample.sitekey})`, actor: 'command line' });
    }
  });

  test('can be in attack mode for an hour, alone or with its organization, with an audit log entry each time', async () => {
    const [shop] = await cli.json(`properties list --org ${sample.annOrg}`);
    const names = { organization: 'Ann and friends', property: `Shop (${sample.sitekey})` };
    for (const [command, kind, action] of [
      [`properties attack ${shop.id}`, 'property', 'started'],
      [`properties attack ${shop.id} --end`, 'property', 'ended'],
      [`orgs attack --org ${sample.annOrg}`, 'organization', 'started'],
      [`orgs attack --org ${sample.annOrg} --end`, 'organization', 'ended'],
    ] as const) {
      const before = Date.now();
      const { id, attack_until: until } = await cli.json(command);
      expect(id).toBe(kind === 'property' ? shop.id : sample.annOrg);
      const isOn = action === 'started';
      expect(until).toEqual(isOn ? ISO : null);
      if (isOn) expect(Date.parse(until)).toBeGreaterThanOrEqual(before + HOUR);
      const [entry] = await cli.json('audit list --limit 1');
      expect(entry).toMatchObject({ action: `${kind}-attack-${action}`, object: names[kind] });
    }
    // An end without attack mode is not an action.
    await cli.json(`properties attack ${shop.id} --end`);
    const [entry] = await cli.json('audit list --limit 1');
    expect(entry).toMatchObject({ action: 'organization-attack-ended' });
  });

  test.each([
    ['properties disable', 2, /PROPERTY_ID is missing/],
    ['properties attack x', 1, /This is not a valid property id/],
    ['orgs attack', 2, /--org is missing/],
    ['properties disable x', 1, /This is not a valid property id/],
    ['properties enable AAAAAAAAAAAAAAAAAAAAAA', 1, /This is not a valid property id/],
  ])('%s fails with exit code %d', async (words, code, reason) => {
    const ended = await cli.run(words);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(reason);
  });
});

describe('the busiest properties', () => {
  test('are listed over all organizations by puzzles, with their verifications', async () => {
    const { annOrg, benOrg, sitekey: shop } = sample;
    expect(await cli.json('properties busiest')).toEqual([]);
    const create = (name: string) =>
      cli.json(`properties create --org ${benOrg} --name ${name} --domain ${name}.example.com`);
    const [blog, wiki, old] = [await create('blog'), await create('wiki'), await create('old')];
    const services = await openTestServices(cli.dataDir);
    try {
      const hour = toHour(Date.now() as Instant);
      const record = (sitekey: unknown, ago: number, ...counts: number[]) => ({
        sitekey: sitekey as Sitekey,
        hour: (hour - ago) as Hour,
        counts,
      });
      await services.stores.statistics.add([
        // Issued, verified, repeated, WebAssembly, failed by code.
        record(shop, 0, 5, 3, 1, 3, 1, 0, 2),
        record(blog.sitekey, 0, 9, 4),
        record(wiki.sitekey, 2, 100, 70, 0, 0, 0, 7),
        record(blog.sitekey, 2, 1, 1),
        record(old.sitekey, 800, 1000),
        record('f'.repeat(32), 0, 500),
      ]);
    } finally {
      await services.close();
    }
    const shown = (rows: readonly Record<string, unknown>[]) =>
      rows.map(({ name, issued, verified, failed }) => [name, issued, verified, failed]);
    // The hour may end between the two steps, so the test does not use the default of one hour for the counts.
    const [first, second, ...others] = await cli.json('properties busiest --hours 2');
    expect(others).toEqual([]);
    expect(first).toMatchObject({
      ...pick(blog),
      org_id: benOrg,
      org: 'Ben',
      issued: 9,
      verified: 4,
      repeated: 0,
    });
    expect(second).toEqual({
      id: ID,
      name: 'Shop',
      domain: 'example.com',
      sitekey: shop,
      org_id: annOrg,
      org: 'Ann and friends',
      issued: 5,
      verified: 3,
      repeated: 1,
      failed: 3,
    });
    const all = await cli.json('properties busiest --hours 720');
    expect(shown(all)).toEqual([
      ['wiki', 100, 70, 7],
      ['blog', 10, 5, 0],
      ['Shop', 5, 3, 3],
    ]);
    expect(await cli.json('properties busiest --hours 720 --limit 2')).toEqual(all.slice(0, 2));
    const { out } = await cli.run('properties busiest --hours 720 --limit 1');
    expect(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['ORG', 'NAME', 'DOMAIN', 'ID', 'ISSUED', 'VERIFIED', 'FAILED'],
      ['Ben', 'wiki', 'wiki.example.com', wiki.id, '100', '70', '7'],
    ]);
  });

  test.each([
    ['--hours 0', /--hours must be a whole number from 1 to 720/],
    ['--hours 721', /--hours must be a whole number from 1 to 720/],
    ['--limit 1001', /--limit must be a whole number from 1 to 1000/],
    ['--limit x', /--limit must be a whole number from 1 to 1000/],
  ])('are not listed with %s', async (options, reason) => {
    const ended = await cli.run(`properties busiest ${options}`);
    expect([ended.code, ended.out]).toEqual([2, '']);
    expect(ended.err).toMatch(reason);
  });
});

const pick = ({ id, name, domain, sitekey }: Record<string, unknown>) => ({ id, name, domain, sitekey });
