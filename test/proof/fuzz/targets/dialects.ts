import {
  type AltchaDeps,
  toAltcha1,
  toAltcha2,
  toServerPayload,
} from '../../../../src/captcha/dialects/altcha.ts';
import { parseAltchaPayload, parseAltchaSolution } from '../../../../src/captcha/dialects/altchaSolution.ts';
import {
  capShapeOf,
  parseCapSolution,
  parseCapToken,
  solvesCap,
} from '../../../../src/captcha/dialects/cap.ts';
import {
  parseSignedText,
  parseSolvedToken,
  toSignedText,
  toSolvedToken,
} from '../../../../src/captcha/dialects/signedText.ts';
import { toBase64 } from '../../../../src/lib/bytes.ts';
import { toPuzzleBytes } from '../../../../src/puzzle/puzzle.ts';
import { createHmac } from '../../../../src/sha256.ts';
import { must, mustEqual, type Target } from '../engine/target.ts';

/** The formats of ALTCHA and Cap. Inputs that are accepted are those of this puzzle, whatever their spelling. */

const hmac = createHmac();
const key = new Uint8Array(32).fill(7);
const deps: AltchaDeps = {
  hmac,
  offlineSecretOf: (sitekey, rotations) => `secret ${rotations} of ${sitekey}`,
};
const puzzle = toPuzzleBytes({
  version: 1,
  challenge: 'blake2b',
  propertyId: Uint8Array.fromHex('0123456789abcdef0123456789abcdef'),
  puzzleId: new Uint8Array(8).fill(1),
  difficulty: 8,
  solutionCount: 16,
  expiresAtSeconds: 1_800_000_000,
  userData: new Uint8Array(16).fill(2),
});
const signed = toSignedText(`${toBase64(puzzle)}.${toBase64(new Uint8Array(54).fill(4))}`);
const token = toSolvedToken('cap', hmac, key, signed);

/** The solutions in all formats. @param rotations how many times the secret was replaced */
function payloadsOf(rotations: number): readonly string[] {
  const first = toAltcha1(deps, key, signed, { rotations });
  const { challenge, counter, derivedKey } = toAltcha2(deps, key, signed, { rotations });
  const origin = { host: 'example.com', issuedAtSeconds: 1, expires: 2, rotations };
  const { maxnumber: _, ...sent } = first.challenge;
  return [
    { ...sent, number: first.number, took: 1 },
    { challenge, solution: { counter, derivedKey } },
    toServerPayload(deps, key, signed, origin),
  ].map((payload) => JSON.stringify(payload));
}

const ALTCHA = [0, 2].flatMap(payloadsOf);

/** Inputs are the JSON text, so that mutations reach its members. */
const altcha: Target = {
  name: 'altcha',
  kind: 'text',
  seeds: [...ALTCHA, ALTCHA[0]?.replace(/"number":(\d+)/, '"number":$1.0') ?? ''],
  tokens: [
    '"',
    ',',
    ':',
    '{',
    '}',
    '[]',
    'null',
    '1e3',
    '01',
    '1.5',
    '&',
    '?',
    'SHA-1',
    '""',
    '9007199254740993',
  ],
  check(input) {
    const bytes = new TextEncoder().encode(input);
    const parsed = parseAltchaPayload(toBase64(bytes));
    if (parsed === undefined) return undefined;
    // Half of a surrogate pair has no encoding.
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    mustEqual(new TextEncoder().encode(JSON.stringify(value)), bytes, 'the only spelling of the JSON');
    mustEqual(parseAltchaSolution(value)?.signed, parsed.signed, 'the solution of the object');
    mustEqual(parseSignedText(parsed.signed.text), parsed.signed, 'the signed puzzle');
    if (parsed.isSolved(deps, key)) mustEqual(parsed.signed.text, signed.text, 'the puzzle that was solved');
    return parsed.signed;
  },
};

const solutionOf = (numbers: readonly number[]) => JSON.stringify({ token: signed.text, solutions: numbers });

/** As many numbers as the challenge has sub-challenges. */
const NUMBERS = Array.from({ length: capShapeOf(8).c }, (_, at) => 10 * at);

const cap: Target = {
  name: 'cap',
  kind: 'text',
  seeds: [
    token,
    toSolvedToken('altcha', hmac, key, signed),
    solutionOf(NUMBERS),
    solutionOf([1, 2.5]),
    solutionOf([]),
  ],
  tokens: ['.', '=', '"', ',', '[', ']', 'null', '1.5', '1e999', '9007199254740993', '-1', 'A'],
  check(input) {
    const payload = parseCapToken(input, hmac);
    if (payload?.isSolved(key)) mustEqual(input, token, 'the only token');
    mustEqual(parseSolvedToken(input) !== undefined, payload !== undefined, 'the signed puzzle of the token');
    const solution = parseCapSolution(parseJson(input));
    if (solution === undefined) return payload;
    mustEqual(
      solution.solutions.length,
      capShapeOf(solution.signed.puzzle.difficulty).c,
      'the number of solutions',
    );
    must(
      solution.solutions.every((number) => Number.isSafeInteger(number) && number >= 0),
      'a number is no count',
    );
    return [solution, solvesCap(solution)];
  },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const DIALECT_TARGETS: readonly Target[] = [altcha, cap];
