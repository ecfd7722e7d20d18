import type { Bodies, BodyOwner } from '../../http/body.ts';
import { BODY_STATUS, type BodyProblem } from '../../http/bodyArrival.ts';
import { dayRange } from '../../lib/timeZone.ts';
import { isNameSized } from '../../model/name.ts';
import type { FieldError } from '../components/field.tsx';
import type { Catalog } from '../i18n/catalog.ts';
import { pageContext } from '../i18n/pageContext.ts';
import { t } from '../i18n/t.tsx';

/** Maximum size of a form, in bytes. */
const LIMIT = 64 * 1024;

/** Maximum size of a form with a file, in bytes. */
const FILE_LIMIT = 1024 * 1024;

/** Maximum number of fields and files. Reading 20,000 of them takes up to 19 ms, and no form has more than 20. */
const MAX_PARTS = 64;

/** The parameter of the media type that names the boundary (RFC 2046, section 5.1.1). */
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;

/** The fields of a form and the contents of its file, or the status of the rejection. */
export type FormReading =
  | { readonly fields: URLSearchParams; readonly file?: Uint8Array | undefined }
  | { readonly status: 415; readonly problem?: undefined }
  | { readonly status: number; readonly problem: BodyProblem };

/** @param owner the user who sends the form; undefined if no user is signed in */
export async function readForm(
  request: Request,
  { bytes, anonymous }: Bodies,
  owner: BodyOwner | undefined,
  acceptsFile = false,
): Promise<FormReading> {
  const type = request.headers.get('content-type') ?? '';
  if (acceptsFile && owner !== undefined && /^multipart\/form-data\s*;/i.test(type)) {
    const body = await bytes(request, FILE_LIMIT, owner);
    return body.ok
      ? readMultipart(body.value, type)
      : { status: BODY_STATUS[body.problem], problem: body.problem };
  }
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return { status: 415 };
  const body = await (owner === undefined ? anonymous(request, LIMIT) : bytes(request, LIMIT, owner));
  if (!body.ok) return { status: BODY_STATUS[body.problem], problem: body.problem };
  return { fields: new URLSearchParams(new TextDecoder().decode(body.value)) };
}

/** Reads a form with files (RFC 7578). Only the first file counts. */
async function readMultipart(body: Uint8Array, type: string): Promise<FormReading> {
  const [, quoted, plain] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) return { status: 415 };
  if (hasTooManyParts(body, boundary))
    return { status: BODY_STATUS['body-too-large'], problem: 'body-too-large' };
  const fields = new URLSearchParams();
  const files: File[] = [];
  try {
    // With only this parameter, so that the parser uses the same boundary.
    const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` };
    const form = await new Response(body.slice(), { headers }).formData();
    for (const [name, value] of form) {
      if (typeof value === 'string') fields.append(name, value);
      else files.push(value);
    }
  } catch {
    return { status: 415 };
  }
  return { fields, file: await files[0]?.bytes() };
}

function hasTooManyParts(body: Uint8Array, boundary: string): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const separator = `--${boundary}`;
  let at = bytes.indexOf(separator);
  // Each part, and the end, has a separator.
  for (let parts = 0; at >= 0 && parts <= MAX_PARTS; parts++)
    at = bytes.indexOf(separator, at + separator.length);
  return at >= 0;
}

/** @returns the value of a field; empty if it is missing */
export function fieldOf(fields: URLSearchParams, name: string): string {
  return fields.get(name) ?? '';
}

/** @returns the values of fields; empty for those that are missing */
export function fieldsOf<Name extends string>(
  fields: URLSearchParams,
  names: readonly Name[],
): Readonly<Record<Name, string>> {
  return Object.fromEntries(names.map((name) => [name, fieldOf(fields, name)])) as Record<Name, string>;
}

/**
 * Whether the field `typed_name` has this name. Consecutive whitespace counts as one space, as browsers display it.
 *
 * @param name in NFC
 */
export function hasTypedName(fields: URLSearchParams, name: string): boolean {
  const plain = (text: string) => text.normalize('NFC').trim().replace(/\s+/gu, ' ');
  const typed = fieldOf(fields, 'typed_name').trim();
  return isNameSized(typed) && plain(typed) === plain(name);
}

/** @returns a day such as `2026-01-31` in the time zone of the page; undefined if the text is not a day. `until` is exclusive */
export function dayIn(text: string): ReturnType<typeof dayRange> {
  return dayRange(text, pageContext().timeZone);
}

/** The number of the requested page of a list, from 0. An invalid number counts as 0. */
export function pageNumberOf(query: URLSearchParams): number {
  const text = fieldOf(query, 'page');
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

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
