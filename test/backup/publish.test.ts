import { afterAll, describe, expect, test } from 'bun:test';
import { linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publish } from '../../src/backup/publish.ts';

const root = mkdtempSync(join(tmpdir(), 'postern-publish-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function makeFolder(): { readonly temporary: string; readonly file: string; readonly folder: string } {
  const folder = mkdtempSync(join(root, 'folder-'));
  const temporary = join(folder, 'temporary');
  writeFileSync(temporary, 'backup');
  return { folder, temporary, file: join(folder, 'final') };
}

/** A file system such as FAT. */
const withoutLinks = {
  link() {
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' });
  },
};

describe.each([
  ['with hard links', { link: linkSync }],
  ['without hard links', withoutLinks],
])('a complete backup on a file system %s', (_, links) => {
  test('gets its final name', () => {
    const { folder, temporary, file } = makeFolder();
    publish(temporary, file, links);
    expect(readFileSync(file, 'utf8')).toBe('backup');
    expect(readdirSync(folder)).toEqual(['final']);
  });

  test('does not replace a file that was created in the meantime', () => {
    const { temporary, file } = makeFolder();
    writeFileSync(file, 'precious');
    expect(() => publish(temporary, file, links)).toThrow(`${file} already exists`);
    expect(readFileSync(file, 'utf8')).toBe('precious');
  });
});

test('other errors of the file system are reported', () => {
  const { temporary, file } = makeFolder();
  const link = () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  };
  expect(() => publish(temporary, file, { link })).toThrow('no space left on device');
});
