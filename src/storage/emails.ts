import { type Email, type KeptSpelling, parseEmail } from '../model/email.ts';

/** A statement: its text around the values, and the values. */
export type Statement = { readonly texts: readonly string[]; readonly values: readonly (string | number)[] };

/** Statements that change something return no rows. The id is a bigint, which PostgreSQL returns as text. */
export type EmailRow = { readonly id: number | string; readonly email: string };

/**
 * Work that yields statements and receives their rows, because the migrations of SQLite are synchronous, and everything else is not.
 * The threads that use only the replay ledger do not load drizzle.
 */
export type EmailWork<Result = readonly KeptSpelling[]> = Generator<Statement, Result, readonly EmailRow[]>;

const statement = (texts: readonly string[], ...values: readonly (string | number)[]): Statement => ({
  texts,
  values,
});

/** Changes nothing. @returns the users who keep a spelling */
export function* findKeptSpellings(): EmailWork {
  return (yield* separateAccounts()).kept;
}

/**
 * Converts the email addresses of users and invitations to the canonical form, and also names that equal the address. A user whose
 * canonical form is taken keeps the spelling. If two invitations of an organization become the same, the newer one remains, as if the
 * address had been invited again. An invitation for the spelling that a user keeps does not change, so that this user can accept it.
 * Run it inside a transaction.
 *
 * @param near only addresses with the local part of this one; changing an address then takes 0.3 ms with SQLite and 2 ms with PostgreSQL
 *   for 50,000 users, instead of 8 and 13 ms
 * @returns the users who keep a spelling
 */
export function* normalizeEmails(near?: string): EmailWork {
  const { changes, kept } = yield* separateAccounts(near);
  for (const { id, to } of changes) {
    yield statement`
      UPDATE accounts SET name = CASE name WHEN email THEN ${to} ELSE name END, email = ${to} WHERE id = ${id}`;
  }
  const spellings = new Set(kept.map(({ email }) => email));
  for (const { id, from, to } of yield* findRespellings('invitations', near)) {
    if (spellings.has(from)) continue;
    yield statement`
      DELETE FROM invitations WHERE email IN (${from}, ${to})
        AND organization_id = (SELECT organization_id FROM invitations WHERE id = ${id})
        AND id < (SELECT max(i.id) FROM invitations i
          WHERE i.organization_id = invitations.organization_id AND i.email IN (${from}, ${to}))`;
    yield statement`UPDATE invitations SET email = ${to} WHERE id = ${id}`;
  }
  return kept;
}

/** A stored email address that is not in the canonical form. */
type Respelling = { readonly id: number; readonly from: string; readonly to: Email };

type Separated = { readonly changes: readonly Respelling[]; readonly kept: readonly KeptSpelling[] };

/** Separates the addresses that can be changed from those whose canonical form is taken. The first user gets the canonical form. */
function* separateAccounts(near?: string): EmailWork<Separated> {
  const respellings = yield* findRespellings('accounts', near);
  const taken = new Set<string>();
  for (const { to } of respellings) {
    const found = yield statement`SELECT id, email FROM accounts WHERE email = ${to}`;
    if (found.length > 0) taken.add(to);
  }
  const changes: Respelling[] = [];
  const kept: KeptSpelling[] = [];
  for (const respelling of respellings) {
    const { from, to } = respelling;
    if (taken.has(to)) kept.push({ email: from, canonical: to });
    else changes.push(respelling);
    taken.add(to);
  }
  return { changes, kept };
}

/**
 * Addresses that may not be in the canonical form have a character outside of ASCII, or a domain in Punycode.
 *
 * @param near only addresses with the local part of this one, which the index of the addresses of accounts finds
 */
function* findRespellings(
  table: 'accounts' | 'invitations',
  near?: string,
): EmailWork<readonly Respelling[]> {
  const select = `SELECT id, email FROM ${table} WHERE (octet_length(email) > length(email) OR email LIKE '%xn--%')`;
  const local = near?.slice(0, near.lastIndexOf('@'));
  // In the order of bytes, A follows @.
  const rows = yield local === undefined
    ? statement([`${select} ORDER BY id`])
    : statement([`${select} AND email >= `, ' AND email < ', ' ORDER BY id'], `${local}@`, `${local}A`);
  return rows.flatMap(({ id, email }) => {
    const parsed = parseEmail(email);
    // An address that is now invalid keeps its spelling and can still be used.
    return parsed.ok && parsed.value !== email ? [{ id: Number(id), from: email, to: parsed.value }] : [];
  });
}
