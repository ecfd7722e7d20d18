import { expect, test } from 'bun:test';
import { PORTAL_ROUTES } from '../../../src/portal/portalRoutes.ts';
import { findBannedWords } from '../../support/language.ts';
import { addUser, createBrowserClient, signedIn } from '../../support/portal.ts';
import { useFixture, useServer } from '../../support/useServer.ts';
import { examplePath } from './examples.ts';

const server = useServer();
const newServer = useServer();
const owner = useFixture(() => addUser(server, true));
const pages = PORTAL_ROUTES.filter(({ method }) => method === 'GET').map(({ path }) => path);

/** The text of a page, and the attributes that users can read. */
function textOf(html: string): string {
  const attributes = [...html.matchAll(/\s(?:alt|aria-label|placeholder|title|value)="([^"]*)"/g)];
  const text = html.replace(/<(script|style)[\s\S]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ');
  return [text, ...attributes.map(([, value]) => value)].join('\n');
}

test.each(pages)('GET %s shows no banned words', async (path) => {
  const client = path === '/portal/login' ? createBrowserClient(server) : await signedIn(server, owner);
  const { status, text } = await client.get(await examplePath(path, server, owner));
  expect(status).toBeLessThan(500);
  expect(findBannedWords(textOf(text))).toEqual([]);
});

test('the first page of a new installation shows no banned words', async () => {
  const client = createBrowserClient(newServer);
  for (const path of ['/portal/setup', '/portal/login']) {
    expect(findBannedWords(textOf((await client.get(path)).text))).toEqual([]);
  }
});
