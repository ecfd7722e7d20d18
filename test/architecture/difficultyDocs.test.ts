import { describe, expect, test } from 'bun:test';
import { difficultyOf } from '../../src/captcha/difficulty.ts';
import { createLoadMeter } from '../../src/captcha/load.ts';
import { type Instant, MINUTE } from '../../src/lib/time.ts';
import type { PropertyId } from '../../src/model/property.ts';
import type { Growth } from '../../src/model/propertyFields.ts';
import { textOf } from './tree.ts';

/** Computes the tables of docs/explanation/difficulty.md. If the curves change, the failing tests print the new tables. */

const RISING: readonly Growth[] = ['slow', 'medium', 'fast'];
const PROPERTY = 1 as PropertyId;
const LEVEL = 128;
const START = Date.UTC(2026, 0, 1);

type Crowd = { readonly clients: number; readonly puzzles: number; readonly minutes: number };

/** The work for each puzzle as a multiple of the level's work, if the clients take turns at a steady rate. */
function costsOf(growth: Growth, { clients, puzzles, minutes }: Crowd): readonly number[] {
  const meter = createLoadMeter(200_000);
  const step = (minutes * MINUTE) / puzzles;
  return Array.from({ length: puzzles }, (_, i) => {
    const signals = meter.observe(i % clients, PROPERTY, (START + i * step) as Instant);
    return 2 ** ((difficultyOf(LEVEL, growth, signals) - LEVEL) / 8);
  });
}

function format(cost: number): string {
  return cost < 10 ? cost.toFixed(1) : String(Math.round(cost));
}

const mean = (costs: readonly number[]) => costs.reduce((sum, cost) => sum + cost, 0) / costs.length;

function tableOf(head: string, rows: readonly string[]): string {
  return `| ${head} | slow | medium | fast |\n|---|---|---|---|\n${rows.join('\n')}`;
}

function row(label: number | string, cell: (growth: Growth) => string): string {
  return `| ${label} | ${RISING.map(cell).join(' | ')} |`;
}

/** One client, 60 puzzles per minute. */
function singleClientTable(): string {
  const costs = new Map(
    RISING.map((growth) => [growth, costsOf(growth, { clients: 1, puzzles: 1000, minutes: 1000 / 60 })]),
  );
  const rows = [1, 5, 10, 30, 60, 120, 300, 1000].map((n) =>
    row(n, (growth) => format(costs.get(growth)?.[n - 1] ?? Number.NaN)),
  );
  return tableOf('puzzle', rows);
}

/** One client for ten minutes, at several rates. */
function rateTable(): string {
  const rows = [1, 6, 12, 30, 60, 120].map((perMinute) =>
    row(perMinute, (growth) =>
      format(costsOf(growth, { clients: 1, puzzles: perMinute * 10, minutes: 10 }).at(-1) ?? Number.NaN),
    ),
  );
  return tableOf('puzzles per minute', rows);
}

/** Visitors who each request one puzzle. */
function crowdTable(): string {
  const rows = [100, 1000, 10_000, 100_000].map((visitors) =>
    row(visitors, (growth) => {
      const costs = costsOf(growth, { clients: visitors, puzzles: visitors, minutes: 5 });
      return `${format(mean(costs))} (${format(costs.at(-1) ?? Number.NaN)})`;
    }),
  );
  return tableOf('visitors', rows);
}

/** A thousand addresses for an hour. */
function botnetTable(): string {
  const rows = [1, 6, 10].map((perMinute) =>
    row(perMinute, (growth) => {
      const puzzles = 1000 * perMinute * 60;
      return format(mean(costsOf(growth, { clients: 1000, puzzles, minutes: 60 })));
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
  test('has the table for one client', () => {
    expect(pageTable('One aggressive client')).toBe(singleClientTable());
  });

  test('has the table for one client at several rates', () => {
    expect(pageTable('One client at a steady pace')).toBe(rateTable());
  });

  test('has the table for a crowd', () => {
    expect(pageTable('A crowd')).toBe(crowdTable());
  });

  test('has the table for many addresses', () => {
    expect(pageTable('Many addresses')).toBe(botnetTable());
  });
});
