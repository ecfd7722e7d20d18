import { isNameSized } from '../../../model/name.ts';
import { BODY_STATUS, type Bodies, type BodyOwner, type BodyProblem } from '../../body.ts';

/** Maximum size of a form, in bytes. */
const LIMIT = 64 * 1024;

/** Maximum size of a form with a file, in bytes. */
const FILE_LIMIT = 1024 * 1024;

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
  const fields = new URLSearchParams();
  const files: File[] = [];
  try {
    const form = await new Response(body.slice(), { headers: { 'Content-Type': type } }).formData();
    for (const [name, value] of form) {
      if (typeof value === 'string') fields.append(name, value);
      else files.push(value);
    }
  } catch {
    return { status: 415 };
  }
  return { fields, file: await files[0]?.bytes() };
}

/** @returns the value of a field; empty if it is missing */
export function fieldOf(fields: URLSearchParams, name: string): string {
  return fields.get(name) ?? '';
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

/** @returns the path itself if it is a path of the portal or `/swagger`; otherwise the portal's first page */
export function returnPathOf(text: string): string {
  if (text === '/swagger') return text;
  return /^\/portal(?:[/?][\w\-./?=&%~+:]*)?$/.test(text) && !text.includes('//') ? text : '/portal';
}

export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query)}`;
}

/** The number of the requested page of a list, from 0. An invalid number counts as 0. */
export function pageNumberOf(query: URLSearchParams): number {
  const text = fieldOf(query, 'page');
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}
