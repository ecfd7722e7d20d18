import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOLVERS, workOf } from '../../src/captcha/solveCosts.ts';
import { textOf } from '../architecture/tree.ts';
import { capPairs, solveCap } from '../support/capSolver.ts';
import { toPage, withTable } from './document.ts';
import { HELP, parseOptions } from './options.ts';
import { createPaddedFile } from './payloads.ts';
import { CARD, DEVICES, LEVELS, OTHERS, priceOf, SOLUTIONS } from './prices.ts';
import { NOT_AVAILABLE, PRODUCTS, packagesOf } from './products.ts';
import type { Results } from './results.ts';
import { downloadsOf } from './visits.ts';

const recorded: Results = JSON.parse(await textOf('test/compare/results.json'));

describe('the documents', () => {
  test('docs/project/comparison.md is the page that the recorded results generate', async () => {
    expect(await textOf('docs/project/comparison.md')).toBe(toPage(recorded));
  });

  test('README.md has the table that the recorded results generate', async () => {
    const readme = await textOf('README.md');
    expect(readme).toBe(withTable(readme, recorded));
  });

  test('a run on a busy machine is called preliminary, and a run on a quiet one is not', () => {
    const pageWith = (busyBefore: number) => toPage({ ...recorded, busyBefore });
    expect(pageWith(0.5)).toContain('**Preliminary: the machine was busy.**');
    expect(pageWith(0.05)).not.toContain('Preliminary');
  });

  test('say which products accept a used solution after they were killed', () => {
    const products = recorded.products.map((product) => ({ ...product, acceptsAfterKill: false }));
    const [first, ...others] = products;
    expect(toPage({ ...recorded, products })).not.toContain('**accepted again**');
    const accepting = first === undefined ? [] : [{ ...first, acceptsAfterKill: true }, ...others];
    expect(toPage({ ...recorded, products: accepting })).toContain('**accepted again**');
  });

  test('name every product, measured or not', () => {
    const page = toPage(recorded);
    const names = [...PRODUCTS, ...NOT_AVAILABLE].map(({ name }) => name);
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
  });

  test('a README without a place for the table is an error', () => {
    expect(() => withTable('# Postern\n', recorded)).toThrow('no place');
  });
});

describe('the products', () => {
  test('have exact versions', () => {
    const versions = Object.values(packagesOf(PRODUCTS));
    expect(versions.length).toBeGreaterThan(3);
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('with two versions of one package cannot be installed', () => {
    const [first, second] = PRODUCTS.map((product, i) => ({ ...product, packages: { altcha: `${i}.0.0` } }));
    expect(() => packagesOf([first, second].filter((product) => product !== undefined))).toThrow('altcha');
  });
});

describe('the options', () => {
  test.each([
    [['nothing'], 'unknown product: nothing'],
    [['--windows', '0'], '--windows must be a whole number from 1 to 100, not 0'],
    [['--visits', '1.5'], '--visits must be a whole number from 1 to 100, not 1.5'],
    [['--unknown'], "Unknown option '--unknown'"],
    [['altcha', '--record'], '--record and --document apply to all products'],
  ])('%p are rejected', (args, message) => {
    expect(() => parseOptions(args)).toThrow(message);
  });

  test('select products, which the help lists', () => {
    expect(parseOptions(['altcha'])?.products.map(({ id }) => id)).toEqual(['altcha']);
    expect(parseOptions([])?.products).toEqual(PRODUCTS);
    expect(PRODUCTS.filter(({ id }) => !HELP.includes(`  ${id} `))).toEqual([]);
  });
});

describe('the prices', () => {
  test('are solutions × hashes ÷ rate ÷ 3,600 × rent', () => {
    expect(SOLUTIONS).toBe(1000);
    expect(priceOf(3600, 1000, 2)).toBe(2);
  });

  test('agree with the figures of docs/explanation/proof-of-work.md for the same card', () => {
    const card = DEVICES.find(({ name }) => name === CARD);
    const { blake2b, argon2id } = SOLVERS.gpu.rates;
    if (card === undefined || typeof card.blake2b === 'string') throw new Error('no published rate');
    expect(card.blake2b.value / blake2b).toBeCloseTo(1, 3);
    expect(card.argon2id).toMatchObject({ value: argon2id });
    expect(card.dollarsPerHour.value).toBe(SOLVERS.gpu.dollarsPerHour);
  });

  test('apply to the default level and to the highest one', () => {
    expect(LEVELS[0]?.work).toEqual(workOf(128, 'blake2b'));
    expect(LEVELS.at(-1)?.work).toEqual(workOf(255, 'argon2id'));
  });

  test('have a source for each figure that was not measured', () => {
    const figures = DEVICES.flatMap(({ blake2b, argon2id, dollarsPerHour }) => [
      blake2b,
      argon2id,
      dollarsPerHour,
    ]);
    const published = [...figures, ...OTHERS.map(({ rate }) => rate)].filter(
      (figure) => figure !== undefined && figure !== 'measured',
    );
    expect(published.length).toBeGreaterThan(8);
    expect(published.filter(({ source }) => !/\]\(https:\/\/\S+\)/.test(source))).toEqual([]);
  });
});

describe('a challenge of Cap', () => {
  const challenge = { challenge: { c: 4, s: 32, d: 2 }, token: 'a token' };

  test('stands for pairs that differ, with the given numbers of digits', () => {
    const pairs = capPairs(challenge);
    expect(new Set(pairs.map(({ salt }) => salt)).size).toBe(4);
    for (const { salt, target } of pairs) expect(`${salt} ${target}`).toMatch(/^[0-9a-f]{32} [0-9a-f]{2}$/);
  });

  test('is solved by numbers whose hashes begin with the targets', () => {
    const solutions = solveCap(challenge);
    const hashes = capPairs(challenge).map(({ salt, target }, i) => {
      const hash = createHash('sha256').update(`${salt}${solutions[i]}`).digest('hex');
      return hash.startsWith(target);
    });
    expect(hashes).toEqual([true, true, true, true]);
  });
});

test('payloads are lines of equal length, and a payload that is too long is an error', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-compare-'));
  try {
    let made = 0;
    const file = createPaddedFile(join(folder, 'payloads'), 8, async (count) =>
      Array.from({ length: count }, () => `{"n":${made++ % 10}}`.slice(0, 7)),
    );
    await file.ensure(3);
    const lines = readFileSync(file.path, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.slice(0, 2)).toEqual(['{"n":0} ', '{"n":1} ']);
    const long = createPaddedFile(join(folder, 'long'), 8, async () => ['123456789']);
    expect(await long.ensure(1).catch((cause) => String(cause))).toContain('a payload has 9 bytes');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the downloads are the files of the page, each once, without challenges and embedded data', () => {
  const page = 'http://localhost:1/';
  const requests = [
    page,
    `${page}widget.js`,
    `${page}widget.js`,
    'http://localhost:2/challenge?a=1',
    'data:,',
  ];
  expect(downloadsOf(requests, page, ['/challenge'])).toEqual([`${page}widget.js`]);
});
