import { PROBLEMS, type Problem } from '../../../../model/problems.ts';

const SENTENCES = Object.entries(PROBLEMS).map(([problem, { sentence }]) => [problem, sentence]);

/** The sentences about problems. Those that the API shares come from the model. */
export const problems = {
  ...(Object.fromEntries(SENTENCES) as Readonly<Record<Problem, string>>),
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
