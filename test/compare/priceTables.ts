import type { Challenge } from '../../src/model/propertyFields.ts';
import { tableOf } from '../bench/document/document.ts';
import { CARD, DEVICES, type Device, LEVELS, OTHERS, type Published, priceOf } from './prices.ts';
import type { Results } from './results.ts';

/** The part of the document about attackers with rented hardware. */

const NONE = '–';

/** @returns a price or rate with two significant digits */
function rounded(value: number): string {
  return value >= 10
    ? Math.round(Number(value.toPrecision(2))).toLocaleString('en-US')
    : value.toPrecision(2);
}

const dollars = (value: number) => (value < 1e-6 ? '< $0.000001' : `$${plain(value)}`);

/** Without an exponent. */
function plain(value: number): string {
  if (value >= 0.001) return rounded(value);
  return value.toFixed(1 - Math.floor(Math.log10(value)));
}

function rateOf(value: number): string {
  if (value >= 1e9) return `${rounded(value / 1e9)} billion`;
  return value >= 1e6 ? `${rounded(value / 1e6)} million` : rounded(value);
}

/** @returns hashes per second, and where the figure comes from */
function figureOf({ native }: Results, device: Device, kind: Challenge): Published | undefined {
  // docs/explanation/hashwx.md has the figures of HashWX.
  if (kind === 'hashwx') return undefined;
  const figure = device[kind];
  if (figure !== 'measured') return figure;
  const { name, value } = native[kind];
  return { value, source: `measured in this run: ${name}` };
}

function devicesTable(results: Results): string {
  const rows = DEVICES.map((device) => {
    const cells = (['blake2b', 'argon2id'] as const).map((kind) => {
      const figure = figureOf(results, device, kind);
      return figure === undefined ? NONE : `${rateOf(figure.value)} (${figure.source})`;
    });
    const { value, source } = device.dollarsPerHour;
    return [device.name, ...cells, `$${value} (${source})`];
  });
  return tableOf(
    ['device', 'BLAKE2b hashes per second', 'argon2id hashes per second', 'rent per hour'],
    rows,
  );
}

function pricesTable(results: Results): string {
  const rows = DEVICES.map((device) => [
    device.name,
    ...LEVELS.map(({ work: { challenge, attempts } }) => {
      const figure = figureOf(results, device, challenge);
      return figure === undefined
        ? NONE
        : dollars(priceOf(attempts, figure.value, device.dollarsPerHour.value));
    }),
  ]);
  return tableOf(['1,000 solutions', ...LEVELS.map(({ title }) => title)], rows);
}

function othersTable(results: Results): string {
  const card = DEVICES.find(({ name }) => name === CARD);
  if (card === undefined) throw new Error(`${CARD} is missing`);
  const own = LEVELS.flatMap(({ title, work: { challenge, attempts } }) => {
    const rate = figureOf(results, card, challenge);
    const isUsual = /default|lowest/.test(title);
    const work = `${rounded(attempts)} ${challenge === 'blake2b' ? 'BLAKE2b' : 'argon2id'} hashes`;
    return rate && isUsual ? [{ product: `Postern, ${title}`, work, hashes: attempts, rate }] : [];
  });
  const rows = [...own, ...OTHERS].map(({ product, work, hashes, rate }) => [
    product,
    work,
    rate.source,
    dollars(priceOf(hashes, rate.value, card.dollarsPerHour.value)),
  ]);
  return tableOf(['', 'average work for a solution', 'rate', '1,000 solutions'], rows);
}

export function priceSection(results: Results): readonly string[] {
  return [
    "## An attacker's price for 1,000 solutions",
    'An attacker does not use the widget. This section computes what 1,000 solutions cost with native code on rented hardware that is always busy: 1,000 × hashes of a solution ÷ hashes per second of the device ÷ 3,600 × rent per hour. The difficulty is that of the level; for a client that requests many puzzles, [growth](../explanation/difficulty.md) raises it.',
    'The rates of the server core were measured in this run. **Others published the rates of the graphics cards; we did not measure them.** BLAKE2b on graphics cards is BLAKE2b-512, the same function with a longer result. The published rates of argon2id are for other parameters, and are scaled to 16 MiB and one pass by [memory traffic](https://github.com/OWASP/CheatSheetSeries/issues/595). Custom chips would be faster for BLAKE2b.',
    devicesTable(results),
    pricesTable(results),
    `The same calculation for other products at the difficulty of the comparison, on one card (${CARD}):`,
    othersTable(results),
    'Such low prices are typical of proof of work; [What proof of work stops](../explanation/proof-of-work.md) explains the consequences.',
  ];
}
