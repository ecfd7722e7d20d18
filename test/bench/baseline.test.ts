import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(import.meta.dir, 'baseline.ts');
const folder = mkdtempSync(join(tmpdir(), 'postern-baseline-'));

afterAll(() => rmSync(folder, { recursive: true }));

function start(...args: string[]) {
  return Bun.spawn([process.execPath, PROGRAM, ...args], { stdout: 'pipe', stderr: 'pipe' });
}

/** @returns the paths of the files that a process has open */
function openFilesOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${name}`);
    } catch {
      // The process has closed the connection in the meantime.
      return '';
    }
  });
}

describe('the baseline', () => {
  const rows = [
    ['without a log thread', ['1'], 0],
    ['with a log thread', ['1', folder, '1'], 1],
  ] as const;
  test.each(rows)('%s responds to every request', async (_, args, files) => {
    const child = start(...args);
    try {
      const { value } = await child.stdout.getReader().read();
      const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
      const texts = Array.from({ length: 100 }, async () =>
        (await fetch(url, { method: 'POST', body: 'a' })).text(),
      );
      expect(await Promise.all(texts)).toEqual(Array(100).fill('hello world'));
      expect(openFilesOf(child.pid).filter((path) => path.startsWith(folder))).toHaveLength(files);
    } finally {
      child.kill();
    }
  });

  test('fails if its log thread cannot write', async () => {
    const child = start('0', join(folder, 'missing'));
    expect(await child.exited).not.toBe(0);
    expect(await new Response(child.stderr).text()).toContain('the log thread failed');
  });
});
