import { describe, expect, test } from 'bun:test';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { type Instant, MINUTE } from '../../src/lib/time.ts';
import type { Sitekey } from '../../src/model/property.ts';
import type { Growth } from '../../src/model/propertyFields.ts';
import { textOf } from './tree.ts';

/** The tables of docs/explanation/difficulty.md, computed. After a change of the curves the failing test shows the new ones. */

const RISING: readonly Growth[] = ['slow', 'medium', 'fast'];
const SITEKEY = '0123456789abcdef0123456789abcdef' as Sitekey;
const LEVEL = 128;
const START = Date.UTC(2026, 0, 1);

type Crowd = { readonly clients: number; readonly puzzles: number; readonly minutes: number };

/** What each puzzle costs, as a multiple of the level's work, when the clients take turns at an even pace. */
function pricesOf(growth: Growth, { clients, puzzles, minutes }: Crowd): readonly number[] {
  const meter = createLoadMeter(200_000);
  const step = (minutes * MINUTE) / puzzles;
  return Array.from({ length: puzzles }, (_, i) => {
    const signals = meter.observe(i % clients, SITEKEY, (START + i * step) as Instant);
    return 2 ** ((difficultyOf(LEVEL, growth, signals) - LEVEL) / 8);
  });
}

function shown(price: number): string {
  return price < 10 ? price.toFixed(1) : String(Math.round(price));
}

const mean = (prices: readonly number[]) => prices.reduce((sum, price) => sum + price, 0) / prices.length;

function tableOf(head: string, rows: readonly string[]): string {
  return `| ${head} | slow | medium | fast |\n|---|---|---|---|\n${rows.join('\n')}`;
}

function row(label: number | string, cell: (growth: Growth) => string): string {
  return `| ${label} | ${RISING.map(cell).join(' | ')} |`;
}

/** One client, 60 puzzles per minute. */
function hammerTable(): string {
  const prices = new Map(
    RISING.map((growth) => [growth, pricesOf(growth, { clients: 1, puzzles: 1000, minutes: 1000 / 60 })]),
  );
  const rows = [1, 5, 10, 30, 60, 120, 300, 1000].map((n) =>
    row(n, (growth) => shown(prices.get(growth)?.[n - 1] ?? Number.NaN)),
  );
  return tableOf('puzzle', rows);
}

/** One client for ten minutes, at several paces. */
function paceTable(): string {
  const rows = [1, 6, 12, 30, 60, 120].map((aMinute) =>
    row(aMinute, (growth) =>
      shown(pricesOf(growth, { clients: 1, puzzles: aMinute * 10, minutes: 10 }).at(-1) ?? Number.NaN),
    ),
  );
  return tableOf('puzzles per minute', rows);
}

/** Visitors who come once. */
function crowdTable(): string {
  const rows = [100, 1000, 10_000, 100_000].map((visitors) =>
    row(visitors, (growth) => {
      const prices = pricesOf(growth, { clients: visitors, puzzles: visitors, minutes: 5 });
      return `${shown(mean(prices))} (${shown(prices.at(-1) ?? Number.NaN)})`;
    }),
  );
  return tableOf('visitors', rows);
}

/** A thousand addresses for an hour. */
function botnetTable(): string {
  const rows = [1, 6, 10].map((aMinute) =>
    row(aMinute, (growth) => {
      const puzzles = 1000 * aMinute * 60;
      return shown(mean(pricesOf(growth, { clients: 1000, puzzles, minutes: 60 })));
    }),
  );
  return tableOf('puzzles per minute and address', rows);
}

const page = await textOf('docs/explanation/difficulty.md');

/** The table under a heading of the page. */
function pageTable(heading: string): string {
  const section = page.slice(page.indexOf(`### ${heading}\n`));
  return /^\|[\s\S]*?\|$(?!\n\|)/m.exec(section)?.[0] ?? '';
}

describe('docs/explanation/difficulty.md', () => {
  test('tells what one client pays', () => {
    expect(pageTable('One aggressive client')).toBe(hammerTable());
  });

  test('tells what a pace costs', () => {
    expect(pageTable('One client at a steady pace')).toBe(paceTable());
  });

  test('tells what a crowd pays', () => {
    expect(pageTable('A crowd')).toBe(crowdTable());
  });

  test('tells what many addresses pay', () => {
    expect(pageTable('Many addresses')).toBe(botnetTable());
  });
});
