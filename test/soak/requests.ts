import { connect } from 'node:net';

/** Requests without a response after this time count as unanswered, in milliseconds. Longer than every time limit of the server. */
const PATIENCE_MS = 90_000;

/** The end of a request; undefined if there was no response. */
export type Ended = { readonly status: number; readonly body: string };

export type Tally = {
  /** Responses by kind of request and status. */
  readonly byKind: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Requests without a response, although the client waited. */
  readonly unanswered: readonly string[];
  /** Responses with an unexpected status, at most the first 50. */
  readonly unexpected: readonly string[];
};

/** The only statuses of the server above 499 are those that tell a client to try again. */
const EXPECTED_ABOVE_499 = [503];

export type Requests = {
  readonly tally: Tally;
  readonly send: (kind: string, path: string, init?: RequestInit) => Promise<Ended | undefined>;
  /** Sends a part of a request and closes the connection after a while. The response, if any, is not read. */
  readonly abandon: (kind: string, text: string, openMs: number) => Promise<void>;
};

/** Sends requests and counts how they end. @param url of the server */
export function createRequests(url: string): Requests {
  const byKind = new Map<string, Map<string, number>>();
  const unanswered: string[] = [];
  const unexpected: string[] = [];

  function count(kind: string, end: string): void {
    const ends = byKind.get(kind) ?? new Map<string, number>();
    byKind.set(kind, ends.set(end, (ends.get(end) ?? 0) + 1));
  }

  return {
    tally: { byKind, unanswered, unexpected },
    async send(kind, path, init = {}) {
      try {
        const signal = AbortSignal.timeout(PATIENCE_MS);
        const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init, signal });
        const body = await response.text();
        count(kind, String(response.status));
        if (response.status > 499 && !EXPECTED_ABOVE_499.includes(response.status) && unexpected.length < 50)
          unexpected.push(`${kind}: ${response.status} ${body.slice(0, 200)}`);
        return { status: response.status, body };
      } catch (error) {
        count(kind, 'unanswered');
        unanswered.push(`${new Date().toISOString()} ${kind}: ${error}`);
        return undefined;
      }
    },
    abandon(kind, text, openMs) {
      const { hostname, port } = new URL(url);
      const { promise, resolve } = Promise.withResolvers<void>();
      const socket = connect(Number(port), hostname, () => socket.write(text));
      socket.on('error', () => {});
      socket.on('close', () => resolve());
      setTimeout(() => socket.destroy(), openMs);
      count(kind, 'abandoned');
      return promise;
    },
  };
}
