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
  'name-not-typed': 'This does not match the name. Enter it exactly as shown above the field.',
  'password-link-unknown':
    'This link is not valid: it was used, has expired, or the password has been changed since. Ask an administrator for another one.',
  'form-sent-before':
    'This form has already been submitted. Its result is not shown again. Submit it again only if you want a new result.',
  'period-reversed': 'The last day is before the first day. Enter a day that is not earlier.',
  'period-future': 'Statistics end today (UTC). Enter days up to today.',
  'period-too-old': 'Statistics are stored for two years. Enter a day in the last 730 days.',
  'period-too-long': 'A custom range has at most 366 days. Enter days that are closer together.',
  'action-unknown': 'Choose one of the groups of actions in the list.',
  'day-malformed': 'Enter a day, for example 2027-01-31.',
  'search-too-long': 'Enter at most 512 characters.',
  'rate-not-a-number': 'Enter a number, or leave the field empty.',
  'maintenance-word': 'Choose whether maintenance is on or off.',
  'repeats-too-few':
    'To accept repeated solutions, enter a number from 2 to 1000000. To accept each solution once, clear the checkbox.',
  'state-word': 'Choose whether the property is enabled or disabled.',
  'quota-malformed': 'Enter a whole number from 0 to 1000000000.',
  'validity-out-of-range': 'Enter a duration of whole seconds, from 1 minute to 48 hours.',
  'level-not-custom': 'An exact level is entered. Select “Custom” to use it, or clear the field.',
  'import-file-missing': 'Choose a CSV or JSON file.',
  'import-empty': 'The file has no properties.',
  'import-too-large': 'The file is larger than 768 KiB. Split it into several files.',
  'import-too-many': 'The file has more than 1,000 properties. Split it into several files.',
  'import-not-utf8': 'The file is not in UTF-8. Save it as UTF-8.',
  'import-csv-malformed': 'The CSV file could not be read.',
  'import-json-malformed': 'The JSON file could not be read. It must be an array of objects.',
  'import-column-unknown': 'The file has a column that is not part of the format.',
  'import-column-repeated': 'A column appears twice in the file.',
  'import-value-malformed': 'The item is not an object.',
  'import-member-unknown': 'The object has a member that is not part of the format.',
  'import-sitekey-unknown': 'No property of this organization has this sitekey.',
  'import-sitekey-repeated': 'An earlier row has the same sitekey.',
} as const;
