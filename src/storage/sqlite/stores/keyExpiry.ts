import { and, asc, eq, gt, inArray, isNull, lte, or, type SQL, sql } from 'drizzle-orm';
import { DAY, type Instant, later } from '../../../lib/time.ts';
import { EXPIRY_WARNING_DAYS } from '../../../model/apiKey.ts';
import type { ApiKeyStore, ExpiringKey } from '../../../model/ports/apiKey.ts';
import { type MainDatabase, transact } from '../open.ts';
import { apiKeyOf } from '../rows.ts';
import { apiKeys } from '../schema.ts';

/** Keys marked for each warning in one transaction. */
const PORTION = 100;

const IS_ACCOUNT_ENABLED = sql.raw('(SELECT a.disabled_at FROM accounts a WHERE a.id = account_id) IS NULL');

/** @see ApiKeyStore */
export function createKeyExpiry(database: MainDatabase): Pick<ApiKeyStore, 'expiring' | 'markExpiring'> {
  const { orm } = database;

  /** Marks some keys that expire within so many days, but not yet within those of the next warning. */
  function mark(days: number, nextDays: number, now: Instant): readonly ExpiringKey[] {
    const isUnmarked = or(isNull(apiKeys.expiryWarnedDays), gt(apiKeys.expiryWarnedDays, days));
    const isDue = isExpiring(later(now, nextDays * DAY), later(now, days * DAY));
    const isWanted = and(isDue, isUnmarked, IS_ACCOUNT_ENABLED);
    const wanted = orm.select({ id: apiKeys.id }).from(apiKeys).where(isWanted).limit(PORTION);
    const marking = orm.update(apiKeys).set({ expiryWarnedDays: days }).where(inArray(apiKeys.id, wanted));
    return marking
      .returning()
      .all()
      .map((row) => ({ key: apiKeyOf(row), days }));
  }

  return {
    async expiring(accountId, from, to) {
      const isTheirs = and(eq(apiKeys.accountId, accountId), isExpiring(from, to));
      const rows = orm.select().from(apiKeys).where(isTheirs);
      return rows.orderBy(asc(apiKeys.expiresAt), asc(apiKeys.id)).all().map(apiKeyOf);
    },
    markExpiring: (now) =>
      transact(database, () =>
        EXPIRY_WARNING_DAYS.flatMap((days, at, all) => mark(days, all[at + 1] ?? 0, now)),
      ),
  };
}

/** Live keys that expire after one moment, and not after another. */
function isExpiring(from: Instant, to: Instant): SQL | undefined {
  return and(isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, from), lte(apiKeys.expiresAt, to));
}
