import type { PuzzleVersion } from './client.ts';

/** GiB, 0.25 to 8 (W3C Device Memory); most browsers do not disclose it. */
export const { deviceMemory } = navigator as { readonly deviceMemory?: number };

/** GiB. Devices with less memory get BLAKE2b puzzles. */
const MIN_ARGON2ID_MEMORY = 0.5;

/**
 * @returns the newest version of puzzles that the widget can solve: 2, unless the device has little memory, or WebAssembly is not
 *   available or blocked by the page's content security policy
 */
export function maxVersion(): PuzzleVersion {
  try {
    // An empty module.
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
    return deviceMemory && deviceMemory < MIN_ARGON2ID_MEMORY ? 1 : 2;
  } catch {
    return 1;
  }
}
