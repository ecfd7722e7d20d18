import { AsyncLocalStorage } from 'node:async_hooks';
import type { PublicPages } from '../../http/publicPage.tsx';
import type { Instant } from '../../lib/time.ts';
import type { Language } from './languages.ts';

/** What the texts and the navigation of a page depend on. It is ambient, so that components need no additional argument. */
export type PageContext = {
  readonly language: Language;
  /** The time of the request, for relative times. */
  readonly now: Instant;
  /** The time zone of all times and days on the page: `UTC`, or a name of the IANA database. */
  readonly timeZone: string;
  /** The time zone of the user's other pages. */
  readonly ownTimeZone: string;
  /** The user's choice of the time zone: the browser's, if it is known, or UTC. */
  readonly zoneChoice: 'browser' | 'utc';
  /** The other pages of this server, to which the navigation links. */
  readonly publicPages: PublicPages;
  readonly facts: ServerFacts;
};

/** Settings that decide which sentences are true. */
export type ServerFacts = {
  /** Whether the domain of a property must resolve. */
  readonly checksDns: boolean;
  /** Number of days for which audit log entries are retained. */
  readonly auditDays: number;
  /** Whether every start of the server prints the same setup link, as all nodes do that share a database. */
  readonly keepsSetupLink: boolean;
};

const OUTSIDE = {
  language: 'en',
  timeZone: 'UTC',
  ownTimeZone: 'UTC',
  zoneChoice: 'browser',
  publicPages: { hasDemo: false, hasSwagger: false },
  facts: { checksDns: true, auditDays: 365, keepsSetupLink: false },
} as const;

const CONTEXTS = new AsyncLocalStorage<PageContext>();

/** Runs a function, and everything that it starts, with a context. */
export function withPageContext<T>(context: PageContext, run: () => T): T {
  return CONTEXTS.run(context, run);
}

/** @returns the context of the current request; English, UTC, and the system's time outside a request */
export function pageContext(): PageContext {
  return CONTEXTS.getStore() ?? { ...OUTSIDE, now: Date.now() as Instant };
}

/**
 * A value for each language, created on its first use: formats of `Intl`, which are expensive to create.
 *
 * @returns a function that returns the value for the language of the current request
 */
export function perLanguage<T>(create: (language: Language) => T): () => T {
  const values = new Map<Language, T>();
  return () => {
    const { language } = pageContext();
    const known = values.get(language);
    if (known !== undefined) return known;
    const value = create(language);
    values.set(language, value);
    return value;
  };
}
