import { afterEach } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that goes away after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postern-store-'));
  folders.push(folder);
  return folder;
}
