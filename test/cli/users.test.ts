import { describe, expect, test } from 'bun:test';
import { openRaw } from '../support/testStorage.ts';
import { createCommandLine, ID, useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
useSampleData(cli);

describe('users', () => {
  test('are listed with id, email address, name, role, plan, and status', async () => {
    const users = await cli.json('users list');
    expect(users).toEqual([
      { id: ID, email: 'ann@example.com', name: 'Ann', admin: true, plan: 'default', disabled: false },
      {
        id: ID,
        email: 'ben@example.com',
        name: 'ben@example.com',
        admin: false,
        plan: 'default',
        disabled: false,
      },
    ]);
    expect(users[0].id).not.toBe(users[1].id);
    const { out } = await cli.run('users list');
    expect(out).toMatch(/^ID +EMAIL +NAME +ADMIN +PLAN +DISABLED\n/);
    expect(out).toMatch(/ann@example\.com +Ann +yes +default +no\n/);
  });

  test('get their passwords from standard input', async () => {
    const options = { stdin: 'correct horse\n' };
    const user = await cli.json('users create --email Eve@Example.com --password-stdin', options);
    expect(user).toEqual({
      id: ID,
      email: 'eve@example.com',
      name: 'eve@example.com',
      admin: false,
      plan: 'default',
      disabled: false,
    });
    const { code, out } = await cli.spawn('users passwd --email eve@example.com --password-stdin --json', {
      stdin: 'correct horse battery\n',
    });
    expect([code, JSON.parse(out)]).toEqual([0, user]);
  });

  test('get their passwords without the trailing line break', async () => {
    // The minimum is eight characters: if the line break counted, seven would be enough.
    const words = 'users passwd --email ann@example.com --password-stdin';
    expect((await cli.run(words, { stdin: 'zxq7vkw\r\n' })).code).toBe(1);
    expect((await cli.run(words, { stdin: 'zxq7vkw\n\n' })).code).toBe(0);
    expect((await cli.run(words, { stdin: 'zxq7vkwm' })).code).toBe(0);
  });

  test.each([
    ['Password1', 'This password is common or repeats a short pattern'],
    ['captcha-eve', 'is too easy to guess'],
  ])('cannot have the password %s', async (stdin, reason) => {
    for (const words of [
      'users create --email eve2@example.com --password-stdin',
      'users passwd --email ann@example.com --password-stdin',
    ]) {
      const { code, err } = await cli.run(words, { stdin });
      expect([code, err.includes(reason)]).toEqual([1, true]);
    }
    expect((await cli.run('users list')).out).not.toContain('eve2@example.com');
  });
});

describe('a disabled user', () => {
  test('is listed as disabled until enabled again', async () => {
    const ben = { email: 'ben@example.com', disabled: true };
    expect(await cli.json('users disable --email ben@example.com')).toMatchObject(ben);
    expect(await cli.json('users list')).toContainEqual(expect.objectContaining(ben));
    expect(await cli.json('users enable --email BEN@example.com')).toMatchObject({
      ...ben,
      disabled: false,
    });
  });

  test('cannot be the last administrator who can sign in', async () => {
    const last =
      'postern: This is the last administrator who can sign in; make another user an administrator first.\n';
    const rejected = { code: 1, out: '', err: last };
    expect(await cli.run('users disable --email ann@example.com')).toEqual(rejected);
    expect(await cli.json('users list')).toContainEqual(
      expect.objectContaining({ email: 'ann@example.com', disabled: false }),
    );
  });
});

test('a long list is printed completely', async () => {
  const big = createCommandLine();
  await big.json('users list');
  const raw = await openRaw(big.dataDir);
  await raw.query(`
    INSERT INTO accounts (email, name, is_admin, created_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    SELECT 'user' || i || '@example.com', 'Somebody', FALSE, 0 FROM n`);
  await raw.close();
  expect(JSON.parse((await big.spawn('users list --json')).out).length).toBe(20_000);
  expect((await big.spawn('users list')).out.split('\n').length).toBe(20_002);
  await big.remove();
});
