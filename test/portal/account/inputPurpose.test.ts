import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { addUser, createBrowserClient, signedIn } from '../../support/portal.ts';
import { useFixture, useServer } from '../../support/useServer.ts';

const server = useServer();
const user = useFixture(() => addUser(server));

/** The names of the inputs of a page with their `autocomplete` attributes. */
function purposesIn(page: string): Readonly<Record<string, string | undefined>> {
  const inputs = [...page.matchAll(/<input\b[^>]*>/g)].map(([input]) => input);
  const attribute = (input: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(input)?.[1];
  return Object.fromEntries(
    inputs.map((input) => [attribute(input, 'name'), attribute(input, 'autocomplete')]),
  );
}

// Success criteria 1.3.5 and 3.3.8: browsers and password managers fill in these fields.
test('fields for data of the user name their purpose', async () => {
  const visitor = createBrowserClient(server);
  expect(purposesIn((await visitor.get('/portal/login')).text)).toMatchObject({
    email: 'username',
    password: 'current-password',
  });
  const browser = await signedIn(server, user);
  expect(purposesIn((await browser.get('/portal/settings/profile')).text)).toMatchObject({ name: 'name' });
  expect(purposesIn((await browser.get('/portal/settings/security/password')).text)).toMatchObject({
    username: 'username',
    current: 'current-password',
    password: 'new-password',
  });
});

// Success criterion 3.3.8: users may paste passwords and codes.
test('no script of the pages can prevent pasting, and no password field is limited', async () => {
  const scripts = [...new Bun.Glob('*.js').scanSync(join(import.meta.dir, '../../../static'))];
  expect(scripts.length).toBeGreaterThan(5);
  for (const script of scripts) {
    const text = await Bun.file(join(import.meta.dir, '../../../static', script)).text();
    expect([script, /['"](?:paste|drop|beforeinput)['"]|onpaste/.test(text)]).toEqual([script, false]);
  }
  const { text } = await createBrowserClient(server).get('/portal/login');
  const [password = ''] = /<input\b[^>]*type="password"[^>]*>/.exec(text) ?? [];
  expect(password).toContain('name="password"');
  expect(password).not.toMatch(/readonly|maxlength|autocomplete="off"/);
});
