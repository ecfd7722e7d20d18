/**
 * `npm run translations` records new and changed translations. It fails if an English text changed and a translation of it did not.
 * `npm run translations -- --confirm KEY…` records that the unchanged translations of these texts are still right; without keys, of all.
 */

import { parseArgs } from 'node:util';
import { portalTexts, widgetTexts } from '../texts.ts';
import { updateRecord } from './record.ts';

/** The records, by their files. */
export const RECORDS = [
  [`${import.meta.dir}/portal.txt`, portalTexts],
  [`${import.meta.dir}/widget.txt`, widgetTexts],
] as const;

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: { confirm: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const isConfirmed = (key: string) =>
    values.confirm && (positionals.length === 0 || positionals.includes(key));
  for (const [file, texts] of RECORDS) {
    const record = await Bun.file(file).text();
    const update = updateRecord(texts(), record, isConfirmed);
    await Bun.write(file, update.record);
    for (const text of update.outdated) {
      console.log(`The English text changed, but its translations did not: ${text}`);
      process.exitCode = 1;
    }
  }
}
