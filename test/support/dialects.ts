import { createHash } from 'node:crypto';
import type { CapChallenge } from './capSolver.ts';

/** Clients of ALTCHA and Cap without a browser, written from their formats and not from the code of the server. */

type Json = Readonly<Record<string, unknown>>;

/** Sends a JSON body. @returns the status and the members of the response */
export async function postJson(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: 'https://example.com', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as Json) } as Json;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Requests a challenge as the widget does: without a body. */
export async function fetchCap(url: string, sitekey: string, origin = 'https://example.com') {
  const init = { method: 'POST', headers: { Origin: origin } };
  const response = await fetch(`${url}/cap/${sitekey}/challenge`, init);
  if (!response.ok) throw new Error(`no challenge: ${response.status} ${await response.text()}`);
  return (await response.json()) as CapChallenge & { readonly expires: number };
}

export type Altcha1 = Readonly<Record<'algorithm' | 'challenge' | 'salt' | 'signature', string>> & {
  readonly maxnumber: number;
};

export type Altcha2 = { readonly parameters: Json; readonly signature: string };

/** @param query in addition to the sitekey, such as `&version=2` */
export async function fetchAltcha<Challenge = Altcha1>(
  url: string,
  sitekey: string,
  query = '',
  origin = 'https://example.com',
): Promise<Challenge> {
  const response = await fetch(`${url}/altcha/v1/challenge?apiKey=${sitekey}${query}`, {
    headers: { Origin: origin },
  });
  if (!response.ok) throw new Error(`no challenge: ${response.status} ${await response.text()}`);
  return (await response.json()) as Challenge;
}

/** @returns the object in the payload */
export function solveAltcha1({ maxnumber, ...challenge }: Altcha1) {
  let number = 0;
  while (sha256(`${challenge.salt}${number}`) !== challenge.challenge) number++;
  if (number > maxnumber) throw new Error('the number is above maxnumber');
  const { algorithm, salt, signature } = challenge;
  return { algorithm, challenge: challenge.challenge, number, salt, signature, took: 12 };
}

/** @returns the object in the payload */
export function solveAltcha2(challenge: Altcha2) {
  const { salt, nonce, keyPrefix } = challenge.parameters as Readonly<Record<string, string>>;
  const head = Buffer.from(`${salt}${nonce}`, 'hex');
  for (let counter = 0; ; counter++) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(counter);
    const derivedKey = createHash('sha256').update(head).update(bytes).digest('hex');
    if (derivedKey.startsWith(keyPrefix ?? ''))
      return { challenge, solution: { counter, derivedKey, time: 3.5 } };
  }
}

/** @returns the value of the form's field */
export function encodeAltcha(payload: object | string): string {
  return Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString('base64');
}
