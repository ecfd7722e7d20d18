import { BenchError } from '../bench/harness/cleanup.ts';
import { parseArguments } from '../bench/harness/command.ts';
import type { Duration } from '../bench/harness/lab.ts';
import { wholeNumber } from '../bench/harness/options.ts';
import { PRODUCTS, type Product } from './products.ts';

export type Options = {
  readonly products: readonly Product[];
  readonly duration: Duration;
  /** Visitors for each product. */
  readonly visits: number;
  /** The file for the results of this run. */
  readonly json: string;
  /** Whether the results become those of the documentation. */
  readonly records: boolean;
  /** Whether only the documents are generated, from results that are already there. */
  readonly documents: boolean;
};

const DEFAULTS = { windows: 7, seconds: 2, visits: 9 };
const JSON_FILE = 'dist/compare.json';

/** The text of `--help`. */
export const HELP = [
  'usage: bun run compare [PRODUCT]... [OPTIONS]',
  '',
  'Measures Postern together with other products. Installs them from npm into a temporary folder. Run it on a machine that does nothing',
  'else.',
  '',
  'Products:',
  ...PRODUCTS.map(({ id, name }) => `  ${id.padEnd(12)} ${name}`),
  '',
  'Options:',
  `  --windows N    number of windows of each measurement, 1 to 100 (${DEFAULTS.windows})`,
  `  --seconds N    seconds of a window, 1 to 60 (${DEFAULTS.seconds})`,
  `  --visits N     visitors for each product, 1 to 100 (${DEFAULTS.visits})`,
  `  --json FILE    file for the results (${JSON_FILE})`,
  '  --record       replaces the results in the documentation and in the README',
  '  --document     only generates the documentation again from the recorded results',
  '  --help         prints this text',
].join('\n');

/** @returns undefined for `--help` @throws BenchError if an argument is invalid */
export function parseOptions(args: readonly string[]): Options | undefined {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  const known = { windows: text, seconds: text, visits: text, json: text, record: flag, document: flag };
  const { values, positionals } = parseArguments('compare', args, known);
  if (values.help) return undefined;
  const [records, documents] = [values.record === true, values.document === true];
  if (positionals.length > 0 && (records || documents))
    throw new BenchError('--record and --document apply to all products');
  return {
    products: selected(positionals),
    duration: {
      windows: wholeNumber('--windows', values.windows, 100) ?? DEFAULTS.windows,
      seconds: wholeNumber('--seconds', values.seconds, 60) ?? DEFAULTS.seconds,
      isQuick: false,
    },
    visits: wholeNumber('--visits', values.visits, 100) ?? DEFAULTS.visits,
    json: values.json ?? JSON_FILE,
    records,
    documents,
  };
}

function selected(ids: readonly string[]): readonly Product[] {
  const unknown = ids.filter((id) => !PRODUCTS.some((product) => product.id === id));
  if (unknown.length > 0) throw new BenchError(`unknown product: ${unknown.join(', ')}`);
  return ids.length === 0 ? PRODUCTS : PRODUCTS.filter(({ id }) => ids.includes(id));
}
