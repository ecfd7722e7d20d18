import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf } from '../src/http/etag.ts';
import { ROOT } from './build.ts';

const FOLDER = join(ROOT, 'node_modules/.cache/postern');

/**
 * Returns a cached text that every process that runs from the sources needs. It is created again when one of its sources changes.
 *
 * @param sources paths from the root, including those of the programs that create the text
 */
export function cached(name: string, sources: readonly string[], create: () => string): string {
  const hashes = [...sources, 'bun.lock'].map((path) => `${path} ${hashOf(readFileSync(join(ROOT, path)))}`);
  const file = join(FOLDER, `${hashOf(hashes.join('\n'))}.${name}`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const text = create();
  mkdirSync(FOLDER, { recursive: true });
  // Other processes may create it at the same time.
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
  return text;
}
