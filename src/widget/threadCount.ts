/** `deviceMemory`: GiB, 0.25 to 8 (W3C Device Memory); most browsers do not disclose it. */
export const { deviceMemory, hardwareConcurrency } = navigator as Navigator & {
  readonly deviceMemory?: number;
};

/**
 * @param memory GiB
 * @returns one thread per core, at least 2 (some browsers hide the number) and at most 8; at most 2 per GiB of memory
 */
export function threadCountFor(cores: number | undefined, memory: number | undefined): number {
  return Math.min(Math.max(cores ?? 2, 2), Math.max(1, 2 * (memory ?? 4)), 8);
}
