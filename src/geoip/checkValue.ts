/** The bytes of a file that a value and everything it points to may use. */
export type Section = {
  readonly bytes: Buffer;
  /** Pointers count from here. */
  readonly start: number;
  readonly end: number;
};

/** The largest records of known vendors have about 250 values and 3 KB of text: names of places in eight languages. */
const MAX_VALUES = 1024;
const MAX_TEXT_BYTES = 16 * 1024;
/** Records of known vendors have up to 5 levels. */
const MAX_DEPTH = 32;
/** Memory for a value without its text. */
const VALUE_BYTES = 16;

/** Types of values (https://maxmind.github.io/MaxMind-DB/#data-field-format). */
const EXTENDED = 0;
const POINTER = 1;
const MAP = 7;
const ARRAY = 11;
const BOOLEAN = 14;
/** The permitted sizes in bytes of the other types, from and to. */
const SIZES: Readonly<Record<number, readonly [from: number, to: number]>> = {
  2: [0, MAX_TEXT_BYTES],
  3: [8, 8],
  4: [0, MAX_TEXT_BYTES],
  5: [0, 2],
  6: [0, 4],
  8: [0, 4],
  9: [0, 8],
  10: [0, 16],
  15: [4, 4],
};
/** Added to pointers with 1 to 4 bytes. */
const POINTER_OFFSETS = [0, 2048, 526_336, 0] as const;
/** The smallest sizes that follow in 1 to 3 bytes. */
const LONG_SIZES = [29, 285, 65_821] as const;

type Walk = { readonly section: Section; values: number; bytes: number };

/**
 * Checks that a value of a MaxMind DB file, with everything that it contains or points to, can be decoded with little memory and time. The
 * decoder of mmdb-lib allocates whatever a file declares, and follows pointers without a limit: 231 bytes can declare 16 million elements,
 * and a few maps that point to each other more values than fit into memory.
 *
 * @returns the approximate size of the decoded value in bytes
 * @throws if the value is invalid or larger than records are
 */
export function checkValue(section: Section, offset: number): number {
  const walk = { section, values: 0, bytes: 0 };
  check(walk, offset, 0);
  return VALUE_BYTES * walk.values + walk.bytes;
}

/** @returns the offset after the value */
function check(walk: Walk, offset: number, depth: number): number {
  walk.values += 1;
  if (walk.values > MAX_VALUES) throw damaged(`a record has more than ${MAX_VALUES} values`);
  if (depth > MAX_DEPTH) throw damaged(`a record has more than ${MAX_DEPTH} levels`);
  const control = read(walk, offset, 1);
  const type = control >> 5;
  if (type === POINTER) return checkPointer(walk, control, offset + 1, depth);
  if (type !== EXTENDED) return checkSized(walk, { type, control, offset: offset + 1, depth });
  return checkSized(walk, { type: read(walk, offset + 1, 1) + 7, control, offset: offset + 2, depth });
}

function checkPointer(walk: Walk, control: number, offset: number, depth: number): number {
  const length = ((control >> 3) & 3) + 1;
  const high = length === 4 ? 0 : (control & 7) * 256 ** length;
  const target = walk.section.start + (POINTER_OFFSETS[length - 1] ?? 0) + high + read(walk, offset, length);
  if (read(walk, target, 1) >> 5 === POINTER) throw damaged('a pointer points to another pointer');
  check(walk, target, depth + 1);
  return offset + length;
}

type Head = {
  readonly type: number;
  /** The first byte, whose last 5 bits are the size or announce it. */
  readonly control: number;
  /** The offset after the type. */
  readonly offset: number;
  readonly depth: number;
};

function checkSized(walk: Walk, { type, control, offset, depth }: Head): number {
  const short = control & 31;
  const extra = Math.max(0, short - 28);
  const size = extra === 0 ? short : (LONG_SIZES[extra - 1] ?? 0) + read(walk, offset, extra);
  const start = offset + extra;
  if (type === BOOLEAN && size <= 1) return start;
  if (type === MAP || type === ARRAY) return checkMembers(walk, type === MAP ? 2 * size : size, start, depth);
  const [from, to] = SIZES[type] ?? [];
  if (from === undefined || to === undefined) throw damaged(`a value has the unknown type ${type}`);
  if (size < from || size > to) throw damaged(`a value of type ${type} has ${size} bytes`);
  walk.bytes += size;
  if (walk.bytes > MAX_TEXT_BYTES) throw damaged(`a record has more than ${MAX_TEXT_BYTES} bytes`);
  if (start + size > walk.section.end) throw damaged('a value ends after the file');
  return start + size;
}

function checkMembers(walk: Walk, count: number, start: number, depth: number): number {
  if (walk.values + count > MAX_VALUES) throw damaged(`a record has more than ${MAX_VALUES} values`);
  let offset = start;
  for (let index = 0; index < count; index++) offset = check(walk, offset, depth + 1);
  return offset;
}

/** Reads an unsigned number of 1 to 4 bytes. */
function read({ section: { bytes, start, end } }: Walk, offset: number, length: number): number {
  if (offset < start || offset + length > end) throw damaged('a pointer or a size exceeds the file');
  return bytes.readUIntBE(offset, length);
}

/** The error for a file that cannot be used. */
export function damaged(reason: string): Error {
  return new Error(`the file is damaged: ${reason}`);
}
