import { describe, expect, test } from 'bun:test';
import { openTestServices } from '../support/services.ts';
import { ID, ISO, useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
const sample = useSampleData(cli);

describe('API keys', () => {
  const rates = { rate: null, burst: null, last_used_at: null };
  const bare = {
    org_id: null,
    read_only: false,
    expires_at: null,
    revoked_at: null,
    created_at: ISO,
    owner_kind: 'user',
    owner: 'ann@example.com',
    ...rates,
    rotated_at: null,
    old_secret: null,
    old_secret_until: null,
    old_secret_last_used_at: null,
  };

  /** The parts of a secret that lists show. */
  function hintOf(key: string) {
    const [prefix, last_four] = [key.slice(0, 'postern_verify_'.length + 4), key.slice(-4)];
    return { prefix, last_four, secret: `${prefix}…${last_four}` };
  }

  test('are shown only once', async () => {
    const created = await cli.json('keys create --user ann@example.com --name Backend --scope verify');
    const key = expect.stringMatching(/^postern_verify_[0-9A-Za-z]{49}$/);
    const shown = { id: ID, name: 'Backend', scope: 'verify', user: 'ann@example.com', ...bare };
    const hint = hintOf(created.key);
    expect(created).toEqual({ ...shown, ...hint, key });

    const listed = await cli.json('keys list --user ann@example.com');
    expect(listed).toEqual([{ ...shown, ...hint, key: null }]);
    expect((await cli.run('keys list')).out).not.toContain(created.key);

    const rotated = await cli.json(`keys rotate ${created.id}`);
    const rotation = { rotated_at: ISO, old_secret: hint.secret, old_secret_until: ISO };
    const after = { ...shown, ...hintOf(rotated.key), ...rotation };
    expect(rotated).toEqual({ ...after, key });
    expect(rotated.id).toBe(created.id);
    expect(rotated.key).not.toBe(created.key);

    const revoked = await cli.json(`keys revoke ${created.id}`);
    expect(revoked).toEqual({ ...after, key: null, revoked_at: ISO });
    for (const verb of ['revoke', 'rotate', 'end-old']) {
      const again = await cli.run(`keys ${verb} ${created.id}`);
      expect(again).toEqual({ code: 1, out: '', err: 'postern: This API key has already been revoked.\n' });
    }
  });

  test('keep the old secret for the chosen time, by default for 24 hours, until it is ended', async () => {
    const { id } = await cli.json('keys create --user ann@example.com --name Rotated --scope verify');
    const hours: Record<string, number> = {
      '': 24,
      ' --keep-old 0': 0,
      ' --keep-old 1h': 1,
      ' --keep-old 7d': 168,
    };
    for (const [option, expected] of Object.entries(hours)) {
      const { rotated_at, old_secret_until } = await cli.json(`keys rotate ${id}${option}`);
      expect(Date.parse(old_secret_until) - Date.parse(rotated_at)).toBe(expected * 3_600_000);
    }
    const ended = await cli.json(`keys end-old ${id}`);
    expect(ended).toMatchObject({ id, key: null, old_secret_until: ended.rotated_at });
    expect(await cli.run(`keys end-old ${id}`)).toEqual({
      code: 1,
      out: '',
      err: 'postern: This API key has no old secret that still works.\n',
    });
    expect(await cli.run(`keys rotate ${id} --keep-old 2h`)).toMatchObject({ code: 2, out: '' });
    const list = await cli.run('audit list --limit 3');
    expect(list.out).toContain('key-old-secret-ended');
    await cli.json(`keys revoke ${id}`);
  });

  test('can belong to an organization', async () => {
    const { annOrg } = sample;
    const draft = `--org-owned --org ${annOrg} --name Production --scope portal`;
    const created = await cli.json(`keys create ${draft}`);
    expect(created).toMatchObject({ owner_kind: 'organization', org_id: annOrg, user: 'ann@example.com' });
    const owned = await cli.json(`keys list --org ${annOrg}`);
    expect(owned).toEqual([{ ...created, key: null }]);
    const own = await cli.json('keys list --user ann@example.com');
    expect(own.map(({ id }: { id: string }) => id)).not.toContain(created.id);
    const table = await cli.run('keys list');
    expect(table.out).toContain(created.secret);
    for (const options of [`${draft} --user ann@example.com`, '--org-owned --name N --scope portal']) {
      expect(await cli.run(`keys create ${options}`)).toMatchObject({ code: 2, out: '' });
    }
    expect(await cli.run(`keys list --org ${annOrg} --user ann@example.com`)).toMatchObject({ code: 2 });
    await cli.json(`keys revoke ${created.id}`);
  });

  test('can be restricted to an organization, to reading, and to a period', async () => {
    const { annOrg } = sample;
    const draft = `keys create --user ann@example.com --name Narrow --scope portal --org ${annOrg} --read-only`;
    const until = await cli.json(`${draft} --expires-at 2099-12-31T23:00:00+01:00`);
    expect(until).toMatchObject({ scope: 'portal', org_id: annOrg, read_only: true });
    expect(until.expires_at).toBe('2099-12-31T22:00:00.000Z');
    const before = Date.now();
    const { expires_at } = await cli.json(`${draft} --expires-days 30`);
    const days = (Date.parse(expires_at) - before) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(30);
    expect(days).toBeLessThan(30.01);
  });

  test('can have their own rate limit', async () => {
    const draft = 'keys create --user ben@example.com --name Slow --scope verify';
    const made = await cli.json(`${draft} --rate 0.5 --burst 3`);
    expect(made).toMatchObject({ rate: 0.5, burst: 3, last_used_at: null });
    const [listed] = await cli.json('keys list --user ben@example.com');
    expect(listed).toMatchObject({ id: made.id, rate: 0.5, burst: 3 });
    await cli.json(`keys revoke ${made.id}`);
  });

  test('that sign puzzles are shown as fingerprints', async () => {
    const [first, second] = [await cli.json('keys rotate-signing'), await cli.json('keys rotate-signing')];
    expect(first).toEqual({ fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) });
    expect(second.fingerprint).not.toBe(first.fingerprint);
  });

  test('that sign puzzles can be replaced and deleted in one step', async () => {
    await cli.json('keys rotate-signing');
    const { fingerprint } = await cli.json('keys rotate-signing --revoke-old');
    const services = await openTestServices(cli.dataDir);
    const keys = await services.signingKeys.list();
    await services.close();
    expect(keys.map((key) => key.fingerprint.toHex())).toEqual([fingerprint]);
    const [entry] = await cli.json('audit list --limit 1');
    expect(entry).toMatchObject({
      action: 'signing-key-rotated',
      object: `${fingerprint}, old keys revoked`,
    });
  });

  test('can have ids that start with a dash', async () => {
    const services = await openTestServices(cli.dataDir);
    const from = (kind: 'api-key' | 'organization') =>
      Array.from({ length: 2000 }, (_, at) => services.ids.seal(kind, (at + 1000) as never)).find((id) =>
        id.startsWith('-'),
      );
    const [key, org] = [from('api-key'), from('organization')];
    await services.close();
    const unknown = { code: 1, out: '', err: 'postern: This API key does not exist.\n' };
    expect(await cli.run(`keys revoke ${key}`)).toEqual(unknown);
    const { err } = await cli.run(`properties list --org ${org}`);
    expect(err).toBe('postern: The requested organization does not exist.\n');
  });
});
