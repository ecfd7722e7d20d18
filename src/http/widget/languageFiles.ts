import { languageFor } from '../../lib/languageTag.ts';
import { hashOf } from '../etag.ts';
import type { WidgetFile } from './widgetBuild.ts';

type Table = { readonly [tag: string]: { readonly dir: string; readonly texts: object } };

/** The part of a file's path that precedes the language. */
const FOLDER = '/widget/lang/';

/** BCP 47 tags are usually shorter than 35 characters (RFC 5646, section 4.4.1). */
const NAME = /^([a-z]{2,8}(?:-[a-z\d]{1,8}){0,4})\.([\da-f]{16})\.json$/i;

/**
 * Finds the widget's translations. Any tag has a file, `/widget/lang/de-AT.0123456789abcdef.json`: it contains the texts of the language
 * that matches, or `{}` if none does, so that the page gets no error. All names contain the hash of the whole table, so the script
 * contains only this one hash.
 *
 * @param table the text of `static/languages.json`
 * @returns a function that finds a file by its path; undefined for other paths and other versions
 */
export function createLanguageFiles(table: string): (path: string) => WidgetFile | undefined {
  const version = hashOf(table);
  const languages = new Map(Object.entries(JSON.parse(table) as Table));
  const tags = [...languages.keys()];
  const files = new Map<string, WidgetFile>();
  return (path) => {
    if (!path.startsWith(FOLDER)) return undefined;
    const [, wanted = '', wantedVersion] = NAME.exec(path.slice(FOLDER.length)) ?? [];
    if (wantedVersion !== version) return undefined;
    const tag = languageFor(wanted, tags) ?? '';
    const known = files.get(tag);
    if (known) return known;
    const found = languages.get(tag);
    const text = JSON.stringify(found ? { tag, dir: found.dir, texts: found.texts } : {});
    const file = { type: 'application/json', etag: `"${version}"`, contents: new TextEncoder().encode(text) };
    files.set(tag, file);
    return file;
  };
}
