import { sql } from 'drizzle-orm';
import type { KeptSpelling } from '../model/email.ts';
import { type Respelling, separate, toRespellings, withoutKept } from './emailSpellings.ts';
import type { Builders } from './executor.ts';
import { selectRows } from './queries.ts';

/** Matches addresses that may not be in the canonical form: they have a character outside of ASCII, or a domain in Punycode. */
const IS_INTERNATIONAL = sql`(octet_length(email) > length(email) OR email LIKE '%xn--%')`;

/** Lists the users who keep a spelling. Changes nothing. */
export async function findKeptSpellings(orm: Builders): Promise<readonly KeptSpelling[]> {
  return (await separateAccounts(orm)).kept;
}

/**
 * Changes the addresses of users and invitations to the canonical form. Call it inside a transaction. The migrations of SQLite have a
 * synchronous function of the same name.
 *
 * @returns the users who keep a spelling
 */
export async function normalizeEmails(tx: Builders): Promise<readonly KeptSpelling[]> {
  const { changes, kept } = await separateAccounts(tx);
  for (const { id, to } of changes) {
    await tx.execute(sql`
      UPDATE accounts SET name = CASE name WHEN email THEN ${to} ELSE name END, email = ${to} WHERE id = ${id}`);
  }
  for (const { id, from, to } of withoutKept(await selectRespellings(tx, 'invitations'), kept)) {
    await tx.execute(sql`
      DELETE FROM invitations WHERE email IN (${from}, ${to})
        AND organization_id = (SELECT organization_id FROM invitations WHERE id = ${id})
        AND id < (SELECT max(i.id) FROM invitations i
          WHERE i.organization_id = invitations.organization_id AND i.email IN (${from}, ${to}))`);
    await tx.execute(sql`UPDATE invitations SET email = ${to} WHERE id = ${id}`);
  }
  return kept;
}

async function separateAccounts(orm: Builders) {
  const respellings = await selectRespellings(orm, 'accounts');
  const stored: string[] = [];
  for (const { to } of respellings) {
    const found = await selectRows<{ email: string }>(
      orm,
      sql`SELECT email FROM accounts WHERE email = ${to}`,
    );
    stored.push(...found.map(({ email }) => email));
  }
  return separate(respellings, stored);
}

async function selectRespellings(
  orm: Builders,
  table: 'accounts' | 'invitations',
): Promise<readonly Respelling[]> {
  // The id is a bigint, which PostgreSQL returns as text.
  const rows = await selectRows<{ id: string; email: string }>(
    orm,
    sql`SELECT id, email FROM ${sql.identifier(table)} WHERE ${IS_INTERNATIONAL} ORDER BY id`,
  );
  return toRespellings(rows.map(({ id, email }) => ({ id: Number(id), email })));
}
