import type { Part } from '../parts/part.ts';
import { PARTS } from '../parts/parts.ts';
import { BenchError } from './cleanup.ts';
import { parseArguments } from './command.ts';
import type { Duration } from './lab.ts';

export type Options = {
  readonly parts: readonly Part[];
  readonly duration: Duration;
  /** The file for the results of this run. */
  readonly json: string;
  /** Whether the results become those of the documentation. */
  readonly records: boolean;
  /** Whether only the documentation is generated, from results that are already there. */
  readonly documents: boolean;
  /** The commit to compare with. */
  readonly against: string | undefined;
};

const DEFAULTS = { windows: 7, seconds: 2 };
const QUICK = { windows: 2, seconds: 1 };
const JSON_FILE = 'dist/bench.json';

/** @returns the text of `--help` */
export function helpText(): string {
  const limit = Math.ceil(PARTS.reduce((sum, { limitSeconds }) => sum + limitSeconds, 0) / 60);
  return [
    'usage: bun run bench [PART]... [OPTIONS]',
    '',
    'Measures the compiled server, the solvers, and the widget, and prints a table. Without a part, it measures all parts, which',
    `takes about 25 minutes and at most ${limit} (each part has a limit). Run it on a machine that does nothing else.`,
    '',
    'Parts:',
    ...PARTS.map(({ name, title, limitSeconds, needs = [] }) => {
      const tools = needs.length > 0 ? `; needs ${needs.join(', ')}` : '';
      return `  ${name.padEnd(12)} ${title} (at most ${limitSeconds} s${tools})`;
    }),
    '',
    'Options:',
    `  --windows N    number of windows of each measurement, 1 to 100 (${DEFAULTS.windows})`,
    `  --seconds N    seconds of a window, 1 to 60 (${DEFAULTS.seconds})`,
    '  --quick        short windows, to check that the benchmark works; the results are meaningless',
    `  --json FILE    file for the results (${JSON_FILE})`,
    '  --record       also replaces the results of these parts in the documentation',
    '  --document     only generates docs/project/performance.md again from the recorded results',
    '  --against REF  compares the working tree with a commit, branch, or tag in alternating windows',
    '  --help         prints this text',
  ].join('\n');
}

/** @returns undefined for `--help` @throws BenchError if an argument is invalid */
export function parseOptions(args: readonly string[]): Options | undefined {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  const { values, positionals } = parseArguments('bench', args, {
    windows: text,
    seconds: text,
    quick: flag,
    json: text,
    record: flag,
    document: flag,
    against: text,
  });
  if (values.help) return undefined;
  const isQuick = values.quick === true;
  const defaults = isQuick ? QUICK : DEFAULTS;
  const duration = {
    windows: wholeNumber('--windows', values.windows, 100) ?? defaults.windows,
    seconds: wholeNumber('--seconds', values.seconds, 60) ?? defaults.seconds,
    isQuick,
  };
  const [records, documents] = [values.record === true, values.document === true];
  const { against } = values;
  if (records && isQuick) throw new BenchError('--record cannot be combined with --quick');
  if (documents && (records || against !== undefined || positionals.length > 0))
    throw new BenchError('--document measures nothing, so it cannot be combined with parts or other modes');
  if (against !== undefined && (records || positionals.length > 0))
    throw new BenchError('--against cannot be combined with parts or --record');
  return {
    parts: selected(positionals),
    duration,
    json: values.json ?? JSON_FILE,
    records,
    documents,
    against,
  };
}

/** @throws BenchError unless it is a whole number from 1 to `max` */
export function wholeNumber(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw new BenchError(`${name} must be a whole number from 1 to ${max}, not ${text}`);
}

function selected(names: readonly string[]): readonly Part[] {
  const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0) {
    const known = PARTS.map(({ name }) => name).join(', ');
    throw new BenchError(`unknown part: ${unknown.join(', ')}. The parts are ${known}`);
  }
  return names.length === 0 ? PARTS : PARTS.filter(({ name }) => names.includes(name));
}
