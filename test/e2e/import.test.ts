import { describe, expect } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { residentMbIfRunning } from '../support/memory.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { BINARY, postern, testInFolder } from './support.ts';

const COUNT = 30_000;
const MANY = 100_000;
/** More than an installation writes before the import starts. */
const STARTED_BYTES = 1024 ** 2;

function createDocument(count: number) {
  const properties = Array.from({ length: count }, (_, index) => ({
    name: `Property ${index}`,
    domain: 'example.com',
    sitekey: index.toString(16).padStart(32, '0'),
  }));
  const owner = 'ann@example.com';
  return {
    format: 'postern-export',
    version: 1,
    plans: [{ name: 'large', organizations: 1, properties: count }],
    users: [{ email: owner, name: 'Ann', plan: 'large', disabled: false }],
    organizations: [{ name: 'Ann', owner, members: [], properties }],
  };
}

describe('an import of many properties', () => {
  testInFolder('that is killed changes nothing, and can be repeated', async (folder) => {
    const [file, dataDir] = [join(folder, 'export.json'), join(folder, 'data')];
    writeFileSync(file, JSON.stringify(createDocument(COUNT)));
    const child = Bun.spawn([BINARY, 'import', file, '--create-users', '--data-dir', dataDir], {
      env: { PATH: process.env.PATH ?? '' },
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const sizeOfLog = () =>
      statSync(join(dataDir, 'postern.sqlite-wal'), { throwIfNoEntry: false })?.size ?? 0;
    await waitUntil('the import has written properties', () => sizeOfLog() > STARTED_BYTES);
    child.kill('SIGKILL');
    await child.exited;
    expect(child.signalCode).toBe('SIGKILL');
    expect(await postern(dataDir, 'export')).toMatchObject({ plans: [], users: [], organizations: [] });
    const repeated = await postern(dataDir, 'import', file, '--create-users');
    expect(repeated).toMatchObject({ properties: { created: COUNT, unchanged: 0 } });
  });

  // The memory used to grow with the number of properties: 900,000 needed 3.1 GB.
  testInFolder('needs little memory', async (folder) => {
    const [file, dataDir] = [join(folder, 'export.json'), join(folder, 'data')];
    writeFileSync(file, JSON.stringify(createDocument(MANY)));
    const child = Bun.spawn([BINARY, 'import', file, '--create-users', '--data-dir', dataDir], {
      env: { PATH: process.env.PATH ?? '' },
      stdout: 'ignore',
      stderr: 'inherit',
    });
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, residentMbIfRunning(child.pid));
    }, 20);
    expect(await child.exited).toBe(0);
    clearInterval(timer);
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(250);
  });
});
