import { type Email, type KeptSpelling, parseEmail } from '../model/email.ts';

/** A stored email address that is not in the canonical form. */
export type Respelling = { readonly id: number; readonly from: string; readonly to: Email };

/** @param rows addresses that contain a character outside ASCII or `xn--`; all others are in the canonical form */
export function toRespellings(
  rows: readonly { readonly id: number; readonly email: string }[],
): readonly Respelling[] {
  return rows.flatMap(({ id, email }) => {
    const parsed = parseEmail(email);
    // An address that is now invalid keeps its spelling and can still be used.
    return parsed.ok && parsed.value !== email ? [{ id, from: email, to: parsed.value }] : [];
  });
}

/**
 * Separates the addresses that can be changed from those whose canonical form is taken. The first user gets the canonical form.
 *
 * @param respellings in the order of the users
 * @param stored the canonical forms that users already have
 */
export function separate(
  respellings: readonly Respelling[],
  stored: readonly string[],
): { readonly changes: readonly Respelling[]; readonly kept: readonly KeptSpelling[] } {
  const taken = new Set(stored);
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
 * The invitations to change. An invitation for the spelling that a user keeps does not change, so that this user can accept it.
 */
export function withoutKept(
  respellings: readonly Respelling[],
  kept: readonly KeptSpelling[],
): readonly Respelling[] {
  const spellings = new Set(kept.map(({ email }) => email));
  return respellings.filter(({ from }) => !spellings.has(from));
}
