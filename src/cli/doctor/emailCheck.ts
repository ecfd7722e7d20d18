import type { KeptSpelling } from '../../model/email.ts';
import { type Check, passed, warning } from './check.ts';

/** Maximum number of users that the check names. */
const NAMED_MAX = 10;

const FIX =
  'Give one of the two users another address with `postern users set-email --email OLD_ADDRESS --new-email NEW_ADDRESS`.';

/** Reports users whose email addresses are spellings of the same address. @param kept undefined if there are no databases yet */
export function checkEmails(kept: readonly KeptSpelling[] = []): Check {
  if (kept.length === 0) return passed('emails', 'no address belongs to two users');
  const named = kept.slice(0, NAMED_MAX).map(({ email, canonical }) => `${email} and ${canonical}`);
  const others = kept.length > NAMED_MAX ? `, and ${kept.length - NAMED_MAX} more` : '';
  return warning('emails', `two users have the same address: ${named.join('; ')}${others}`, FIX);
}
