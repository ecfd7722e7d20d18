/** Renders pages of the documentation from Markdown. Runs at build time only. */
import { posix } from 'node:path';
import { Marked, type Token, type Tokens } from 'marked';
import type { DocsContents, DocsSection } from '../../src/http/docs/docs.ts';
import { highlightCode } from '../highlight.ts';

type RenderedPage = DocsContents & {
  readonly title: string;
  /** What the page is about, in one sentence. */
  readonly summary: string;
  readonly sections: readonly Omit<DocsSection, 'page'>[];
};

export type RenderOptions = {
  /** The path of the page from the root. */
  readonly file: string;
  /** The paths after `/docs/` of all pages, by file. */
  readonly pages: ReadonlyMap<string, string>;
  /** The paths after `/docs/` of the other files that pages can link to, by file. */
  readonly attached: ReadonlyMap<string, string>;
  /** Whether only the repository contains this file. A link to it becomes plain text that names it in its title. */
  readonly isInRepository: (file: string) => boolean;
  /** Called for each of the other files that the page links to. */
  readonly onAttached: (file: string) => void;
};

/** The deepest heading in the table of contents. */
const TOC_DEPTH = 3;

/**
 * Renders a page.
 *
 * @throws Error if the page links to a file that is not part of the documentation, or has a code block in an unknown language
 */
export function renderMarkdown(markdown: string, options: RenderOptions): RenderedPage {
  const slugs = createSlugs();
  const anchors = new Map<Token, string>();
  const marked = new Marked({ gfm: true });
  const tokens = marked.lexer(markdown);
  for (const token of tokens) {
    if (isHeading(token)) anchors.set(token, slugs(plainText(token.text)));
  }
  marked.use({ renderer: createRenderer(options, (token) => anchors.get(token) ?? '') });
  const headings = tokens.filter(isHeading);
  const first = tokens.findIndex((token) => token.type === 'paragraph');
  return {
    title: plainText(headings[0]?.text ?? ''),
    summary: summaryOf(plainText(tokens[first]?.raw ?? '')),
    intro: marked.parser(tokens.slice(0, first + 1)),
    html: marked.parser(tokens.slice(first + 1)),
    toc: headings
      .filter(({ depth }) => depth > 1 && depth <= TOC_DEPTH)
      .map((token) => ({
        anchor: anchors.get(token) ?? '',
        text: plainText(token.text),
        depth: token.depth,
      })),
    sections: toSections(tokens, anchors),
  };
}

/** @returns the sentence about the purpose of a page without its beginning, which is the same on every page */
function summaryOf(sentence: string): string {
  const rest = sentence.replace(
    /^(?:This page (?:shows how to|shows|describes|lists|explains|answers|defines|states)|In this tutorial, you) /,
    '',
  );
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

/** Anchors in the format of GitHub: a repeated heading gets a number. */
function createSlugs(): (heading: string) => string {
  const used = new Set<string>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    let anchor = slug;
    for (let again = 1; used.has(anchor); again++) anchor = `${slug}-${again}`;
    used.add(anchor);
    return anchor;
  };
}

function createRenderer(options: RenderOptions, anchorOf: (token: Token) => string) {
  return {
    heading(this: { parser: Inline }, token: Tokens.Heading): string {
      const { depth, tokens } = token;
      const contents = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1>${contents}</h1>\n`;
      const anchor = anchorOf(token);
      const name = escapeText(`Link to “${plainText(token.text)}”`);
      return `<div class="heading"><h${depth} id="${anchor}">${contents}</h${depth}><a class="anchor" href="#${anchor}" aria-label="${name}">#</a></div>\n`;
    },
    link(this: { parser: Inline }, { href, tokens }: Tokens.Link): string {
      const contents = this.parser.parseInline(tokens);
      // Markdown also links texts that look like email addresses.
      if (href.startsWith('mailto:')) return contents;
      if (/^[a-z]+:/i.test(href)) return `<a href="${escapeText(href)}" rel="noreferrer">${contents}</a>`;
      const linked = fileOf(href, options);
      if (options.isInRepository(linked))
        return `<span title="${escapeText(linked)} in the repository">${contents}</span>`;
      return `<a href="${escapeText(resolve(href, options))}">${contents}</a>`;
    },
    code({ text, lang = '' }: Tokens.Code): string {
      const [, language = '', title] = /^(\S*)(?:\s+title="([^"]*)")?$/.exec(lang) ?? [];
      const caption = title === undefined ? '' : `<figcaption>${escapeText(title)}</figcaption>`;
      return `<figure class="code">${caption}<pre tabindex="0"><code>${highlightCode(text, language)}</code></pre></figure>\n`;
    },
    table(this: { parser: Inline }, { header, rows }: Tokens.Table): string {
      const contents = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens);
      const heads = header.map((cell) =>
        cell.text === '' ? '<td></td>' : `<th scope="col">${contents(cell)}</th>`,
      );
      const lines = rows.map((row) => `<tr>${row.map((cell) => `<td>${contents(cell)}</td>`).join('')}</tr>`);
      const head = header.every(({ text }) => text === '') ? '' : `<thead><tr>${heads.join('')}</tr></thead>`;
      return `<div class="table" tabindex="0"><table>${head}<tbody>${lines.join('\n')}</tbody></table></div>\n`;
    },
    html({ text }: Tokens.HTML | Tokens.Tag): string {
      return text.replace(
        /\b(src|srcset)="([^"]+)"/g,
        (_, name, target) => `${name}="${resolve(target, options)}"`,
      );
    },
  };
}

type Inline = { parseInline(tokens: Token[]): string };

/** @returns the file that a relative link leads to, from the root */
function fileOf(target: string, { file }: RenderOptions): string {
  const [path = ''] = target.split('#');
  return posix.join(posix.dirname(file), decodeURIComponent(path));
}

/** @returns the target of a link on the server */
function resolve(target: string, options: RenderOptions): string {
  const { file, pages, attached, onAttached } = options;
  const [path = '', anchor] = target.split('#');
  const fragment = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return fragment;
  const linked = fileOf(target, options);
  const page = pages.get(linked);
  if (page !== undefined) return `${page === '' ? '/docs' : `/docs/${page}`}${fragment}`;
  const served = attached.get(linked);
  if (served !== undefined) {
    onAttached(linked);
    return `/docs/${served}`;
  }
  throw new Error(`${file} links to ${target}, which is not part of the documentation`);
}

function toSections(tokens: readonly Token[], anchors: ReadonlyMap<Token, string>): RenderedPage['sections'] {
  const starts = tokens.flatMap((token, at) => (isHeading(token) ? [{ token, at }] : []));
  return starts.map(({ token, at }, index) => ({
    anchor: token.depth === 1 ? '' : (anchors.get(token) ?? ''),
    heading: plainText(token.text),
    text: squeeze(
      tokens
        .slice(at + 1, starts[index + 1]?.at)
        .map(textOfBlock)
        .join(' '),
    ),
  }));
}

function textOfBlock(token: Token): string {
  return token.type === 'code' ? (token as Tokens.Code).text : plainText(token.raw);
}

/** @returns Markdown without its markup, in one line */
function plainText(markdown: string): string {
  const text = markdown
    .replace(/^```.*$/gm, '')
    .replace(/^\|?(?:\s*:?-{3,}:?\s*\|)+\s*$/gm, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<\/?[a-z][^>]*>/gi, (tag) => (/^<https?:/i.test(tag) ? tag.slice(1, -1) : ''))
    .replace(/\*\*|`/g, '')
    .replace(/(?<!\\)\|/g, ' ')
    .replace(/^\s*(?:[-*]|\d+\.)\s+/gm, '')
    .replace(/\\([|*_<>[\]])/g, '$1');
  return squeeze(text);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function escapeText(text: string): string {
  return Bun.escapeHTML(text);
}
