import { done, type Outcome } from '../../lib/outcome.ts';
import { type Email, type EmailProblem, parseEmail, toSpellings } from '../../model/email.ts';
import { type NameProblem, parseName } from '../../model/name.ts';
import type { NewPasswordProblem } from '../../model/newPassword.ts';
import type { NewAccount } from '../../model/ports/account.ts';
import type { CheckNewPassword } from '../authentication/ownPassword.ts';
import type { Passwords } from '../authentication/passwords.ts';

export type NewUserProblem = EmailProblem | 'passwords-busy' | NameProblem<'account'> | NewPasswordProblem;

export type UserDraft = {
  readonly email: string;
  /** If undefined, the email address. */
  readonly name: string | undefined;
  readonly isAdmin: boolean;
  /** If undefined, the user cannot sign in until a password is set. */
  readonly password: string | undefined;
  /** Name of the organization that the user joins, if any; the password must not be based on it. */
  readonly organizationName?: string;
};

/** Parses the draft of a new user and hashes the password, without storing anything. */
export type PrepareUser = (draft: UserDraft) => Promise<Outcome<NewAccount, NewUserProblem>>;

/** @see PrepareUser */
export function createPrepareUser(deps: {
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly checkNewPassword: CheckNewPassword;
}): PrepareUser {
  return async ({ email, name, isAdmin, password, organizationName }) => {
    const parsed = parseEmail(email);
    if (!parsed.ok) return parsed;
    const named = name === undefined ? done(parsed.value) : parseName('account', name);
    if (!named.ok) return named;
    const owner = { email: parsed.value, organizationName };
    const accepted = password === undefined ? undefined : await deps.checkNewPassword(password, owner);
    if (accepted?.ok === false) return accepted;
    const hashed = accepted && (await deps.passwords.hash(accepted.value, `new ${parsed.value}`));
    if (hashed?.ok === false) return hashed;
    return done({ email: parsed.value, name: named.value, isAdmin, passwordHash: hashed?.value });
  };
}

/**
 * Finds the users of an entered email address in the spellings under which they may be stored: at most two, the preferred one first.
 *
 * @param find finds the user who is stored with exactly this spelling
 */
export async function findAllByEmail<T>(
  text: string,
  find: (email: Email) => Promise<T | undefined>,
): Promise<readonly T[]> {
  const found = await Promise.all(toSpellings(text).map(find));
  return found.filter((one) => one !== undefined);
}

/** Finds the preferred user of an entered email address. @see findAllByEmail */
export async function findByEmail<T>(
  text: string,
  find: (email: Email) => Promise<T | undefined>,
): Promise<T | undefined> {
  return (await findAllByEmail(text, find))[0];
}
