import { describe, expect, test } from 'bun:test';
import { ID, useCommandLine, useSampleData } from './commandLine.ts';

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
      '--level 255 --growth fast --challenge argon2id --validity-seconds 60 --allow-subdomains --allow-localhost --max-replay-count 9';
    expect(
      await cli.json(`properties create --org ${benOrg} --name Full --domain bücher.example ${settings}`),
    ).toEqual({
      ...shown,
      name: 'Full',
      domain: 'xn--bcher-kva.example',
      level: 255,
      growth: 'fast',
      challenge: 'argon2id',
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
      expect(entry).toMatchObject({ action, subject: `Shop (${sample.sitekey})`, actor: 'command line' });
    }
  });

  test.each([
    ['properties disable', 2, /PROPERTY_ID is missing/],
    ['properties disable x', 1, /This is not a valid property id/],
    ['properties enable AAAAAAAAAAAAAAAAAAAAAA', 1, /This is not a valid property id/],
  ])('%s fails with exit code %d', async (words, code, reason) => {
    const ended = await cli.run(words);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(reason);
  });
});
