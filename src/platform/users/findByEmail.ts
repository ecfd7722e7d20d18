import { type Email, toSpellings } from '../../model/email.ts';

/**
 * Finds the user of an entered email address in the spellings under which the user may be stored.
 *
 * @param find finds the user who is stored with exactly this spelling
 */
export async function findByEmail<T>(
  text: string,
  find: (email: Email) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const spelling of toSpellings(text)) {
    const found = await find(spelling);
    if (found !== undefined) return found;
  }
  return undefined;
}
