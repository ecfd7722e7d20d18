import type { Instant } from '../lib/time.ts';
import type { Sitekey } from '../model/property.ts';
import type { PageData } from '../puzzle/solution.ts';

type VerdictRow = {
  /** `code` in `/verify`. */
  readonly code: number;
  /** A sentence for the documentation. */
  readonly meaning: string;
  /** The statistics that contain the rejections. Invalid payloads and foreign signatures have no property. */
  readonly countedFor?: 'property' | 'installation';
};

/** The results of verifications by their names in `error-codes` of `/siteverify`. A test compares this table with `docs/reference/api.md`. */
// biome-ignore format: a table
export const VERDICTS = {
  'no-error': { code: 0, meaning: 'The solution is valid, and this is its first verification.' },
  'error-other': { code: 1, meaning: 'The API key was rejected, the property is disabled, or the server could not verify the solution; the status shows which.', countedFor: 'property' },
  'solution-duplicates': { code: 2, meaning: 'The payload contains the same solution twice.', countedFor: 'property' },
  'solution-invalid': { code: 3, meaning: 'A solution does not solve its puzzle.', countedFor: 'property' },
  'solution-bad-format': { code: 4, meaning: 'The payload is invalid: it is empty, incomplete, or a token from another product.', countedFor: 'installation' },
  'puzzle-expired': { code: 5, meaning: 'The puzzle expired before the verification.', countedFor: 'property' },
  'property-invalid': { code: 6, meaning: 'The property does not exist, or is not the expected property.', countedFor: 'property' },
  'property-owner-mismatch': { code: 7, meaning: "The owner of the API key is not a member of the property's organization.", countedFor: 'property' },
  'solution-verified-before': { code: 8, meaning: 'The solution was verified before. It succeeds as often as `max_replay_count` allows.', countedFor: 'property' },
  'maintenance-mode': { code: 9, meaning: 'The solution is valid, but maintenance may have prevented checking whether the API key may verify it.' },
  'property-test': { code: 10, meaning: 'The solution is for the test property, which is only for tests.' },
  'integrity-error': { code: 11, meaning: 'The puzzle or its signature was changed, or another installation issued the puzzle.', countedFor: 'installation' },
  'org-scope-error': { code: 12, meaning: 'The API key is limited to another organization.', countedFor: 'property' },
} as const satisfies Readonly<Record<string, VerdictRow>>;

export type VerdictName = keyof typeof VERDICTS;

const NAMES = Object.keys(VERDICTS) as VerdictName[];

/** The codes by name. */
export const VERDICT_CODES = Object.fromEntries(NAMES.map((name) => [name, VERDICTS[name].code])) as {
  readonly [Name in VerdictName]: (typeof VERDICTS)[Name]['code'];
};

function namesCountedFor(whom: VerdictRow['countedFor']): readonly VerdictName[] {
  return NAMES.filter((name) => {
    const row: VerdictRow = VERDICTS[name];
    return row.countedFor === whom;
  });
}

/** The rejections that belong to a property. */
export const FAILURE_NAMES = namesCountedFor('property');

/** All rejections that are counted. */
export const INSTALLATION_FAILURE_NAMES = [...FAILURE_NAMES, ...namesCountedFor('installation')];

/** @returns the name of a code; undefined if there is no such code */
export function verdictNameOf(code: unknown): VerdictName | undefined {
  return NAMES.find((name) => VERDICT_CODES[name] === code);
}

export type Verdict = {
  readonly success: boolean;
  readonly name: VerdictName;
  /** The page's host; empty if it is unknown or the signature is invalid. */
  readonly origin: string;
  readonly verifiedAt: Instant;
  /** Time when the puzzle was issued; undefined if the signature is invalid. */
  readonly issuedAt: Instant | undefined;
  /** The solutions could not be verified or the claim could not be stored, so the caller should retry later. */
  readonly isUnavailable: boolean;
  /** Too many argon2id solutions are being verified. Nothing was verified, so the caller should retry later. */
  readonly isBusy?: boolean;
  /** Undefined if the signature is invalid. */
  readonly sitekey?: Sitekey;
  /** Comes from the page, so it is not trustworthy. */
  readonly pageData: PageData;
};
