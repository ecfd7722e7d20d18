import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/binary.ts';
import { fetchAndSolve, verify } from '../support/visitor.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { createBuildImage, createRuntimeImage } from './baseImages.ts';
import { type Builder, type BuiltImage, createBuilder } from './builder.ts';
import { type Container, startContainer, waitUntilHealthy } from './runtime.ts';

/** Builds the Dockerfile and runs the image as the documentation recommends. */

const ROOT = join(import.meta.dir, '../..');
const USER = 65532;
const BUILD_MS = 900_000;
const NEEDED_BYTES = 2e9;

const MEMORY = '/dev/shm';
const isMemoryLargeEnough = () => {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > NEEDED_BYTES;
};
const folder = mkdtempSync(join(isMemoryLargeEnough() ? MEMORY : tmpdir(), 'postern-image-'));
let builder: Builder;
let image: BuiltImage;
let container: Container | undefined;

beforeAll(async () => {
  builder = createBuilder(folder);
  image = await builder.build(ROOT, 'postern', {
    BUILD_IMAGE: createBuildImage(builder, folder),
    RUNTIME_IMAGE: createRuntimeImage(builder, folder),
  });
}, BUILD_MS);
afterAll(async () => {
  await container?.stop();
  builder?.clean();
});

/** The paths of all files of the image, with their sizes and times. */
function filesOf(root: string): readonly string[] {
  const { stdout } = Bun.spawnSync(['find', root, '-xdev', '-printf', '%P %s %m %U %T@ %C@\\n']);
  return stdout.toString().split('\n').sort();
}

test('the image contains the executable and an empty folder for data, and no sources, packages, or shell', () => {
  const added = filesOf(image.root).map((line) => line.split(' ')[0]);
  expect(added.filter((path) => path?.startsWith('usr/local/bin/'))).toEqual(['usr/local/bin/postern']);
  const sources = /node_modules|package\.json|\.ts$|^src|^root\/.|^bin\/sh$|npmrc/;
  expect(added.filter((path) => sources.test(path ?? ''))).toEqual([]);
  expect(readdirSync(join(image.root, 'data'))).toEqual([]);
  const { uid, gid } = statSync(join(image.root, 'data'));
  expect([uid, gid]).toEqual([USER, USER]);
  // docs/how-to/install.md states the size of the executable, 132 MB. The base image of the tests has 16 MB.
  expect(image.size).toBeGreaterThan(100e6);
  expect(image.size).toBeLessThan(160e6);
});

test('the configuration of the image names the user, the volume, the port, and the health check', () => {
  const { User, Volumes, ExposedPorts, Entrypoint, Cmd, Healthcheck, Env } = image.config;
  expect([User, Object.keys(Volumes), Object.keys(ExposedPorts)]).toEqual([
    '65532:65532',
    ['/data'],
    ['8080/tcp'],
  ]);
  expect([...Entrypoint, ...Cmd]).toEqual(['/usr/local/bin/postern', 'serve']);
  expect(Healthcheck.Test).toEqual(['CMD', '/usr/local/bin/postern', 'healthcheck']);
  for (const variable of ['POSTERN_HOST=0.0.0.0', 'POSTERN_DATA_DIR=/data', 'TMPDIR=/data'])
    expect(Env).toContain(variable);
});

test('the image runs without privileges and with a read-only root, and writes only to /data', async () => {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, USER, USER);
  const before = filesOf(image.root);
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const started = startContainer(image, folder, data, {
    POSTERN_HOST: '127.0.0.1',
    POSTERN_PORT: port,
    POSTERN_DEMO: 'on',
    // Hashing this password unpacks native code.
    POSTERN_ADMIN_EMAIL: 'ops@example.com',
    POSTERN_ADMIN_PASSWORD: 'lantern copper meadow 41',
  });
  container = started;
  await waitUntilHealthy(started, image);
  await waitUntil('the demo is ready', () => started.output().includes('Portal key:'));

  const status = readFileSync(`/proc/${started.pid()}/status`, 'utf8');
  expect(status).toMatch(/^Uid:\s+65532\s+65532\s+65532\s+65532$/m);
  expect(status).toMatch(/^CapBnd:\s+0+$/m);
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m);

  const sitekey = /Sitekey:\s+(\w+)/.exec(started.output())?.[1] ?? '';
  const key = /Verify key:\s+(\w+)/.exec(started.output())?.[1] ?? '';
  const payload = await fetchAndSolve(url, sitekey, 'http://localhost:3000');
  expect(await verify(url, key, payload)).toMatchObject({ success: true, code: 0 });
  const listed = started.exec('/usr/local/bin/postern', 'users', 'list', '--json');
  expect(JSON.parse(listed.out)).toContainEqual(expect.objectContaining({ email: 'ops@example.com' }));

  expect(await started.stop()).toBe(0);
  expect(started.output()).not.toContain('drain-timed-out');
  expect(filesOf(image.root)).toEqual([...before]);
  expect(readdirSync(data)).toEqual(expect.arrayContaining(['claims.sqlite', 'postern.sqlite']));
});
