/** The documentation as the build embeds it: compressed with gzip, in base64, because few servers need more than a few pages. */
export type BundledDocs = {
  readonly pages: readonly BundledPage[];
  /** Other files that pages link to, except pictures. */
  readonly files: readonly { readonly path: string; readonly gzip: string }[];
  /** JSON: `DocsSection[]`. */
  readonly search: string;
};

/** A page without its contents. */
export type DocsPage = {
  /** The path after `/docs/`; empty for the first page. */
  readonly path: string;
  /** The heading of its group in the navigation; empty for the first page. */
  readonly group: string;
  /** Its text in the navigation. */
  readonly label: string;
  readonly title: string;
  /** What the page is about, in one sentence. */
  readonly summary: string;
};

export type BundledPage = DocsPage & {
  /** JSON: `DocsContents`. */
  readonly gzip: string;
};

export type DocsContents = {
  /** The markup of the heading and the first paragraph. */
  readonly intro: string;
  /** The markup of the rest. */
  readonly html: string;
  /** The headings below the title, in order. */
  readonly toc: readonly { readonly anchor: string; readonly text: string; readonly depth: number }[];
};

/** A part of a page from one heading to the next, for the search. */
export type DocsSection = {
  /** The position of its page in `BundledDocs.pages`. */
  readonly page: number;
  /** The anchor of its heading; empty for the beginning of a page. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
};

/** A picture; `file` is its path in the executable or in the sources. */
export type DocsPicture = { readonly path: string; readonly file: string };

/** @returns the path of a page on the server */
export function pathOfPage({ path }: Pick<DocsPage, 'path'>): string {
  return path === '' ? '/docs' : `/docs/${path}`;
}
