import { beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRaw } from '../../support/testStorage.ts';
import { type CommandLine, useCommandLine } from '../commandLine.ts';
import {
  ANN,
  created,
  DOCUMENT,
  matchesSchema,
  SHOP,
  SITEKEY,
  SMALL,
  useTarget,
  withProperties,
} from './documents.ts';

const target = useTarget();

const exportOf = async (cli: CommandLine) => (await cli.run('export')).out;

describe('an export', () => {
  const source = useCommandLine();
  beforeAll(async () => {
    await source.json('plans set small --orgs 5 --properties 50');
    await source.json('users create --email ann@example.com --name Ann --admin');
    for (const name of ['ben', 'cid', 'dan']) await source.json(`users create --email ${name}@example.com`);
    await source.json('users set-plan --email ann@example.com --plan small');
    const createOrganization = async (owner: string, name: string): Promise<string> =>
      (await source.json(`orgs create --user ${owner}@example.com --name ${name}`)).id;
    const createProperty = (org: string, rest: string) =>
      source.json(`properties create --org ${org} --domain example.com ${rest}`);
    const [zoo] = [await createOrganization('ann', 'Zoo'), await createOrganization('ann', 'Ant')];
    const [gone] = [await createOrganization('dan', 'Gone'), await createOrganization('ben', 'Mole')];
    for (const user of ['cid', 'ben']) {
      await source.json(`orgs add-member --org ${zoo} --user ${user}@example.com`);
    }
    await createProperty(
      zoo,
      '--name Wolf --level 7 --growth slow --challenge argon2id --validity-seconds 60 --allow-subdomains',
    );
    const { id: bear } = await createProperty(zoo, '--name bear --max-replay-count 9 --allow-localhost');
    await createProperty(zoo, '--name Deleted');
    await createProperty(gone, '--name Left');
    await source.json(`properties disable ${bear}`);
    await source.json('users disable --email cid@example.com');
    const raw = await openRaw(source.dataDir);
    await raw.query("UPDATE properties SET deleted_at = 1 WHERE name = 'Deleted'");
    await raw.query("UPDATE organizations SET deleted_at = 1 WHERE name = 'Gone'");
    await raw.close();
  });

  test('contains the plans, the organizations, their users, and their properties, in a fixed order', async () => {
    const document = JSON.parse(await exportOf(source));
    expect(document).toMatchObject({
      format: 'postern-export',
      version: 2,
      plans: [{ name: 'small', organizations: 5, properties: 50 }],
      users: [
        { ...ANN, name: 'Ann' },
        { email: 'ben@example.com', plan: 'default', disabled: false },
        { email: 'cid@example.com', disabled: true },
      ],
      organizations: [
        { name: 'Ant', owner: 'ann@example.com', members: [], properties: [] },
        {
          name: 'Zoo',
          owner: 'ann@example.com',
          members: ['ben@example.com', 'cid@example.com'],
          properties: [
            {
              name: 'bear',
              challenge: 'blake2b',
              max_replay_count: 9,
              allow_localhost: true,
              enabled: false,
            },
            {
              name: 'Wolf',
              level: 7,
              growth: 'slow',
              challenge: 'argon2id',
              validity_seconds: 60,
              allow_subdomains: true,
            },
          ],
        },
        { name: 'Mole', owner: 'ben@example.com', members: [], properties: [] },
      ],
    });
    expect(document.organizations[1].properties).toHaveLength(2);
    expect(matchesSchema(document)).toBe(true);
    for (const word of ['Deleted', 'Gone', 'Left', 'dan@'])
      expect(await exportOf(source)).not.toContain(word);
  });

  test('of an empty installation has empty lists', async () => {
    const document = JSON.parse(await target.exported());
    expect(document).toEqual({
      format: DOCUMENT.format,
      version: DOCUMENT.version,
      plans: [],
      users: [],
      organizations: [],
    });
    expect(await target.succeed(document)).toMatchObject({ plans: created(0), properties: created(0) });
  });

  test('is equal to the export of the installation that imports it', async () => {
    const document = await exportOf(source);
    const { code } = await target.cli().run('import - --create-users', { stdin: document });
    expect(code).toBe(0);
    expect(await target.exported()).toBe(document);
    const named = (rows: { name: string }[]) => rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const without = (rows: Record<string, unknown>[]) => rows.map(({ id, org_id, ...row }) => row);
    const listed = async (cli: CommandLine) => without(named(await cli.json('properties list')));
    expect(await listed(target.cli())).toEqual(await listed(source));
    expect(await listed(target.cli())).toHaveLength(2);
    const users: Record<string, unknown>[] = await target.cli().json('users list');
    expect(users.map(({ email, admin, plan, disabled }) => [email, admin, plan, disabled])).toEqual([
      ['ann@example.com', false, 'small', false],
      ['ben@example.com', false, 'default', false],
      ['cid@example.com', false, 'default', true],
    ]);
  });

  test('creates a file with mode 0600, and prints what it contains', async () => {
    const file = join(target.cli().folder, 'export.json');
    const summary = await source.json(`export ${file}`);
    const text = readFileSync(file, 'utf8');
    expect(summary).toEqual({
      file,
      bytes: Buffer.byteLength(text),
      plans: 1,
      users: 3,
      organizations: 3,
      members: 2,
      properties: 2,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(text).toBe(await exportOf(source));
    expect((await source.run('export -')).out).toBe(text);
  });

  test('never overwrites a file', async () => {
    const file = join(target.cli().folder, 'export.json');
    writeFileSync(file, 'mine');
    const { code, err } = await source.run(`export ${file}`);
    expect({ code, err }).toMatchObject({ code: 1 });
    expect(err).toContain('exists; choose another name');
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await source.run(`export ${join(target.cli().folder, 'none', 'x')}`)).code).toBe(1);
  });

  // One query loads 1000 properties.
  test('contains all properties of a large organization', async () => {
    const properties = Array.from({ length: 2500 }, (_, index) => ({
      ...SHOP,
      name: `Property ${index}`,
      sitekey: index.toString(16).padStart(32, '0'),
    }));
    const plans = [{ ...SMALL, properties: 2500 }];
    const document = { ...withProperties(...properties), plans };
    expect(await target.succeed(document)).toMatchObject({ properties: created(2500) });
    const [organization] = JSON.parse(await target.exported()).organizations;
    expect(organization.properties).toEqual(properties.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  });

  test('and an import are recorded in the audit log as actions of the command line', async () => {
    await target.succeed(DOCUMENT);
    await target.exported();
    const entries: Record<string, unknown>[] = await target.cli().json('audit list');
    expect(entries.map(({ actor, action, object }) => [actor, action, object])).toEqual([
      ['command line', 'data-exported', '1 organizations, 1 properties, 1 plans'],
      ['command line', 'data-imported', `${JSON.stringify(DOCUMENT).length} bytes`],
      ['command line', 'property-created', `Shop (${SITEKEY})`],
      ['command line', 'member-added', 'ben@example.com'],
      ['command line', 'organization-created', 'Ann and friends'],
      ['command line', 'user-created', 'ben@example.com'],
      ['command line', 'user-created', 'ann@example.com'],
      ['command line', 'plan-set', 'small: 2 organizations, 3 properties'],
      ['command line', 'installation-rules-changed', 'imported 1 rules'],
    ]);
    const [{ id }] = await target.cli().json('orgs list');
    const ofOrganization = entries.filter(({ org_id }) => org_id === id).map(({ action }) => action);
    expect(ofOrganization).toEqual(['property-created', 'member-added', 'organization-created']);
  });
});
