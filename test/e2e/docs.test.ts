import { expect } from 'bun:test';
import { startBinary } from '../support/binary.ts';
import { BINARY, testInFolder } from './support.ts';

testInFolder(
  'the executable contains Swagger UI and the document that `postern openapi` prints',
  async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
    const page = await (await fetch(`${server.url}/swagger`)).text();
    const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files).toContain('/swagger/swagger-ui-bundle.js');
    for (const file of files) expect([file, (await fetch(server.url + file)).status]).toEqual([file, 200]);
    const served = await (await fetch(`${server.url}/swagger/json`)).text();
    const env = { POSTERN_BASE_URL: `http://localhost:${new URL(server.url).port}` };
    const printed = Bun.spawnSync([BINARY, 'openapi', '--json'], { cwd: dataDir, env }).stdout.toString();
    expect(printed).toBe(`${served}\n`);
    expect(await server.end('SIGTERM')).toBe(0);
  },
);

testInFolder(
  'the executable contains the documentation with its pictures and its search',
  async (dataDir) => {
    const server = await startBinary(BINARY, { POSTERN_DATA_DIR: dataDir });
    const page = await (await fetch(`${server.url}/docs/how-to/portal`)).text();
    const files = [...page.matchAll(/\s(?:src|srcset|href)="(\/(?:assets|docs\/images)\/[^"]+)"/g)];
    expect(files.length).toBeGreaterThan(5);
    for (const [, file = ''] of files) {
      const response = await fetch(server.url + file);
      expect([file, response.status, (await response.bytes()).length > 100]).toEqual([file, 200, true]);
    }
    const found = await (await fetch(`${server.url}/docs/search?q=recovery+codes`)).text();
    expect(found).toContain('/docs/how-to/portal#set-up-two-factor-authentication');
    expect(await server.end('SIGTERM')).toBe(0);
  },
);
