/**
 * Compresses a file that is served often (gzip). libdeflate's highest level makes the widget's script 3% smaller than zlib's (12,321
 * instead of 12,690 bytes, 2026-11), and takes 4 ms for 30 kB.
 */
export function zipped(contents: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(contents, { level: 12, library: 'libdeflate' });
}
