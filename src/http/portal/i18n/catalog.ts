import type { en } from './en/index.ts';

/** The texts of all pages, in the structure of the English catalog. */
export type Catalog = Translated<typeof en>;

type Translated<Texts> = {
  readonly [Key in keyof Texts]: Texts[Key] extends string ? string : Translated<Texts[Key]>;
};
