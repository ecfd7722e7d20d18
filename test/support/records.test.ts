import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashInputs, passedAt, recordPass } from '../records.ts';

let root: string;
const write = (file: string, text: string) => Bun.write(join(root, file), text);
const hash = (...paths: readonly string[]) => hashInputs(paths, root);

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'postern-records-'));
  Bun.spawnSync(['git', 'init', '--quiet'], { cwd: root });
});
afterAll(() => rmSync(root, { recursive: true }));

beforeEach(async () => {
  await write('.gitignore', 'node_modules/\n');
  await write('src/server.ts', 'server');
  await write('test/deploy/proxy.test.ts', 'test');
});

describe('the hash of what a layer depends on', () => {
  test.each([
    'src/server.ts',
    'src/new.ts',
    'test/deploy/proxy.test.ts',
    'test/support/server.ts',
    'README.md',
  ])('changes with %s', async (file) => {
    const before = hash('deploy');
    await write(file, 'changed');
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(hash('deploy')).not.toBe(before);
  });

  test.each(['test/http/verify.test.ts', 'test/deployment.test.ts', 'node_modules/package/index.js'])(
    'does not change with %s',
    async (file) => {
      const before = hash('deploy');
      await write(file, 'changed');
      expect(hash('deploy')).toBe(before ?? '');
    },
  );

  test('changes if a file is removed, or if a part of the layer does not run', async () => {
    await write('src/old.ts', 'old');
    const before = hash('deploy', 'container');
    expect(hash('deploy')).not.toBe(before);
    rmSync(join(root, 'src/old.ts'));
    expect(hash('deploy', 'container')).not.toBe(before);
  });
});

test('a layer counts as passed only if the record has the same hash', () => {
  expect(passedAt('deploy', 'a', root)).toBeUndefined();
  recordPass('deploy', 'a', root);
  expect(passedAt('deploy', 'a', root)).toStartWith('20');
  expect(passedAt('deploy', 'b', root)).toBeUndefined();
  expect(passedAt('release', 'a', root)).toBeUndefined();
});

test('outside a Git clone, nothing counts as passed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-records-'));
  expect(hashInputs(['deploy'], folder)).toBeUndefined();
  expect(passedAt('deploy', undefined, root)).toBeUndefined();
  rmSync(folder, { recursive: true });
});
