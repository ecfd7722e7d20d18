import { promises } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { within } from '../lib/deadline.ts';
import { type Log, reasonOf } from '../lib/log.ts';

/** A file outside of the data folder with the counter of the data, which shows that the whole folder was replaced with an older copy. */
export type DataMark = {
  /** @returns the counter; 0 if there is no mark of this installation, or it cannot be read within two seconds */
  readonly read: () => Promise<number>;
  /** Begins to write the counter, unless an earlier call has not finished. */
  readonly write: (counter: number) => void;
};

/** The latest time that JavaScript can represent (ECMA-262, section 21.4.1.1), in Unix milliseconds. */
const LATEST_TIME = 8.64e15;

/** If the file system does not respond for this time, the server starts without the mark. In milliseconds. */
const READ_MS = 2000;

/** @returns undefined if no folder is configured */
export function createDataMark(
  { markDir, cacheDir }: Pick<Config, 'markDir' | 'cacheDir'>,
  installation: string,
  log: Log,
): DataMark | undefined {
  const folder = markDir ?? cacheDir;
  if (folder === undefined) return undefined;
  const file = join(folder, `postern-${installation}.json`);
  let isWriting = false;
  let isReported = false;

  /** Does not report a failure in the default folder, because not every service needs the mark. */
  function report(error: unknown): void {
    if (markDir !== undefined && !isReported) log.warn('data-mark-failed', { file, reason: reasonOf(error) });
    isReported = true;
  }

  return {
    async read() {
      try {
        const text = promises.readFile(file, 'utf8');
        const late = () => new Error('the file system does not respond');
        return parseMark(await within(READ_MS, text, late), installation);
      } catch (error) {
        if ((error as { readonly code?: unknown }).code !== 'ENOENT') report(error);
        return 0;
      }
    },
    write(counter) {
      if (isWriting) return;
      isWriting = true;
      replaceFile(file, `${JSON.stringify({ installation, counter })}\n`)
        .catch(report)
        .finally(() => {
          isWriting = false;
        });
    },
  };
}

/** @throws if the text is not a mark of the installation */
function parseMark(text: string, expected: string): number {
  const { installation, counter } = JSON.parse(text) as { installation?: unknown; counter?: unknown };
  const isCounter = typeof counter === 'number' && Number.isInteger(counter) && counter >= 0;
  if (installation !== expected || !isCounter || counter > LATEST_TIME)
    throw new Error('the file has unexpected content');
  return counter;
}

/** Replaces a file, so that it is complete at all times. */
async function replaceFile(file: string, text: string): Promise<void> {
  const partial = `${file}.${crypto.randomUUID()}`;
  try {
    const handle = await promises.open(partial, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await promises.rename(partial, file);
  } catch (error) {
    await promises.rm(partial, { force: true }).catch(() => {});
    throw error;
  }
}
