import { PROBLEMS, type Problem } from '../../../model/problems.ts';
import type { Mistake } from '../components/parts.tsx';

/** What the pages alone refuse. */
const SENTENCES = {
  'credentials-wrong': 'The e-mail address or the password is not right.',
  'password-wrong': 'This is not your current password.',
  'two-factor-required':
    'This installation requires you to use two-factor authentication; you cannot turn it off.',
  'user-disabled': 'This account is disabled. Ask an administrator of this installation.',
  'code-wrong': 'This code is not right, or was used already.',
  'set-up-over': 'The set-up is over: somebody can sign in already.',
  'set-up-token-wrong': 'This link is not the newest one; the log has it, from the last start of the server.',
  'name-not-typed': 'This is not the name; type it as it is written above the field.',
  'password-link-unknown':
    'This link does not work: it was used, has expired, or the password was changed since. Ask an administrator for another one.',
  'form-sent-before':
    'This form was sent already. What it showed is not shown again; send it once more only if you want another one.',
  'day-malformed': 'Give a day, as in 2027-01-31.',
  'search-too-long': 'Search for at most 512 characters.',
  'rate-not-a-number': 'Give a number, or leave it empty.',
  'maintenance-word': 'Choose whether maintenance is on or off.',
  'repeats-too-few':
    'To accept repeated solutions, enter a number from 2 to 1000000. To accept each solution once, clear the checkbox.',
  'state-word': 'Choose whether the property is enabled or disabled.',
  'quota-malformed': 'Give a whole number from 0 to 1000000000.',
} as const;

export type PageProblem = Problem | keyof typeof SENTENCES;

/** What the API calls by the names of its wire, and the pages by those of their fields. */
const WORDS: readonly (readonly [api: RegExp, page: string])[] = [
  [/\bproperties\b/g, 'sites'],
  [/\bproperty\b/g, 'site'],
  [/^level\b/, 'The level'],
  [/^growth\b/, 'The growth'],
  [/^validity_seconds\b/, 'The validity in seconds'],
  [/^max_replay_count\b/, 'The number of verifications'],
];

/** A problem in words for people. */
export function sentenceFor(problem: PageProblem): string {
  return problem in SENTENCES
    ? SENTENCES[problem as keyof typeof SENTENCES]
    : inPageWords(PROBLEMS[problem as Problem].sentence);
}

/** A sentence of the API as pages say it: a property is a site to people, and a member has the name of its field. */
export function inPageWords(sentence: string): string {
  return WORDS.reduce((text, [api, word]) => text.replace(api, word), sentence);
}

/** A problem of one field of a form, or of the whole form. */
export function mistakeOf(problem: PageProblem, field?: string): Mistake {
  return { ...(field !== undefined && { field }), text: sentenceFor(problem) };
}

/** Whoever failed too often. @param seconds until the next attempt is heard */
export function slowedMistake(seconds: number): Mistake {
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return { text: `Too many attempts have failed. Wait ${wait}, then try again; nothing was looked at.` };
}
