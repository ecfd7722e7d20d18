import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBytes, type Target } from './target.ts';

/** The inputs of each target in the repository: one line for each, a JSON string for text and base64 for bytes. */
const FOLDER = join(import.meta.dir, '../corpus');

const fileOf = ({ name }: Target) => join(FOLDER, `${name}.txt`);

/** @returns the input as one line of ASCII */
export function toLine({ kind }: Target, input: string): string {
  if (kind === 'bytes') return Buffer.from(input, 'latin1').toString('base64');
  return JSON.stringify(input).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @returns the input that `toLine` converted */
export function fromLine({ kind }: Target, line: string): string {
  return kind === 'bytes' ? fromBytes(Buffer.from(line, 'base64')) : String(JSON.parse(line));
}

/** Reads the inputs of a target; empty if there is no file. */
export function readCorpus(target: Target): readonly string[] {
  const file = fileOf(target);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  // An empty input of bytes has an empty line, so only the text after the last line break is not an input.
  return lines.slice(0, -1).map((line) => fromLine(target, line));
}

/** Replaces the inputs of a target. */
export function writeCorpus(target: Target, corpus: readonly string[]): void {
  writeFileSync(fileOf(target), corpus.map((input) => `${toLine(target, input)}\n`).join(''));
}
