import { expectedPuzzleAttempts } from '../../../captcha/playground.ts';
import { MINUTE, SECOND } from '../../../lib/time.ts';
import { Table } from '../components/table.tsx';

/** Hashes per second. */
const RATES = {
  /** Two workers in Chromium: 34 ms for a puzzle of level 128. @see docs/explanation/performance.md#solver */
  laptop: 31e6,
  /** Assumed, not measured: a slow phone without SIMD. */
  phone: 1e6,
  /** One core, native scalar code. @see docs/explanation/performance.md#solver */
  bot: 16e6,
} as const;

type Solver = keyof typeof RATES;

/** The average time to solve a puzzle, in milliseconds. */
export function solveMs(level: number, solver: Solver): number {
  return (expectedPuzzleAttempts(level) / RATES[solver]) * SECOND;
}

/** A duration in words, with two significant digits: `34 ms`, `1.1 seconds`, `35 minutes`. */
export function durationOf(milliseconds: number): string {
  if (milliseconds < 1) return 'less than 1 ms';
  if (milliseconds < SECOND) return `${rounded(milliseconds)} ms`;
  if (milliseconds < 2 * MINUTE) return unit(milliseconds / SECOND, 'second');
  if (milliseconds < 120 * MINUTE) return unit(milliseconds / MINUTE, 'minute');
  return unit(milliseconds / (60 * MINUTE), 'hour');
}

/** A number in words, with two significant digits: `1.1 million`. */
export function amountOf(count: number): string {
  const [size, name] = count >= 1e9 ? [1e9, ' billion'] : count >= 1e6 ? [1e6, ' million'] : [1, ''];
  return `${rounded(count / size).toLocaleString('en')}${name}`;
}

/** The cost of a level, as a sentence. */
export function costSentence(level: number): string {
  return `Level ${level} takes a laptop about ${durationOf(solveMs(level, 'laptop'))}, a slow phone about ${durationOf(solveMs(level, 'phone'))}, and a bot ${durationOf(solveMs(level, 'bot'))} of one processor core for each form.`;
}

/** The cost of some levels, including this one. */
export function CostTable({ level }: { readonly level: number }) {
  const levels = [...new Set([64, 96, 128, 144, 160, 176, level])].toSorted((a, b) => a - b);
  return (
    <Table
      caption="Average work of one puzzle; eight more levels double it"
      head={['Level', 'Attempts', 'Laptop', 'Slow phone', 'Bot, one core']}
      rows={levels.map((one) => [
        one === level ? <strong>{one}</strong> : one,
        amountOf(expectedPuzzleAttempts(one)),
        ...(['laptop', 'phone', 'bot'] as const).map((solver) => durationOf(solveMs(one, solver))),
      ])}
      empty=""
    />
  );
}

function unit(value: number, name: string): string {
  const shown = rounded(value);
  return `${shown.toLocaleString('en')} ${name}${shown === 1 ? '' : 's'}`;
}

function rounded(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
}
