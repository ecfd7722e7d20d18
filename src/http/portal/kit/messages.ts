import { PROBLEMS, type Problem } from '../../../model/problems.ts';
import type { FieldError } from '../components/field.tsx';

/** Problems that only the portal's forms have. */
const SENTENCES = {
  'credentials-wrong': 'The email address or the password is wrong.',
  'password-wrong': 'This is not your current password.',
  'two-factor-required': 'This installation requires two-factor authentication, so you cannot turn it off.',
  'user-disabled': 'This account is disabled. Ask an administrator of this installation.',
  'code-wrong': 'This code is wrong or has already been used.',
  'setup-closed': 'The setup is complete: a user can already sign in.',
  'setup-token-wrong':
    'This is not the newest setup link. The log contains the link that the server printed when it last started.',
  'name-not-typed': 'This is not the name. Enter it exactly as shown above the field.',
  'password-link-unknown':
    'This link is not valid: it was used, has expired, or the password has been changed since. Ask an administrator for another one.',
  'form-sent-before':
    'This form has already been submitted. Its result is not shown again. Submit it again only if you want a new result.',
  'day-malformed': 'Enter a day, for example 2027-01-31.',
  'search-too-long': 'Enter at most 512 characters.',
  'rate-not-a-number': 'Enter a number, or leave the field empty.',
  'maintenance-word': 'Choose whether maintenance is on or off.',
  'repeats-too-few':
    'To accept repeated solutions, enter a number from 2 to 1000000. To accept each solution once, clear the checkbox.',
  'state-word': 'Choose whether the property is enabled or disabled.',
  'quota-malformed': 'Enter a whole number from 0 to 1000000000.',
} as const;

type FormProblem = keyof typeof SENTENCES;

export type PageProblem = Problem | FormProblem;

/** @returns the sentence that a page shows for a problem */
export function sentenceFor(problem: PageProblem): string {
  return isFormProblem(problem) ? SENTENCES[problem] : PROBLEMS[problem].sentence;
}

function isFormProblem(problem: PageProblem): problem is FormProblem {
  return problem in SENTENCES;
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
  'day-malformed': 'day',
  'dns-unanswered': 'domain',
  'domain-empty': 'domain',
  'domain-is-address': 'domain',
  'domain-is-suffix': 'domain',
  'domain-localhost': 'domain',
  'domain-malformed': 'domain',
  'domain-not-valid': 'domain',
  'domain-unresolved': 'domain',
  'email-malformed': 'email',
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
  'level-malformed': 'level',
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
  'validity-malformed': 'validity_seconds',
};

type FieldOfProblem = Readonly<Partial<Record<PageProblem, string>>>;

/** A problem at the field that it is about. @param fields for a form whose fields have other names */
export function fieldErrorOf(problem: PageProblem, fields: FieldOfProblem = FIELD_OF_PROBLEM): FieldError {
  return errorOf(problem, fields[problem]);
}

/** A sign-in that is rejected after too many failures. @param seconds until the next attempt is accepted */
export function throttledError(seconds: number): FieldError {
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return {
    text: `Too many attempts have failed. Wait ${wait}, then try again. This attempt was not checked.`,
  };
}
