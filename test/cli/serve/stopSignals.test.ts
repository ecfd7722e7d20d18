import { describe, expect, test } from 'bun:test';
import { createStopSignals } from '../../../src/cli/serve/stopSignals.ts';

type Arrival = readonly [signal: NodeJS.Signals, milliseconds: number];

/** @returns the index of the signal that ends the process at once, or undefined */
async function endingOf(arrivals: readonly Arrival[]): Promise<number | undefined> {
  let now = 5000;
  let ending: number | undefined;
  let index = 0;
  const signals = createStopSignals(
    () => now,
    () => {
      ending ??= index;
    },
  );
  expect(signals.first()).toBeUndefined();
  for (const [signal, at] of arrivals) {
    now = 5000 + at;
    signals.handle(signal);
    index += 1;
  }
  expect(await signals.received).toBe(arrivals[0]?.[0] ?? 'SIGTERM');
  return ending;
}

describe('signals after the first one', () => {
  // Two SIGTERMs within 10 ms used to kill the process.
  test.each([
    [
      'repeated SIGTERMs within a second',
      [
        ['SIGTERM', 0],
        ['SIGTERM', 0],
        ['SIGTERM', 8],
        ['SIGTERM', 1000],
      ],
    ],
    [
      'SIGTERM and SIGINT',
      [
        ['SIGTERM', 0],
        ['SIGINT', 100],
      ],
    ],
    [
      'SIGINT and SIGTERM',
      [
        ['SIGINT', 0],
        ['SIGTERM', 900],
      ],
    ],
    [
      'SIGTERM and SIGHUP',
      [
        ['SIGTERM', 0],
        ['SIGHUP', 3],
      ],
    ],
    [
      'one Ctrl+C that wrappers forward',
      [
        ['SIGINT', 0],
        ['SIGINT', 2],
        ['SIGINT', 40],
        ['SIGINT', 80],
      ],
    ],
  ] as const)('%s do not end the process', async (_, arrivals) => {
    expect(await endingOf(arrivals)).toBeUndefined();
  });

  test.each([
    [
      'SIGTERM after more than a second',
      [
        ['SIGTERM', 0],
        ['SIGTERM', 10],
        ['SIGTERM', 1001],
      ],
      2,
    ],
    [
      'SIGINT after more than a second',
      [
        ['SIGTERM', 0],
        ['SIGINT', 1001],
      ],
      1,
    ],
    [
      'SIGINT twice',
      [
        ['SIGINT', 0],
        ['SIGINT', 50],
      ],
      1,
    ],
    [
      'SIGINT twice after SIGTERM',
      [
        ['SIGTERM', 0],
        ['SIGINT', 300],
        ['SIGINT', 400],
      ],
      2,
    ],
  ] as const)('%s ends the process at once', async (_, arrivals, index) => {
    expect(await endingOf(arrivals)).toBe(index);
  });
});
