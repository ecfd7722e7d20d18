import { describe, expect, test } from 'bun:test';
import { useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
const sample = useSampleData(cli);

type Entry = { readonly action: string; readonly object: string; readonly org_id: string | null };

const latest = async (): Promise<Entry> => (await cli.json('audit list --limit 1'))[0];
const count = async (): Promise<number> => (await cli.json('audit list --limit 1000')).length;

describe('postern audit list', () => {
  test('lists entries with the actor, the source, and the action, newest first', async () => {
    const { annOrg, sitekey } = sample;
    const [property, ...rest] = await cli.json('audit list');
    expect(property).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      actor: 'command line',
      source: 'command',
      address: null,
      action: 'property-created',
      org_id: annOrg,
      object: `Shop (${sitekey})`,
    });
    expect(rest.map(({ action, object }: Entry) => [action, object])).toEqual([
      ['organization-created', 'Ben'],
      ['organization-created', 'Ann and friends'],
      ['user-created', 'ben@example.com'],
      ['user-created', 'ann@example.com'],
    ]);
    expect((await cli.run('audit list --limit 1')).out).toMatch(
      /^AT +ACTOR +SOURCE +ADDRESS +ACTION +OBJECT\n\S+ +command line +command +- +property-created +Shop \(\w+\)\n$/,
    );
  });

  test.each([
    ['users create --email eve@example.com', 'user-created', 'eve@example.com'],
    ['users passwd --email eve@example.com --password-stdin', 'password-changed', 'eve@example.com'],
    ['users sign-out --email eve@example.com', 'sessions-ended', 'eve@example.com'],
    ['users sign-out --everyone', 'sessions-ended', 'everyone'],
    ['users disable --email eve@example.com', 'user-disabled', 'eve@example.com'],
    ['users enable --email eve@example.com', 'user-enabled', 'eve@example.com'],
    ['plans set big --orgs 9 --properties 99', 'plan-set', 'big: 9 organizations, 99 properties'],
    ['users set-plan --email eve@example.com --plan big', 'user-plan-set', 'eve@example.com: default -> big'],
    ['orgs add-member --org ANN_ORG --user eve@example.com', 'member-added', 'eve@example.com'],
    ['orgs remove-member --org ANN_ORG --user eve@example.com', 'member-removed', 'eve@example.com'],
    ['maintenance on', 'maintenance-switched', 'on'],
    ['maintenance off', 'maintenance-switched', 'off'],
    ['keys rotate-signing', 'signing-key-rotated', expect.stringMatching(/^[0-9a-f]{8}$/)],
    [
      'keys create --user eve@example.com --name Backend --scope verify',
      'key-created',
      'Backend of eve@example.com: scope verify',
    ],
    ['keys rotate KEY', 'key-rotated', 'Backend of eve@example.com, old secret works for 24h'],
    ['keys end-old KEY', 'key-old-secret-ended', 'Backend of eve@example.com'],
    ['keys revoke KEY', 'key-revoked', 'Backend of eve@example.com'],
  ])('shows one entry for `%s`', async (words, action, object) => {
    const before = await count();
    const [key] = words.includes('KEY') ? await cli.json('keys list --user eve@example.com') : [];
    const { annOrg } = sample;
    const ended = await cli.run(words.replace('ANN_ORG', annOrg).replace('KEY', key?.id), {
      stdin: 'correct horse',
    });
    expect(ended.code).toBe(0);
    const org_id = words.includes('ANN_ORG') ? annOrg : null;
    expect(await latest()).toMatchObject({ actor: 'command line', action, object, org_id });
    expect(await count()).toBe(before + 1);
  });

  test.each([
    'users list',
    'keys list',
    'maintenance status',
    'audit list',
    'orgs create --user ben@example.com --name ben',
  ])('shows no entry for `%s`, which changes nothing', async (words) => {
    const before = await count();
    await cli.run(words);
    expect(await count()).toBe(before);
  });

  test.each(['0', '1001', 'x'])('rejects --limit %s', async (limit) => {
    const { code, out, err } = await cli.run(`audit list --limit ${limit}`);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('--limit must be a whole number from 1 to 1000');
  });

  test('shows no secrets', async () => {
    const { key } = await cli.json('keys create --user ben@example.com --name Hidden --scope portal');
    await cli.run('users passwd --email ben@example.com --password-stdin', { stdin: 'hunter2 hunts again' });
    const { out } = await cli.run('audit list --limit 1000 --json');
    expect(out).toContain('Hidden');
    expect(out).not.toContain(key);
    expect(out).not.toContain('hunts again');
  });
});
