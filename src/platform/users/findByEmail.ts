import { type Email, toSpellings } from '../../model/email.ts';

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
