import { isNameSized } from '../../../model/name.ts';
import { BODY_STATUS, type Bodies, type BodyProblem } from '../../body.ts';

/** Bytes of a form that is read. */
const LIMIT = 64 * 1024;

/** How reading a form ends: its fields, or the status of the refusal. */
export type FormReading =
  | { readonly fields: URLSearchParams }
  | { readonly status: 415; readonly problem?: undefined }
  | { readonly status: number; readonly problem: BodyProblem };

/** Reads what a form of ours sends. */
export async function readForm(
  request: Request,
  { bytes, anonymous }: Bodies,
  isSignedIn: boolean,
): Promise<FormReading> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return { status: 415 };
  const body = await (isSignedIn ? bytes : anonymous)(request, LIMIT);
  if (!body.ok) return { status: BODY_STATUS[body.problem], problem: body.problem };
  return { fields: new URLSearchParams(new TextDecoder().decode(body.value)) };
}

/** What a field holds, empty where it is missing. */
export function fieldOf(fields: URLSearchParams, name: string): string {
  return fields.get(name) ?? '';
}

/**
 * Whether the field `typed_name` holds this name. White space compares as one space: browsers show it so.
 *
 * @param name in NFC
 */
export function hasTypedName(fields: URLSearchParams, name: string): boolean {
  const plain = (text: string) => text.normalize('NFC').trim().replace(/\s+/gu, ' ');
  const typed = fieldOf(fields, 'typed_name').trim();
  return isNameSized(typed) && plain(typed) === plain(name);
}

/** @returns the given path if it is a path of the portal or `/swagger`; the portal's first page for anything else */
export function returnPathOf(text: string): string {
  if (text === '/swagger') return text;
  return /^\/portal(?:[/?][\w\-./?=&%~+:]*)?$/.test(text) && !text.includes('//') ? text : '/portal';
}

/** A path with a query. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

/** Which page of a list a query wants, from 0; what is no number is the first. */
export function pageNumberOf(query: URLSearchParams): number {
  const text = fieldOf(query, 'page');
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
