import { afterAll, beforeAll, expect, test } from 'bun:test';
import { codeOf } from '../support/authenticator.ts';
import { type RunningBinary, startBinary } from '../support/binary.ts';
import { type BrowserClient, createBrowserClient, PASSWORD } from '../support/portal.ts';
import { PROGRAM, useCommandLine } from './commandLine.ts';

/** The setup link, and the commands for users who cannot sign in. */

const FACTOR = '/portal/settings/security/two-factor';

const cli = useCommandLine();
let server: RunningBinary;

beforeAll(async () => {
  server = await startBinary(PROGRAM, await cli.environment());
});
afterAll(async () => {
  expect(await server.end('SIGTERM')).toBe(0);
});

const linkIn = (output: string) => /^Setup link: +(\S+)$/m.exec(output)?.[1];

async function logIn(
  password: string,
): Promise<{ browser: BrowserClient; redirectPath: string | undefined }> {
  const browser = createBrowserClient(server);
  const { redirectPath } = await browser.fill('/portal/login', { email: 'ann@example.com', password });
  return { browser, redirectPath };
}

test('the setup link creates the first user; commands change the password and turn off two-factor authentication', async () => {
  const link = new URL(linkIn(server.output()) ?? '');
  expect(server.output()).not.toContain('Portal: ');
  const events = server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(events.join('\n')).toContain('"event":"setup-pending"');
  expect(events.join('\n')).not.toContain(new URLSearchParams(link.hash.slice(1)).get('token') ?? '');

  const ann = createBrowserClient(server);
  const fields = { name: 'Ann', email: 'ann@example.com', password: PASSWORD, organization: 'Shops' };
  expect((await ann.fill(`${link.pathname}${link.hash}`, fields)).redirectPath).toBe(
    '/portal/first-property',
  );
  expect(await cli.json('users list')).toMatchObject([{ email: 'ann@example.com', admin: true }]);

  await ann.fill(FACTOR, {}, `${FACTOR}/begin`);
  const secret = /<code id="secret">([^<]*)</.exec((await ann.get(FACTOR)).text)?.[1] ?? '';
  expect((await ann.fill(FACTOR, { code: codeOf(secret, Date.now()) })).status).toBe(200);
  expect((await logIn(PASSWORD)).redirectPath).toBe('/portal/login/code');

  expect(await cli.json('users reset-2fa --email ann@example.com')).toMatchObject({
    email: 'ann@example.com',
  });
  // A bug had recorded two entries, one from the use case and one from the command.
  const log = (await cli.json('audit list')) as { action: string }[];
  expect(log.filter(({ action }) => action === 'second-factor-disabled')).toMatchObject([
    { actor: 'command line', object: 'ann@example.com' },
  ]);
  expect((await ann.get('/portal')).redirectPath).toBe('/portal/login');
  const again = await logIn(PASSWORD);
  expect(again.redirectPath).toBe('/portal');

  expect(await cli.json('users sign-out --email ann@example.com')).toEqual({ ended: 1 });
  expect((await again.browser.get('/portal')).redirectPath).toBe('/portal/login');
  const later = await logIn(PASSWORD);
  await cli.json('users passwd --email ann@example.com --password-stdin', { stdin: 'another good one' });
  expect((await later.browser.get('/portal')).redirectPath).toBe('/portal/login');
  expect((await logIn('another good one')).redirectPath).toBe('/portal');

  await server.end('SIGTERM');
  server = await startBinary(PROGRAM, await cli.environment());
  expect(linkIn(server.output())).toBeUndefined();
  expect(server.output()).toMatch(/^Portal: +http:\/\/localhost:\d+\/portal$/m);
});

test('reset-2fa fails for an unknown user', async () => {
  const { code, err } = await cli.run('users reset-2fa --email nobody@example.com');
  expect([code, err.includes('This user does not exist.')]).toEqual([1, true]);
  expect((await cli.run('users reset-2fa')).code).toBe(2);
});

test('serve fails if the plan for invited users does not exist, and the message says how to create it', async () => {
  const { code, err } = await cli.run('serve --port 0 --invited-plan guests');
  expect(code).toBe(2);
  expect(err).toContain(
    'POSTERN_INVITED_PLAN must be the name of an existing plan (default, invited), not "guests"',
  );
  expect(err).toContain('postern plans set guests --orgs N --properties N');
});
