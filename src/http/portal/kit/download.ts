import { pacer } from '../../../lib/pacer.ts';
import type { Timer } from '../../../lib/timer.ts';
import type { AccountId } from '../../../model/account.ts';
import { t } from '../i18n/t.ts';
import type { PortalDeps, SignedInVisit } from './handler.ts';
import { errorPage } from './responses.tsx';

/** Exports of one user that run at the same time. */
const EXPORTS_MAX = 2;
/** Milliseconds after which an export ends whose client has read nothing. */
const STALLED_MS = 30_000;
const RETRY_SECONDS = 30;

/** Limits the exports of each user that run at the same time on one node. */
export type Exports = {
  /** @returns a function that ends the export, and can be called repeatedly; undefined if the user has too many */
  readonly begin: (user: AccountId) => (() => void) | undefined;
  readonly timer: Timer;
};

/** @see Exports */
export function createExportLimit(timer: Timer): Exports {
  const running = new Map<AccountId, number>();
  return {
    timer,
    begin(user) {
      const count = running.get(user) ?? 0;
      if (count >= EXPORTS_MAX) return undefined;
      running.set(user, count + 1);
      let isRunning = true;
      return () => {
        if (!isRunning) return;
        isRunning = false;
        const left = (running.get(user) ?? 1) - 1;
        if (left === 0) running.delete(user);
        else running.set(user, left);
      };
    },
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
 * connection, when a part cannot be created, or when the client has read nothing for 30 seconds.
 */
export function download(visit: SignedInVisit, { exports }: PortalDeps, file: Download): Response {
  const end = exports.begin(visit.actor.user);
  if (end === undefined) {
    const response = errorPage(
      visit,
      429,
      t('kit.exportLimit.title'),
      t('kit.exportLimit.text', { count: EXPORTS_MAX }),
    );
    response.headers.set('Retry-After', String(RETRY_SECONDS));
    return response;
  }
  return new Response(toStream(file.parts, exports.timer, end), {
    headers: { 'Content-Type': file.type, 'Content-Disposition': `attachment; filename="${file.name}"` },
  });
}

function toStream(parts: Download['parts'], timer: Timer, end: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stopWaiting = () => {};

  async function close(): Promise<void> {
    stopWaiting();
    end();
    await parts.return?.();
  }

  /** Ends the export unless the client reads the next part. */
  function waitForClient(stream: ReadableStreamDefaultController<Uint8Array>): void {
    stopWaiting = timer(STALLED_MS, () => {
      stream.error(new Error('the client does not read the export'));
      close().catch(() => {});
    });
  }

  return new ReadableStream<Uint8Array>({
    start: waitForClient,
    async pull(stream) {
      stopWaiting();
      try {
        if (pacer.isDue()) await pacer.turn();
        const { value, done } = await parts.next();
        if (done) {
          await close();
          stream.close();
          return;
        }
        stream.enqueue(encoder.encode(value));
        waitForClient(stream);
      } catch (error) {
        await close();
        throw error;
      }
    },
    cancel: close,
  });
}
