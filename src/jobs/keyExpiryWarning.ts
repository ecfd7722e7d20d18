import type { Log } from '../lib/log.ts';
import { type Clock, toIso } from '../lib/time.ts';
import type { ApiKey } from '../model/apiKey.ts';
import type { ApiKeyStore } from '../model/ports/apiKey.ts';

/**
 * Logs a warning 14 days, 7 days, and 1 day before an API key expires. The store records each warning before it is logged, so that
 * a restart does not repeat it.
 *
 * @returns a function that logs a batch of due warnings and returns their number; 0 if none are left
 */
export function createWarnOfExpiringKeys(deps: {
  readonly apiKeys: Pick<ApiKeyStore, 'markExpiring'>;
  /** Returns the ids of the key and of its owner that clients see. */
  readonly idsOf: (key: ApiKey) => Readonly<Record<string, string>>;
  readonly log: Pick<Log, 'warn'>;
  readonly clock: Clock;
}): () => Promise<number> {
  const { apiKeys, idsOf, log, clock } = deps;
  return async () => {
    const due = await apiKeys.markExpiring(clock());
    for (const { key, days } of due) {
      log.warn('api-key-expiring', {
        ...idsOf(key),
        name: key.name,
        scope: key.scope,
        days,
        expires_at: key.expiresAt && toIso(key.expiresAt),
      });
    }
    return due.length;
  };
}
