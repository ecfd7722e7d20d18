import { describe, expect, test } from 'bun:test';
import { useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
useSampleData(cli);

describe('plans', () => {
  test('can be created, changed, listed, and assigned to users', async () => {
    const small = { name: 'small', orgs: 2, properties: 20 };
    expect(await cli.json('plans set small --orgs 5 --properties 0')).toMatchObject({
      orgs: 5,
      properties: 0,
    });
    expect(await cli.json('plans set small --orgs 2 --properties 20')).toEqual(small);
    const standard = { name: 'default', orgs: 100, properties: 10_000 };
    const invited = { name: 'invited', orgs: 0, properties: 0 };
    expect(await cli.json('plans list')).toEqual([standard, invited, small]);
    const ben = await cli.json('users set-plan --email BEN@example.com --plan small');
    expect(ben).toMatchObject({ email: 'ben@example.com', plan: 'small' });
    expect((await cli.json('users list')).map((user: { plan: string }) => user.plan)).toContain('small');
    await cli.run('users set-plan --email ben@example.com --plan default');
  });

  test.each([
    ['plans set Small --orgs 1 --properties 1', 1, /lowercase letters/],
    ['plans set --orgs 1 --properties 1', 2, /NAME is missing/],
    ['plans set small --orgs 1', 2, /--properties is missing/],
    ['plans set small --orgs -1 --properties 1', 2, /--orgs/],
    ['plans set small --orgs 1.5 --properties 1', 2, /--orgs must be a whole number from 0 to 1000000000/],
    ['plans set small --orgs 1000000001 --properties 1', 2, /--orgs/],
    ['users set-plan --email ann@example.com --plan none', 1, /plan does not exist/],
    ['users set-plan --email nobody@example.com --plan default', 1, /user does not exist/],
  ])('`%s` is rejected', async (words, code, reason) => {
    const before = await cli.json('plans list');
    const { code: ended, err } = await cli.run(words);
    expect(ended).toBe(code);
    expect(err).toMatch(reason);
    expect(await cli.json('plans list')).toEqual(before);
  });

  test('apply to commands too', async () => {
    await cli.run('plans set none --orgs 0 --properties 0');
    await cli.run('users set-plan --email ann@example.com --plan none');
    const { code, err } = await cli.run('orgs create --user ann@example.com --name Another');
    await cli.run('users set-plan --email ann@example.com --plan default');
    expect(code).toBe(1);
    expect(err).toContain('does not allow more organizations');
  });
});
