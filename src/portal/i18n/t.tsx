import { createInstance } from 'i18next';
import type { Children, Element } from '../../jsx/elements.ts';
import { type Catalog, catalogOf } from './catalog.ts';
import type { Language } from './languages.ts';
import { perLanguage } from './pageContext.ts';

/** The paths of all strings in the catalog, with the suffixes of plurals. */
type Paths<Texts, Path extends string = ''> = {
  [Key in keyof Texts & string]: Texts[Key] extends string
    ? `${Path}${Key}`
    : Paths<Texts[Key], `${Path}${Key}.`>;
}[keyof Texts & string];

type Singular<Path extends string> = Path extends `${infer Name}_${'one' | 'other'}` ? Name : Path;
type Plural<Path extends string> = Path extends `${infer Name}_other` ? Name : never;

/** The name of a text: the path in the catalog. A plural has the name without its suffix. */
export type TextKey = Singular<Paths<Catalog>>;

type Values = Readonly<Record<string, string | number>>;

type Arguments<Key> =
  Key extends Plural<Paths<Catalog>> ? [values: Values & { readonly count: number }] : [values?: Values];

const instance = perLanguage(createInstanceFor);

/**
 * The text in the language of the current request, with its values inserted. JSX escapes it. The types check the key and `count`; a test
 * checks the other values, because the type of a JSON file does not contain its texts.
 *
 * A plural needs the value `count`, which chooses the form by the rules of the language (CLDR). Not for constants of modules, because
 * these have no request.
 */
export function t<Key extends TextKey>(key: Key, ...[values]: Arguments<Key>): string {
  return translate(key, { ...values });
}

/** The names of the texts in a part of the catalog: `'plan' | 'action'` for `admin.plans`. */
export type NameIn<Part extends string> = TextKey extends infer Key
  ? Key extends `${Part}.${infer Name}`
    ? Name
    : never
  : never;

/** Several texts without values, such as the headings of a table: `texts('admin.plans', 'plan', 'action')` for two texts of that part. */
export function texts<Part extends string>(part: Part, ...names: readonly NameIn<Part>[]): readonly string[] {
  return names.map((name) => textAt(`${part}.${name}`));
}

/** The options of a `Select` or of `Radios` with their texts, which have the names of the values, in the order of the values. */
export function options<Part extends string, Value extends NameIn<Part>>(
  part: Part,
  values: readonly Value[],
): Readonly<Record<Value, string>> {
  const entries = values.map((value) => [value, textAt(`${part}.${value}`)]);
  return Object.fromEntries(entries) as Record<Value, string>;
}

/** The text with its `{{names}}` in place. @param count chooses the form of a plural */
export function template(key: TextKey, count?: number): string {
  return translate(key, { skipInterpolation: true, ...(count !== undefined && { count }) });
}

/** Like `t`, for a name that is composed, so that the compiler cannot check it. The text must not contain values. */
export function textAt(key: string): string {
  return translate(key, {});
}

/** Like `textAt`. @returns undefined if the catalog has no text with this name */
export function optionalText(key: string): string | undefined {
  return hasText(key) ? translate(key, {}) : undefined;
}

/** Whether the catalog has a text with this name that is not a plural. */
export function hasText(key: string): boolean {
  return instance().exists(key);
}

function translate(key: string, options: Readonly<Record<string, unknown>>): string {
  // The package's types would check each text again, which takes the compiler a minute.
  return (instance().t as (key: string, options: object) => string)(key, options);
}

function createInstanceFor(language: Language) {
  const i18n = createInstance({
    lng: language,
    fallbackLng: false,
    initAsync: false,
    interpolation: { escapeValue: false },
    resources: { [language]: { translation: catalogOf(language) } },
  });
  // Without a backend and with `initAsync: false`, the texts are ready when this call returns.
  void i18n.init();
  return i18n;
}

/** What replaces `<name>…</name>` (a function of its contents, or the path of a link) or `{{name}}` in a text. */
type Parts = Readonly<Record<string, Element | string | number | ((contents: Children) => Element)>>;

/** The elements that need no part. */
const ELEMENTS: Parts = {
  strong: (text) => <strong>{text}</strong>,
  code: (text) => <code>{text}</code>,
};

/**
 * A text with markup: `rich('a.b', { name: <bdi>{name}</bdi>, link: '/x' })` for the text
 * `"{{name}} is <strong>disabled</strong>. <link>Change this</link>"`. Values are never parsed as markup.
 *
 * @param count chooses the form of a plural, and replaces `{{count}}`
 * @throws Error if the text contains a name without a part
 */
export function rich(key: TextKey, parts: Parts = {}, count?: number): Element {
  // Values are not yet in the text that is parsed.
  const text = template(key, count);
  return <>{parse(text, count === undefined ? parts : { count, ...parts })}</>;
}

const MARKUP = /<(\w+)>([\s\S]*?)<\/\1>|\{\{(\w+)\}\}/g;

function parse(text: string, parts: Parts): readonly Children[] {
  const children: Children[] = [];
  let end = 0;
  for (const { 0: match, 1: tag, 2: contents = '', 3: value = '', index } of text.matchAll(MARKUP)) {
    children.push(text.slice(end, index));
    children.push(tag === undefined ? valueIn(parts, value) : element(parts, tag, contents));
    end = index + match.length;
  }
  return [...children, text.slice(end)];
}

function element(parts: Parts, name: string, contents: string): Children {
  const part = parts[name] ?? ELEMENTS[name];
  if (typeof part === 'string') return <a href={part}>{parse(contents, parts)}</a>;
  if (typeof part !== 'function') throw new Error(`The text has no element for <${name}>.`);
  return part(parse(contents, parts));
}

function valueIn(parts: Parts, name: string): Children {
  const part = parts[name];
  if (part === undefined || typeof part === 'function') throw new Error(`The text has no value for ${name}.`);
  return part;
}
