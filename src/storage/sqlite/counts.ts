import { COUNTS_SIZE, type Counts } from '../../model/statistics.ts';

/**
 * Counts as they are kept: of each that is not zero, how many positions it is from the one before (the first: from -1),
 * then itself, both as unsigned LEB128 (DWARF 5, section 7.6). Most are zero: an hour of a site that is used is 10 to 30
 * bytes.
 */
export function bytesOfCounts(counts: Counts): Uint8Array {
  const bytes: number[] = [];
  let last = -1;
  for (let position = 0; position < counts.length; position++) {
    const count = counts[position] as number;
    if (count === 0) continue;
    writeVarint(bytes, position - last);
    writeVarint(bytes, count);
    last = position;
  }
  return Uint8Array.from(bytes);
}

/**
 * Adds what the bytes hold to counts.
 *
 * @throws RangeError where these are not the bytes of counts, or of positions that a newer Postern has
 */
export function addCounts(bytes: Uint8Array, counts: Float64Array): void {
  let at = 0;
  let position = -1;
  function read(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('counts end too early');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }
  while (at < bytes.length) {
    position += read();
    if (position >= counts.length) throw new RangeError(`no count has the position ${position}`);
    counts[position] = (counts[position] as number) + read();
  }
}

/** All zero. */
export function noCounts(): Float64Array {
  return new Float64Array(COUNTS_SIZE);
}

/** Divided, not shifted: counts of a day may have more than 32 bits. */
function writeVarint(bytes: number[], value: number): void {
  while (value >= 128) {
    bytes.push((value % 128) | 128);
    value = Math.floor(value / 128);
  }
  bytes.push(value);
}
