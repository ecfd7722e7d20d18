import type { Catalog } from './catalog.ts';
import { en } from './en/index.ts';
import type { Language } from './languages.ts';

/** The texts of the pages in every language. */
export const CATALOGS: Readonly<Record<Language, Catalog>> = { en };
