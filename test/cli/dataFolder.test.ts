import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { createCommandLine } from './commandLine.ts';

test('a missing data folder is created with a message, and one that cannot be used stops the command', async () => {
  const other = createCommandLine();
  const { err } = await other.run('users list');
  expect(err).toBe(`postern: creating the data folder ${other.dataDir}\n`);
  expect(existsSync(other.dataDir)).toBe(true);
  const settings = { POSTERN_DATA_DIR: '/dev/null/data' };
  const ended = await other.run('users list', { settings });
  expect(ended).toMatchObject({ code: 1, out: '' });
  expect(ended.err).toContain('postern: the data folder /dev/null/data cannot be used: ');
  await other.remove();
});
