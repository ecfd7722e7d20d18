import { createHash } from 'node:crypto';

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

export type CapChallenge = {
  readonly challenge: { readonly c: number; readonly s: number; readonly d: number };
  readonly token: string;
  readonly expires: number;
};

/** Requests a challenge as the widget does: without a body. */
export async function fetchCap(url: string, sitekey: string, origin = 'https://example.com') {
  const init = { method: 'POST', headers: { Origin: origin } };
  const response = await fetch(`${url}/cap/${sitekey}/challenge`, init);
  if (!response.ok) throw new Error(`no challenge: ${response.status} ${await response.text()}`);
  return (await response.json()) as CapChallenge;
}

/** @returns the numbers that solve the sub-challenges */
export function solveCap({ challenge: { c, s, d }, token }: CapChallenge): number[] {
  return Array.from({ length: c }, (_, at) => {
    const salt = capDigits(`${token}${at + 1}`, s);
    const target = capDigits(`${token}${at + 1}d`, d);
    for (let number = 0; ; number++) if (sha256(`${salt}${number}`).startsWith(target)) return number;
  });
}

function capDigits(seed: string, length: number): string {
  let state = 2166136261n;
  for (const character of seed) state = ((state ^ BigInt(character.charCodeAt(0))) * 16777619n) % 2n ** 32n;
  let digits = '';
  while (digits.length < length) {
    state ^= (state << 13n) % 2n ** 32n;
    state ^= state >> 17n;
    state ^= (state << 5n) % 2n ** 32n;
    digits += state.toString(16).padStart(8, '0');
  }
  return digits.slice(0, length);
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
