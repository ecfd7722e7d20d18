import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS } from '../../src/settings.ts';

const DEPLOY = join(import.meta.dir, '../../deploy/systemd');
const UNIT = join(DEPLOY, 'postern.service');

const root = mkdtempSync(join(tmpdir(), 'postern-unit-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function analyze(...words: readonly string[]) {
  const child = Bun.spawnSync(['systemd-analyze', ...words], { env: { PATH: process.env.PATH ?? '' } });
  return { exitCode: child.exitCode, text: child.stdout.toString() + child.stderr.toString() };
}

test('the exposure level of the systemd unit is at most 2.0', () => {
  const { exitCode, text } = analyze('security', '--offline=yes', '--threshold=20', UNIT);
  expect([exitCode, text]).toEqual([
    0,
    expect.stringMatching(/exposure level for postern\.service: [01]\.\d /),
  ]);
});

test('systemd-analyze finds no error in the unit', () => {
  // A root folder with the executables that the unit names.
  for (const program of ['usr/bin/postern', 'usr/bin/sh']) {
    mkdirSync(join(root, 'usr/bin'), { recursive: true });
    writeFileSync(join(root, program), '#!/bin/sh\n');
    chmodSync(join(root, program), 0o755);
  }
  const units = join(root, 'usr/lib/systemd/system');
  mkdirSync(units, { recursive: true });
  writeFileSync(join(units, 'postern.service'), readFileSync(UNIT));
  for (const name of ['sysinit', 'basic', 'shutdown', 'network-online', 'multi-user'])
    writeFileSync(join(units, `${name}.target`), '[Unit]\n');
  for (const name of ['system', '-']) writeFileSync(join(units, `${name}.slice`), '[Slice]\n');
  const { exitCode, text } = analyze('verify', '--man=no', `--root=${root}`, 'postern.service');
  expect({ exitCode, text }).toEqual({ exitCode: 0, text: '' });
});

describe('the settings file', () => {
  const lines = readFileSync(join(DEPLOY, 'postern.env'), 'utf8').trim().split('\n');

  test('changes no setting until an administrator edits it', () => {
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });

  test('suggests valid settings', () => {
    const suggestions = lines.flatMap((line) => {
      const [, variable, value] = /^#(POSTERN_\w+)=(.*)$/.exec(line) ?? [];
      return variable === undefined ? [] : [{ variable, value }];
    });
    expect(suggestions.length).toBeGreaterThan(0);
    for (const { variable, value } of suggestions) {
      const setting = SETTINGS.find((known) => known.variable === variable);
      expect([variable, setting?.parse(value).ok]).toEqual([variable, true]);
    }
  });
});
