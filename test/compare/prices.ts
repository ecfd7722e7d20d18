import { SOLVERS, type Work, workOf } from '../../src/captcha/solveCosts.ts';
import { SETTING_FIELDS } from '../../src/model/propertyFields.ts';

/** What solutions cost an attacker who rents hardware. */

/** A published figure and where it comes from. */
export type Published = { readonly value: number; readonly source: string };

export type Device = {
  readonly name: string;
  /** Hashes per second. `measured` is replaced with the rate of the run. */
  readonly blake2b: Published | 'measured';
  /** With 16 MiB and one pass. Undefined if nothing was published. */
  readonly argon2id: Published | 'measured' | undefined;
  /** US dollars for renting the device for an hour. */
  readonly dollarsPerHour: Published;
};

const HASHCAT =
  'https://github.com/dosoos/hashcat_speeds/blob/76b4d462c7d87f292bba2d7a480f7f9cd4900430/benchmarks';
const RENT = '[RunPod, lowest price in March 2026](https://deploybase.ai/articles/runpod-gpu-pricing)';

/** @returns the rate of BLAKE2b-512 (mode 600) in a version of hashcat */
const hashcat = (card: string, version: string, megahashes: number): Published => ({
  value: megahashes * 1e6,
  source: `[hashcat ${version}](${HASHCAT}/${card}.txt)`,
});

/**
 * Scales a rate to 16 MiB and one pass by memory traffic, which is (3 × passes − 1) × memory.
 *
 * @param rate hashes per second @param mib memory of a hash
 * @see https://github.com/OWASP/CheatSheetSeries/issues/595
 */
function scaled(rate: number, mib: number, passes: number): number {
  return (rate * (3 * passes - 1) * mib) / (2 * 16);
}

export const DEVICES: readonly Device[] = [
  {
    name: 'server core (of the machine above)',
    blake2b: 'measured',
    argon2id: 'measured',
    dollarsPerHour: {
      value: SOLVERS.serverCore.dollarsPerHour,
      source: '[two of eight threads of a server for 14.58 EUR a month](https://docs.rs/pow-buster)',
    },
  },
  {
    name: 'NVIDIA RTX 3090',
    blake2b: hashcat('RTX3090', '6.1.1', 5715.6),
    argon2id: undefined,
    dollarsPerHour: { value: 0.22, source: RENT },
  },
  {
    name: 'NVIDIA RTX 4090',
    blake2b: hashcat('RTX4090', '6.2.6', 13_072.3),
    argon2id: {
      value: scaled(1667, 64, 3),
      source: '[hashcat, July 2025, 64 MiB and 3 passes](https://github.com/hashcat/hashcat/pull/4284)',
    },
    dollarsPerHour: { value: 0.34, source: RENT },
  },
  {
    name: 'NVIDIA RTX 5090',
    blake2b: hashcat('RTX5090', '6.2.6', 17_348.5),
    argon2id: {
      value: scaled(11_434, 16, 3),
      source:
        '[John the Ripper, July 2025, argon2d, 16 MiB and 3 passes](https://github.com/openwall/john/pull/5382)',
    },
    dollarsPerHour: { value: 0.69, source: RENT },
  },
  {
    name: 'NVIDIA H100 PCIe',
    blake2b: hashcat('H100PCIE', '6.2.6', 7239.8),
    argon2id: {
      value: scaled(20_000, 16, 3),
      source: '[an approximate figure for 16 MiB and 3 passes](https://auth.pilcrowonpaper.com/argon2)',
    },
    dollarsPerHour: { value: 1.99, source: RENT },
  },
];

/** The prices are for this number of solutions. */
export const SOLUTIONS = 1000;

const { default: DEFAULT_LEVEL, max: MAX_LEVEL } = SETTING_FIELDS.level;

/** The levels of the table, with the work of an average puzzle. The default level of argon2id properties issues BLAKE2b puzzles. */
export const LEVELS: readonly { readonly title: string; readonly work: Work }[] = [
  { title: `BLAKE2b, level ${DEFAULT_LEVEL} (default)`, work: workOf(DEFAULT_LEVEL, 'blake2b') },
  { title: `BLAKE2b, level ${MAX_LEVEL} (highest)`, work: workOf(MAX_LEVEL, 'blake2b') },
  { title: 'argon2id, level 152 (lowest)', work: workOf(152, 'argon2id') },
  { title: `argon2id, level ${MAX_LEVEL} (highest)`, work: workOf(MAX_LEVEL, 'argon2id') },
];

/** @returns US dollars: solutions × hashes per solution ÷ hashes per second ÷ 3,600 × dollars per hour */
export function priceOf(hashes: number, perSecond: number, dollarsPerHour: number): number {
  return (SOLUTIONS * hashes * dollarsPerHour) / perSecond / 3600;
}

/** The work of other products at their defaults on one card, whose rates for the hash functions are published in one benchmark. */
export const CARD = 'NVIDIA RTX 4090';

export type OtherWork = {
  readonly product: string;
  /** What one solution takes on average. */
  readonly work: string;
  /** Evaluations of the function of the benchmark. */
  readonly hashes: number;
  readonly rate: Published;
};

export const OTHERS: readonly OtherWork[] = [
  {
    product: 'Cap, 50 challenges of difficulty 4',
    work: '50 × 16⁴ SHA-256 hashes',
    hashes: 50 * 16 ** 4,
    rate: { value: 21_975.5e6, source: `[hashcat 6.2.6](${HASHCAT}/RTX4090.txt), SHA2-256 (mode 1400)` },
  },
  {
    product: 'ALTCHA, `cost: 5000`, `counter: randomInt(5000, 10000)`',
    work: '7,501 PBKDF2 keys with 5,000 iterations',
    hashes: 7501 * 5000,
    rate: {
      // 297.0 kH/s with 29,000 iterations for each.
      value: 297e3 * 29_000,
      source: `[hashcat 6.2.6](${HASHCAT}/RTX4090.txt), PBKDF2-HMAC-SHA256 (mode 20300)`,
    },
  },
];
