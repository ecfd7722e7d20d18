import type { Catalog } from './catalog.ts';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import { es } from './es/index.ts';
import { fr } from './fr/index.ts';
import { ja } from './ja/index.ts';
import type { Language } from './languages.ts';
import { pt } from './pt/index.ts';

/** The texts of the pages in every language. */
export const CATALOGS: Readonly<Record<Language, Catalog>> = { en, de, fr, es, pt, ja };
