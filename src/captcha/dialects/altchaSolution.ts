import { bytesFromBase64 } from '../../lib/bytes.ts';
import { isCount, isObject } from '../../lib/json.ts';
import { areEqualTexts } from '../../lib/signatures.ts';
import { sha256 } from '../../sha256.ts';
import { type AltchaDeps, signOffline, toAltcha1, toAltcha2 } from './altcha.ts';
import { parseSignedText, parseSolvedToken, type SignedText, toSolvedToken } from './signedText.ts';

/** A solution in one of ALTCHA's formats. */
export type AltchaSolution = {
  readonly signed: SignedText;
  /** How many times the secret had been replaced when it signed the challenge, according to the solution. */
  readonly rotations: number;
  /** Checks the work. @param key secret of the key that signed the puzzle */
  readonly isSolved: (deps: AltchaDeps, key: Uint8Array) => boolean;
};

/** The largest payload, one of version 2 with the longest host, has about 1,900 characters. */
const MAX_LENGTH = 4096;

/**
 * Parses the value of the form's field: canonical base64 of JSON as `JSON.stringify` writes it. A number therefore has one spelling,
 * and no member occurs twice.
 *
 * @returns undefined if the payload is invalid; the work is not checked
 */
export function parseAltchaPayload(text: string): AltchaSolution | undefined {
  const bytes = text.length > MAX_LENGTH ? undefined : bytesFromBase64(text);
  if (bytes === undefined) return undefined;
  try {
    const json = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(json);
    return JSON.stringify(value) === json ? parseAltchaSolution(value) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Parses the object in a payload. Other members, such as the time that the client reports, prove nothing and are ignored.
 *
 * @param value any JSON value
 */
export function parseAltchaSolution(value: unknown): AltchaSolution | undefined {
  if (!isObject(value)) return undefined;
  if (typeof value.verificationData === 'string') return parseServerPayload(value, value.verificationData);
  return typeof value.salt === 'string' ? parseVersion1(value, value.salt) : parseVersion2(value);
}

type Members = Readonly<Record<string, unknown>>;

/** The last `&` keeps the digits of the number out of the salt. */
const SALT = /^[0-9a-f]{24}\?expires=\d{1,10}(?:&rotation=(\d{1,9}))?&puzzle=([\w.-]{1,512})&$/;

function parseVersion1(given: Members, salt: string): AltchaSolution | undefined {
  const [, rotation, puzzle = ''] = SALT.exec(salt) ?? [];
  const signed = parseSignedText(puzzle);
  if (signed === undefined || given.algorithm !== 'SHA-256') return undefined;
  const { number, challenge, signature } = given;
  if (!isCount(number) || !isText(challenge) || !isText(signature)) return undefined;
  const rotations = Number(rotation ?? 0);
  return {
    signed,
    rotations,
    isSolved(deps, key) {
      const expected = toAltcha1(deps, key, signed, { rotations });
      const isOwn = expected.challenge.salt === salt && expected.challenge.challenge === challenge;
      return isOwn && areEqualTexts(expected.challenge.signature, signature) && expected.number === number;
    },
  };
}

function parseVersion2({ challenge, solution }: Members): AltchaSolution | undefined {
  if (!isObject(challenge) || !isObject(challenge.parameters) || !isObject(solution)) return undefined;
  const { parameters, signature } = challenge;
  const { counter, derivedKey } = solution;
  if (!isText(signature) || !isText(derivedKey) || !isCount(counter)) return undefined;
  const { puzzle, rotation: rotations = 0 } = isObject(parameters.data) ? parameters.data : {};
  const signed = typeof puzzle === 'string' ? parseSignedText(puzzle) : undefined;
  if (signed === undefined || !isCount(rotations)) return undefined;
  return {
    signed,
    rotations,
    isSolved(deps, key) {
      const expected = toAltcha2(deps, key, signed, { rotations });
      const isOwn = JSON.stringify(sorted(parameters)) === JSON.stringify(expected.challenge.parameters);
      if (!isOwn || !areEqualTexts(expected.challenge.signature, signature)) return false;
      return counter === expected.counter && areEqualTexts(expected.derivedKey, derivedKey);
    },
  };
}

function parseServerPayload(given: Members, data: string): AltchaSolution | undefined {
  const { algorithm, signature, verified } = given;
  if (algorithm !== 'SHA-256' || verified !== true || !isText(signature)) return undefined;
  const members = new URLSearchParams(data);
  const token = members.get('token') ?? '';
  const signed = parseSolvedToken(token);
  const rotations = Number(members.get('rotation') ?? 0);
  if (signed === undefined || !isCount(rotations)) return undefined;
  return {
    signed,
    rotations,
    isSolved(deps, key) {
      const digest = sha256(new TextEncoder().encode(data));
      const isOwn = areEqualTexts(signOffline(deps, signed, rotations, digest), signature);
      return isOwn && areEqualTexts(toSolvedToken('altcha', deps.hmac, key, signed), token);
    },
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** @returns the object with its members in alphabetical order, as the signature of version 2 covers them */
function sorted(members: Members): Members {
  const names = Object.keys(members).sort();
  return Object.fromEntries(names.map((name) => [name, members[name]]));
}
