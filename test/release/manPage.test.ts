import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toManPage } from '../../build/release/manPage.ts';
import { helpOfOptions } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { SETTINGS } from '../../src/settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'postern-man-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = join(folder, 'postern.1');
await Bun.write(page, toManPage('1.2.3', 1_767_225_600));

function mandoc(...options: readonly string[]) {
  const { exitCode, stdout } = Bun.spawnSync(['mandoc', ...options, page], {
    env: { PATH: process.env.PATH ?? '' },
  });
  return { exitCode, text: stdout.toString() };
}

test('mandoc has no warnings', () => {
  expect(mandoc('-T', 'lint', '-W', 'warning')).toEqual({ exitCode: 0, text: '' });
});

test('the page names the version, the date, every command with its options and its example, and every setting', () => {
  const { text } = mandoc('-T', 'ascii', '-O', 'width=1000');
  const plain = text.replaceAll(/.[\b]/g, '');
  expect(plain).toMatch(/^POSTERN\(1\) +General Commands Manual +POSTERN\(1\)$/m);
  expect(plain).toMatch(/^postern 1\.2\.3 +2026-01-01 +POSTERN\(1\)$/m);
  const lines = plain.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '));
  for (const command of COMMANDS) {
    const { name, usage, example } = command;
    expect(lines).toContainEqual(expect.stringMatching(startOf(`${name} ${usage}`)));
    for (const { flag, value = '' } of helpOfOptions(command))
      expect(lines).toContainEqual(expect.stringMatching(startOf(`${flag} ${value}`)));
    expect(lines).toContain(`Example: ${example}`);
  }
  for (const { flag } of SETTINGS)
    expect(lines).toContainEqual(expect.stringMatching(startOf(`--${flag} VALUE`)));
});

/** A short title is on the same line as its text. */
function startOf(title: string): RegExp {
  return new RegExp(`^${title.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}( |$)`);
}
