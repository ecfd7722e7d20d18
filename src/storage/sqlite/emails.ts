import type { Database } from 'bun:sqlite';
import type { KeptSpelling } from '../../model/email.ts';
import { type Respelling, separate, toRespellings, withoutKept } from '../emailSpellings.ts';

/** Matches addresses that may not be in the canonical form. */
const IS_INTERNATIONAL = `(email GLOB '*[^ -~]*' OR email LIKE '%xn--%')`;

/** Lists the users who keep a spelling. Changes nothing. */
export function findKeptSpellings(database: Database): readonly KeptSpelling[] {
  return separateAccounts(database).kept;
}

/**
 * Converts the email addresses of users and invitations to the canonical form, and also names that equal the address. A user
 * whose canonical form is taken keeps the spelling. If two invitations of an organization become the same, the newer one remains, as if
 * the address had been invited again. Call it inside a transaction.
 *
 * @returns the users who keep a spelling
 */
export function normalizeEmails(database: Database): readonly KeptSpelling[] {
  const { changes, kept } = separateAccounts(database);
  const change = database.query(`
    UPDATE accounts SET name = CASE name WHEN email THEN $to ELSE name END, email = $to WHERE id = $id`);
  for (const { id, to } of changes) change.run({ $id: id, $to: to });
  const removeOlder = database.query(`
    DELETE FROM invitations WHERE email IN ($from, $to)
      AND organization_id = (SELECT organization_id FROM invitations WHERE id = $id)
      AND id < (SELECT max(i.id) FROM invitations i
        WHERE i.organization_id = invitations.organization_id AND i.email IN ($from, $to))`);
  const changeInvitation = database.query('UPDATE invitations SET email = $to WHERE id = $id');
  for (const { id, from, to } of withoutKept(selectRespellings(database, 'invitations'), kept)) {
    removeOlder.run({ $id: id, $from: from, $to: to });
    changeInvitation.run({ $id: id, $to: to });
  }
  return kept;
}

function separateAccounts(database: Database) {
  const respellings = selectRespellings(database, 'accounts');
  const find = database.query<{ email: string }, [string]>('SELECT email FROM accounts WHERE email = ?');
  return separate(
    respellings,
    respellings.flatMap(({ to }) => find.all(to).map(({ email }) => email)),
  );
}

function selectRespellings(database: Database, table: 'accounts' | 'invitations'): readonly Respelling[] {
  const rows = database.query<{ id: number; email: string }, []>(
    `SELECT id, email FROM ${table} WHERE ${IS_INTERNATIONAL} ORDER BY id`,
  );
  return toRespellings(rows.all());
}
