import { describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/portal/i18n/languages.ts';
import { addUser, createBrowserClient, signedIn } from '../../support/portal.ts';
import { useFixture, useServer } from '../../support/useServer.ts';

const server = useServer();
const user = useFixture(() => addUser(server));
const PATH = '/portal/preferences';

describe('language and theme', () => {
  test('are English and the theme of the system by default', async () => {
    const { text } = await createBrowserClient(server).get('/portal/login');
    expect(text).toContain('<html lang="en">');
  });

  test('have names, each of which is marked with its language', async () => {
    const { text } = await createBrowserClient(server).get(PATH);
    for (const [tag, { name }] of Object.entries(LANGUAGES))
      expect(text).toMatch(
        new RegExp(`<option value="${tag}" lang="${tag}"[^>]*>${RegExp.escape(name)}</option>`),
      );
    expect(text).toContain('<option value="dark">');
  });

  test.each([
    ['de-AT,de;q=0.9', 'de'],
    [`${'x,'.repeat(498)}ja`, 'ja'],
    [`${'x,'.repeat(500)}ja`, 'en'],
  ])('follow a header with up to 1,000 characters', async (header, language) => {
    const { text } = await createBrowserClient(server).get('/portal/login', { 'Accept-Language': header });
    expect(text).toContain(`<html lang="${language}">`);
  });

  test('are stored in the browser, for signed-out and signed-in pages', async () => {
    const browser = await signedIn(server, user);
    const saved = await browser.fill(PATH, {
      language: 'en',
      theme: 'dark',
      zone: 'browser',
      return: '/portal/activity',
    });
    expect([saved.status, saved.redirectPath]).toEqual([303, '/portal/activity']);
    for (const path of ['/portal', PATH]) {
      expect((await browser.get(path)).text).toContain('<html lang="en" data-theme="dark">');
    }
  });

  test.each([
    { language: 'tlh', theme: 'dark', zone: 'utc' },
    { language: 'en', theme: 'sepia', zone: 'utc' },
    { language: 'en', theme: 'dark', zone: 'mars' },
    { language: '', theme: '', zone: '' },
  ])('reject %o', async (fields) => {
    const browser = createBrowserClient(server);
    const rejected = await browser.fill(PATH, fields);
    expect(rejected.status).toBe(422);
    expect(rejected.headers.get('set-cookie') ?? '').not.toContain('preferences');
  });

  test('do not lead to another host', async () => {
    const browser = createBrowserClient(server);
    const saved = await browser.fill(PATH, {
      language: 'en',
      theme: 'light',
      zone: 'utc',
      return: '//example.com',
    });
    expect(saved.redirectPath).toBe('/portal');
  });
});
