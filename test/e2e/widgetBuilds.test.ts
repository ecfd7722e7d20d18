import { afterAll, expect } from 'bun:test';
import { startBinary } from '../support/binary.ts';
import { openTab } from '../support/browser.ts';
import { createOlderWidget } from '../support/olderWidget.ts';
import { addTenant, startServer } from '../support/server.ts';
import { verify } from '../support/visitor.ts';
import { BINARY, testInFolder } from './support.ts';

const websites: { readonly stop: (closeActiveConnections: boolean) => unknown }[] = [];
afterAll(() => websites.forEach((website) => void website.stop(true)));

/** A page that pins a version of the widget. */
function servePage(script: string, integrity: string, sitekey: string): string {
  const page = `<!doctype html><html lang="de"><title>pinned</title>
    <script src="${script}" integrity="${integrity}" crossorigin="anonymous" defer></script>
    <form><div class="postern-captcha" data-sitekey="${sitekey}"></div></form></html>`;
  const website = Bun.serve({
    port: 0,
    fetch: () => new Response(page, { headers: { 'Content-Type': 'text/html' } }),
  });
  websites.push(website);
  return `http://localhost:${website.port}/`;
}

const ROOT = "document.querySelector('.postern-captcha > div')?.shadowRoot";

testInFolder(
  'after an upgrade, a page that pins the old widget works with all files of the old build',
  async (folder) => {
    const older = createOlderWidget();
    const before = await startServer({ dataDir: folder, widgetArchive: older.archive });
    const easy = await addTenant(before, { allowsLocalhost: true, level: 1 });
    const argon2id = await addTenant(before, { allowsLocalhost: true, level: 152, challenge: 'argon2id' });
    await before.stop();

    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: folder });
    for (const path of older.paths) {
      const { status, headers } = await fetch(server.url + path.replace(':hash', 'b2c3'));
      expect([
        path,
        status,
        headers.get('cache-control'),
        headers.get('access-control-allow-origin'),
      ]).toEqual([path, 200, 'public, max-age=31536000, immutable', '*']);
    }
    const url = server.url.replace('127.0.0.1', 'localhost');
    for (const [{ property, verifyKey }, ...files] of [
      [easy, /postern/],
      [argon2id, /argon2id/, /extras/, /postern/],
    ] as const) {
      const tab = await openTab();
      await tab.goto(servePage(url + older.script.path, older.script.integrity, property.sitekey));
      await tab.until(`${ROOT}?.querySelector('#label')?.textContent === '${older.germanLabel}'`);
      await tab.click(`${ROOT}.querySelector('button')`);
      await tab.until(`${ROOT}.querySelector('.box').dataset.state === 'verified'`);
      const requested = tab.requests.map((request) => new URL(request.url).pathname);
      expect(requested.filter((path) => older.paths.includes(path)).sort()).toEqual(
        files.map((file) => expect.stringMatching(file)),
      );
      const payload = await tab.evaluate<string>("document.querySelector('input').value");
      expect(await verify(server.url, verifyKey, payload)).toMatchObject({ success: true });
      tab.close();
    }
    expect(await server.end('SIGTERM')).toBe(0);
  },
);
