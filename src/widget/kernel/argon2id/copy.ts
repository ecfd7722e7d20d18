// AssemblyScript. Smaller than the functions of AssemblyScript; Safari 14 has no instructions for this purpose.

/** @param size a multiple of 8 */
export function copy(target: usize, source: usize, size: usize): void {
  for (let at: usize = 0; at != size; at += 8) store<u64>(target + at, load<u64>(source + at));
}

/** Writes zeros. @param size a multiple of 8 */
export function clear(target: usize, size: usize): void {
  for (let at: usize = 0; at != size; at += 8) store<u64>(target + at, 0);
}
