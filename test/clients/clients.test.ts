import { describe, expect, test } from 'bun:test';
import { textOf } from '../architecture/tree.ts';
import { GROUPS, type GroupName, packagesOf } from './client.ts';
import { CLIENTS } from './clients.ts';
import { toPage } from './document.ts';
import { HELP, parseOptions } from './options.ts';
import type { Results } from './results.ts';

const recorded: Results = JSON.parse(await textOf('test/clients/results.json'));
const names = CLIENTS.map(({ name }) => name);

describe('docs/migrate/clients.md', () => {
  test('is the page that the recorded results generate', async () => {
    expect(await textOf('docs/migrate/clients.md')).toBe(toPage(recorded));
  });

  test('has every client of the table, and no other', () => {
    expect(recorded.clients.map(({ name }) => name)).toEqual(names);
  });

  test('states at least 60 results, and a reason for each client that does not work', () => {
    expect(recorded.clients.length).toBeGreaterThanOrEqual(60);
    const first = { ...recorded.clients[0], reason: 'the reason' } as Results['clients'][number];
    expect(toPage({ ...recorded, clients: [first] })).toContain('**fails**: the reason');
  });
});

describe('the clients', () => {
  test('have unique names', () => {
    expect(new Set(names).size).toBe(names.length);
  });

  test('have exact versions', () => {
    const groups = Object.keys(GROUPS) as GroupName[];
    const versions = groups.flatMap((group) => Object.values(packagesOf(group, CLIENTS)));
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('with two versions of one package in a group cannot be installed', () => {
    const [first] = CLIENTS;
    if (first === undefined) throw new Error('no client');
    const other = { ...first, packages: { [Object.keys(first.packages)[0] ?? '']: '0.0.0' } };
    expect(() => packagesOf(first.group, [first, other])).toThrow('two versions');
  });
});

describe('the options', () => {
  test.each([
    [['nothing'], 'no client contains: nothing'],
    [['--unknown'], "Unknown option '--unknown'"],
  ])('%p are rejected', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });

  test('select clients by name or vendor, which the help describes', () => {
    expect(parseOptions(['--help'])).toBeUndefined();
    expect(HELP).toContain('--folder');
    expect(parseOptions([])?.clients).toEqual(CLIENTS);
    const selected = parseOptions(['turnstile'])?.clients ?? [];
    expect(selected.length).toBeGreaterThan(5);
    expect(selected.filter(({ name, vendor }) => !/turnstile/i.test(`${name} ${vendor}`))).toEqual([]);
  });
});
