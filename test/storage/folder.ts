import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Call this at the top of a test file, because hooks apply only to the file that registers them.
 *
 * @returns a function that creates an empty folder, which is removed after the test
 */
export function useFolders(): () => string {
  const folders: string[] = [];

  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });

  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'postern-store-'));
    folders.push(folder);
    return folder;
  };
}
