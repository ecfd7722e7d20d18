import { type Email, parseEmail } from '../../src/model/email.ts';
import { expectOk } from './server.ts';

/** @returns the canonical form of a valid email address */
export function emailOf(text: string): Email {
  return expectOk(parseEmail(text));
}
