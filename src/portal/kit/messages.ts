import type { FieldError } from '../components/field.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { t } from '../i18n/t.ts';

/** Problems of the API, and problems that only the portal's forms have. */
export type PageProblem = keyof Catalog['problems'];

/** @returns the sentence that a page shows for a problem */
export function sentenceFor(problem: PageProblem): string {
  return t(`problems.${problem}`);
}

/** A problem of one field of a form, or of the whole form. */
export function errorOf(problem: PageProblem, field?: string): FieldError {
  return { ...(field !== undefined && { field }), text: sentenceFor(problem) };
}

/** The field that each problem is about, in every form. A problem that is missing here is about the whole form. */
export const FIELD_OF_PROBLEM: FieldOfProblem = {
  'account-name-empty': 'name',
  'account-name-too-long': 'name',
  'account-name-malformed': 'name',
  'allowance-malformed': 'max_replay_count',
  'challenge-unknown': 'challenge',
  'day-malformed': 'day',
  'dns-unanswered': 'domain',
  'domain-empty': 'domain',
  'domain-is-address': 'domain',
  'domain-is-suffix': 'domain',
  'domain-localhost': 'domain',
  'domain-malformed': 'domain',
  'domain-not-valid': 'domain',
  'domain-single-label': 'domain',
  'domain-unresolved': 'domain',
  'email-malformed': 'email',
  'email-domain-malformed': 'email',
  'email-taken': 'email',
  'growth-unknown': 'growth',
  'invitations-limit': 'email',
  'key-burst-malformed': 'burst',
  'key-expiry-past': 'day',
  'key-name-empty': 'name',
  'key-name-malformed': 'name',
  'key-name-too-long': 'name',
  'key-rate-malformed': 'rate',
  'key-rate-too-high': 'rate',
  'keys-limit': 'name',
  'import-file-missing': 'file',
  'level-malformed': 'custom_level',
  'level-not-custom': 'custom_level',
  'member-already': 'email',
  'name-not-typed': 'typed_name',
  'organization-name-empty': 'name',
  'organization-name-malformed': 'name',
  'organization-name-taken': 'name',
  'organization-name-too-long': 'name',
  'organizations-limit': 'name',
  'password-common': 'password',
  'password-guessable': 'password',
  'password-too-long': 'password',
  'password-too-short': 'password',
  'property-name-empty': 'name',
  'property-name-malformed': 'name',
  'property-name-taken': 'name',
  'property-name-too-long': 'name',
  'repeats-too-few': 'max_replay_count',
  'scope-unknown': 'scope',
  'validity-malformed': 'validity',
  'validity-out-of-range': 'validity',
};

type FieldOfProblem = Readonly<Partial<Record<PageProblem, string>>>;

/** A problem at the field that it is about. @param fields for a form whose fields have other names */
export function fieldErrorOf(problem: PageProblem, fields: FieldOfProblem = FIELD_OF_PROBLEM): FieldError {
  return errorOf(problem, fields[problem]);
}

/** A sign-in that is rejected after too many failures. @param seconds until the next attempt is accepted */
export function throttledError(seconds: number): FieldError {
  const text =
    seconds < 120
      ? t('kit.throttled.seconds', { count: seconds })
      : t('kit.throttled.minutes', { count: Math.ceil(seconds / 60) });
  return { text };
}
