/** A random source: an integer, 0 to `below` - 1. */
export type Random = (below: number) => number;

/** Characters that often need special handling: invisible, combining, confusable, longer in another case or in NFC, surrogates. */
// biome-ignore format: one line is enough
const UNICODE = ['\0', '\t', '\r\n', '\x7f', '\x85', '\xa0', '\xad', '\xdf', '\xff', '\u0130', '\u017f', '\u0301', '\u0345', '\u0661', '\u05d0', '\u0958', '\u200b',
  '\u200d', '\u202e', '\u2028', '\u212a', '\u3000', '\u3002', '\uac00', '\ud800', '\udc00', '\ud83d\ude00', '\ufb01', '\ufeff', '\uff0e', '\uff11', '\uff1d', '\ufffd'];

/** Numbers at which the behavior of code changes. */
// biome-ignore format: one line is enough
const NUMBERS = ['0', '1', '-1', '00', '-0', '7', '8', '15', '16', '31', '32', '63', '64', '99', '100', '127', '128', '253', '254', '255', '256', '999', '1000', '1024', '3600',
  '4095', '65535', '65536', '172800', '1000000', '2147483647', '2147483648', '4294967294', '4294967295', '4294967296', '9007199254740991', '9007199254740992',
  '18446744073709551616', '1e3', '1e309', '-1e-7', '0.5', '1.0000001', '0x10', '1_0', '+1', ' 1'];

/** Bytes at which the behavior of binary formats changes. */
const BYTES = [
  0, 1, 2, 0x1f, 0x20, 0x2d, 0x2e, 0x2f, 0x3a, 0x40, 0x5c, 0x7f, 0x80, 0xc0, 0xe0, 0xef, 0xfe, 0xff,
] as const;

export type MutatorOptions = {
  readonly random: Random;
  /** The greatest code unit of an input: 0xff for bytes and headers, 0xffff for texts. */
  readonly max: number;
  /** Texts with a meaning in the format. */
  readonly tokens: readonly string[];
  /** Maximum length of an input. */
  readonly maxLength: number;
};

/** Changes an input in one to eight places. @param other another input, parts of which may be used */
export type Mutate = (input: string, other: string) => string;

/** Creates the mutator of a target. The same random numbers result in the same changes. */
export function createMutator({ random, max, tokens, maxLength }: MutatorOptions): Mutate {
  const fits = (text: string) =>
    [...text].every((character) => character.charCodeAt(0) <= max && character.length === 1);
  const unicode = max > 0xff ? UNICODE : UNICODE.filter(fits);
  const words = tokens.length === 0 ? ['a'] : tokens;
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T;

  /** Lengths of spans: short ones are more frequent. */
  const spanOf = (length: number) => 1 + random(Math.min(length, pick([1, 2, 4, 8, 32, 256])));
  const replaced = (text: string, at: number, length: number, added: string) =>
    text.slice(0, at) + added + text.slice(at + length);

  function atUnit(text: string, change: (unit: number) => number): string {
    if (text === '') return String.fromCharCode(random(max + 1));
    const at = random(text.length);
    return replaced(text, at, 1, String.fromCharCode(change(text.charCodeAt(at)) & max));
  }

  function insert(text: string, added: string): string {
    return replaced(text, random(text.length + 1), 0, added);
  }

  function spanIn(text: string): string {
    const at = random(text.length + 1);
    return text.slice(at, at + spanOf(text.length - at + 1));
  }

  /** Replaces a run of digits. */
  function changeNumber(text: string): string {
    const numbers = [...text.matchAll(/\d+/g)];
    if (numbers.length === 0) return insert(text, pick(NUMBERS));
    const { 0: digits, index } = pick(numbers);
    const near = String(Number(digits) + pick([-1, 1]));
    return replaced(text, index, digits.length, random(3) === 0 ? near : pick(NUMBERS));
  }

  /** Writes a number of two or four bytes. */
  function writeNumber(text: string): string {
    const size = pick([2, 4]);
    const at = random(text.length + 1);
    const value = pick([
      0,
      1,
      text.length,
      text.length - at,
      0x7fff,
      0x8000,
      0xffff,
      0xffff_ffff,
      0x7fff_ffff,
      random(2 ** 32),
    ]);
    const bytes = Array.from({ length: size }, (_, index) => Math.floor(value / 256 ** index) % 256);
    return replaced(text, at, size, String.fromCharCode(...(random(2) === 0 ? bytes : bytes.reverse())));
  }

  /** Replaces, repeats, or removes a word: a part between two characters that are neither letters nor digits. */
  function changeWord(text: string, other: string): string {
    const parts = text.split(/(?<=[^A-Za-z0-9])|(?=[^A-Za-z0-9])/);
    const at = random(parts.length);
    const others = other.split(/(?<=[^A-Za-z0-9])|(?=[^A-Za-z0-9])/);
    const word = pick([pick(parts), pick(others), pick(words), '', `${parts[at]}${parts[at]}`]);
    return [...parts.slice(0, at), word, ...parts.slice(at + 1)].join('');
  }

  const changes: readonly ((text: string, other: string) => string)[] = [
    (text) => atUnit(text, (unit) => unit ^ (1 << random(max > 0xff ? 16 : 8))),
    (text) => atUnit(text, () => random(Math.min(max, 0x7f) + 1)),
    (text) => atUnit(text, () => pick(BYTES)),
    (text) => atUnit(text, (unit) => unit + pick([-1, 1])),
    (text) => insert(text, pick(words)),
    (text) => insert(text, pick(words)),
    (text) => insert(text, pick(unicode)),
    (text) => {
      const at = random(text.length + 1);
      return replaced(text, at, spanOf(text.length - at + 1), pick(words));
    },
    (text) => replaced(text, random(text.length + 1), spanOf(text.length + 1), ''),
    (text) => insert(text, spanIn(text).repeat(pick([1, 1, 1, 2, 3, 16, 64]))),
    (text, other) => insert(text, spanIn(other)),
    (text, other) => text.slice(0, random(text.length + 1)) + other.slice(random(other.length + 1)),
    changeNumber,
    changeWord,
    changeWord,
    (text) => (max > 0xff ? changeNumber(text) : writeNumber(text)),
    (text) => text.slice(0, random(text.length + 1)),
  ];

  return (input, other) => {
    let text = input;
    const count = 1 + (random(2) === 0 ? 0 : random(8));
    for (let change = 0; change < count; change++) text = pick(changes)(text, other);
    return text.length > maxLength ? text.slice(0, maxLength) : text;
  };
}
