import { createHash } from 'node:crypto';

/** Finds repeated texts. Needs 32 to 64 bytes of memory for each text; a `Map` of strings needs 200. */
export type Repeats = {
  /** @param place a whole number of at least 0 @returns the place of the same text, if there was one before */
  readonly add: (text: string, place: number) => number | undefined;
};

/** Enough to make equal keys of different texts impossible in practice: 16 bytes of a SHA-256 hash. */
const KEY_WORDS = 4;
const FIRST_CAPACITY = 1024;

/** @see Repeats */
export function createRepeats(): Repeats {
  let capacity = FIRST_CAPACITY;
  let keys = new Uint32Array(capacity * KEY_WORDS);
  let places = new Float64Array(capacity);
  let count = 0;
  /** The index of each key plus 1, at the first free slot after the one that the key's first word selects; 0 in free slots. */
  let slots = new Uint32Array(2 * capacity);

  function has(index: number, key: Uint32Array): boolean {
    return key.every((word, i) => keys[index * KEY_WORDS + i] === word);
  }

  /** @returns the slot of the key, or the free slot for it */
  function slotOf(key: Uint32Array): number {
    let slot = (key[0] ?? 0) % slots.length;
    for (;;) {
      const entry = slots[slot] ?? 0;
      if (entry === 0 || has(entry - 1, key)) return slot;
      slot = (slot + 1) % slots.length;
    }
  }

  function grow(): void {
    capacity *= 2;
    const [longerKeys, longerPlaces] = [new Uint32Array(capacity * KEY_WORDS), new Float64Array(capacity)];
    longerKeys.set(keys);
    longerPlaces.set(places);
    [keys, places, slots] = [longerKeys, longerPlaces, new Uint32Array(2 * capacity)];
    for (let index = 0; index < count; index++)
      slots[slotOf(keys.subarray(index * KEY_WORDS, (index + 1) * KEY_WORDS))] = index + 1;
  }

  return {
    add(text, place) {
      const hash = createHash('sha256').update(text).digest();
      const key = new Uint32Array(hash.buffer, hash.byteOffset, KEY_WORDS);
      const slot = slotOf(key);
      const entry = slots[slot] ?? 0;
      if (entry > 0) return places[entry - 1];
      keys.set(key, count * KEY_WORDS);
      places[count] = place;
      slots[slot] = ++count;
      if (count === capacity) grow();
      return undefined;
    },
  };
}
