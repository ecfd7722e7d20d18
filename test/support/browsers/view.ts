/** What the tests need from a browser: one implementation per engine. */

export type Size = { readonly width: number; readonly height: number };

/** `headers` are the sent ones, including cookies. */
export type SentRequest = { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Events of a tab during one test. */
export type Visit = {
  /** All requests, without preflights. */
  readonly requests: SentRequest[];
  /** Errors that the page did not catch. */
  readonly uncaught: string[];
  readonly consoleLines: string[];
};

/** What assistive technology learns about an element. The role is empty or `generic` if the element has no meaning. */
export type Accessible = { readonly role: string; readonly name: string };

/** A media feature of CSS, such as `prefers-color-scheme`, and its value. */
export type MediaFeature = { readonly name: string; readonly value: string };

/** The methods that a tab has in every browser. */
export type Controls = {
  /** Returns the value of an expression in the page; promises are awaited. */
  readonly evaluate: <T>(expression: string) => Promise<T>;
  /** Runs a script in the page, regardless of its policy. */
  readonly run: (source: string) => Promise<void>;
  /** Sends a trusted key press, such as `Tab`, `Enter`, or `Space`. */
  readonly press: (key: string) => Promise<void>;
  /** Enters a text into the element with the focus. */
  readonly type: (text: string) => Promise<void>;
  /** Runs a script on the next pages, and in their frames, before their own scripts. */
  readonly preload: (source: string) => Promise<void>;
  /** Lets all requests fail whose URL contains one of these texts, instead of the previous ones. */
  readonly block: (parts: readonly string[]) => Promise<void>;
  /** Sends the requests for an origin to another one, as an entry in the DNS would; pages cannot see it. */
  readonly redirect: (from: string, to: string) => Promise<void>;
  /** Changes the size of the page. @param isPhone whether pages without a `viewport` element are scaled down */
  readonly resize: (size: Size, isPhone?: boolean) => Promise<void>;
  readonly setMedia: (features: readonly MediaFeature[]) => Promise<void>;
  /** Disconnects the page from the network, or connects it again. */
  readonly setOffline: (isOffline: boolean) => Promise<void>;
  readonly clearCookies: () => Promise<void>;
  /** Returns the names of the cookies of all hosts in these URLs. */
  readonly cookieNames: (urls: readonly string[]) => Promise<readonly string[]>;
  /** Returns the computed role and name of the element that the expression returns. */
  readonly accessible: (expression: string) => Promise<Accessible>;
  /** Calls a method of the DevTools protocol, which only Chromium has. */
  readonly cdp: <T>(method: string, parameters?: Record<string, unknown>) => Promise<T>;
  /** A PNG of the tab; only in Chromium. */
  readonly screenshot: () => Promise<Blob>;
};

/** A tab of a browser, which several tests may use in sequence. */
export type View = Controls & {
  /** Collects requests, errors, and console lines in a new visit from now on. */
  readonly beginVisit: () => Visit;
  readonly navigate: (url: string) => Promise<void>;
  /** Sends a trusted click to a position in CSS pixels. */
  readonly click: (x: number, y: number) => Promise<void>;
  readonly size: Size;
  readonly activate: () => Promise<unknown>;
  /** Undoes the changes of a test and leaves its page. @returns false if the tab cannot be reused */
  readonly empty: () => Promise<boolean>;
  readonly close: () => void;
};

export const newVisit = (): Visit => ({ requests: [], uncaught: [], consoleLines: [] });

/** Rejects calls that only Chromium supports. */
export function createUnsupported(browser: string) {
  const reject = async (): Promise<never> => {
    throw new Error(`the adapter for ${browser} does not support this`);
  };
  return reject;
}

/** An async function that evaluates an expression, and returns its value as JSON. */
export const asJson = (expression: string) => `(async () => JSON.stringify(await (${expression}\n)))()`;

let emptyPages: ReturnType<typeof Bun.serve> | undefined;

/** Returns the URL of an empty page on `localhost`, the host of most tests. */
export function emptyPage(): string {
  emptyPages ??= Bun.serve({
    port: 0,
    fetch: () => new Response('<title>empty</title>', { headers: { 'content-type': 'text/html' } }),
  });
  emptyPages.unref();
  return `http://localhost:${emptyPages.port}/`;
}
