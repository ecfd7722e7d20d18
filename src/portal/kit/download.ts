import { type CsvCell, csvLine } from '../../lib/csv.ts';
import { createFairShares } from '../../lib/fairShares.ts';
import { pacer } from '../../lib/pacer.ts';
import type { Timer } from '../../lib/timer.ts';
import type { AccountId } from '../../model/account.ts';
import { t } from '../i18n/t.tsx';
import type { PortalDeps, SignedInVisit } from './handler.ts';
import { errorPage } from './pages.tsx';

/** Exports of one user that run at the same time. */
const EXPORTS_MAX = 2;
/** Exports of all users that run at the same time. */
const CAPACITY = 16;
/** Milliseconds without a read by the client after which an export ends. */
const STALLED_MS = 30_000;
const RETRY_SECONDS = 30;

/**
 * Limits the exports that run at the same time on one node. While all places are taken, a user without an export gets the place of the
 * newest export of a user who has two, so a user cannot keep others out.
 */
export type Exports = {
  /**
   * @param onRevoked called when another user gets the place
   * @returns a function that ends the export, and can be called repeatedly; undefined if there is no place
   */
  readonly begin: (user: AccountId, onRevoked: () => void) => (() => void) | undefined;
  readonly timer: Timer;
};

/** @see Exports */
export function createExportLimit(timer: Timer): Exports {
  const openPart = createFairShares({ capacity: CAPACITY, share: EXPORTS_MAX });
  return {
    timer,
    begin(user, onRevoked) {
      const { grow, release } = openPart([String(user)], onRevoked);
      return grow(1) ? release : undefined;
    },
  };
}

/** Files with records: CSV (RFC 4180), or a JSON array of objects. */
export const FILE_FORMATS = ['csv', 'json'] as const;

export type FileFormat = (typeof FILE_FORMATS)[number];

/** Formats records. The start, the texts of all batches, and the end together form a file. @param columns in the order of the values */
export function createRecordWriter(format: FileFormat, columns: readonly string[]) {
  let separator = '';
  function toText(values: readonly CsvCell[]): string {
    if (format === 'csv') return csvLine(values);
    const members = columns.map((column, index) => [column, values[index]]);
    const text = `${separator}\n  ${JSON.stringify(Object.fromEntries(members))}`;
    separator = ',';
    return text;
  }
  return {
    start: format === 'csv' ? csvLine(columns) : '[',
    batch: (records: readonly (readonly CsvCell[])[]) => records.map(toText).join(''),
    end: format === 'csv' ? '' : '\n]\n',
  };
}

/** A file whose parts are created as fast as the client reads them. */
export type Download = {
  readonly name: string;
  readonly type: string;
  /** Each part takes less than a few milliseconds to create. */
  readonly parts: AsyncIterator<string, unknown, undefined>;
};

/**
 * Responds with a file in parts, between which other requests are handled. The export ends with the last part, when the client closes the
 * connection, when a part cannot be created, when the client has read nothing for 30 seconds, or when another user needs its place.
 */
export function download(visit: SignedInVisit, { exports }: PortalDeps, file: Download): Response {
  let revoke = () => {};
  const end = exports.begin(visit.actor.user, () => revoke());
  if (end === undefined) {
    const response = errorPage(
      visit,
      429,
      t('kit.exportLimit.title'),
      t('kit.exportLimit.text', { count: EXPORTS_MAX, total: CAPACITY }),
    );
    response.headers.set('Retry-After', String(RETRY_SECONDS));
    return response;
  }
  const { stream, abort } = toStream(file.parts, exports.timer, end);
  revoke = () => abort('another user needs the place of the export');
  return new Response(stream, {
    headers: { 'Content-Type': file.type, 'Content-Disposition': `attachment; filename="${file.name}"` },
  });
}

function toStream(parts: Download['parts'], timer: Timer, end: () => void) {
  const encoder = new TextEncoder();
  let stopWaiting = () => {};
  let abort = (_reason: string) => {};

  async function close(): Promise<void> {
    stopWaiting();
    end();
    await parts.return?.();
  }

  /** Ends the export unless the client reads the next part. */
  function waitForClient(): void {
    stopWaiting = timer(STALLED_MS, () => abort('the client does not read the export'));
  }

  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      abort = (reason) => {
        controller.error(new Error(reason));
        close().catch(() => {});
      };
      waitForClient();
    },
    async pull(controller) {
      stopWaiting();
      try {
        if (pacer.isDue()) await pacer.turn();
        const { value, done } = await parts.next();
        if (done) {
          await close();
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(value));
        waitForClient();
      } catch (error) {
        await close();
        throw error;
      }
    },
    cancel: close,
  });
  return { stream, abort: (reason: string) => abort(reason) };
}
