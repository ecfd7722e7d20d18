import type { Children, Element } from '../../jsx/elements.ts';
import { type TextKey, template } from './t.ts';

/** What replaces `<name>…</name>` (a function of its contents) or `{{name}}` in a text. */
type Parts = Readonly<Record<string, Element | string | number | ((contents: Children) => Element)>>;

/**
 * A text with markup: `rich('a.b', { name: <bdi>{name}</bdi>, link: (text) => <a href="/x">{text}</a> })` for the text
 * `"{{name}} is disabled. <link>Change this</link>"`. Values are never parsed as markup.
 *
 * @param count chooses the form of a plural, and replaces `{{count}}`
 * @throws Error if the text contains a name without a part
 */
export function rich(key: TextKey, parts: Parts, count?: number): Element {
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
  const part = parts[name];
  if (typeof part !== 'function') throw new Error(`The text has no element for <${name}>.`);
  return part(parse(contents, parts));
}

function valueIn(parts: Parts, name: string): Children {
  const part = parts[name];
  if (part === undefined || typeof part === 'function') throw new Error(`The text has no value for ${name}.`);
  return part;
}
