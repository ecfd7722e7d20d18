import { type FlatTexts, originalOf, type Translations } from '../texts.ts';

/**
 * A record states which English text each translation translates. It has one line for each text: its key, and the hashes of the
 * texts in the languages of the first line; `-` if the language lacks the text (plural forms).
 */

/** The hashes of one text, by language. */
type Row = Readonly<Record<string, string>>;

const FIRST = 'text';
const NONE = '-';

/** A record and its differences from the texts. */
export type Update = {
  readonly record: string;
  /** Texts whose English changed, with the languages whose translation did not. Their lines stay as they are. */
  readonly outdated: readonly string[];
};

/**
 * Updates a record. New texts and changed translations are added.
 *
 * @param record may contain both sides of a merge conflict
 * @param isConfirmed whether a translator confirmed that unchanged translations of a text are still right
 */
export function updateRecord(
  { english, others }: Translations,
  record: string,
  isConfirmed: (key: string) => boolean = () => false,
): Update {
  const stored = parse(record);
  const keys = new Set([english, ...Object.values(others)].flatMap((texts) => [...texts.keys()]));
  const outdated: string[] = [];
  const lines = [...keys].toSorted().flatMap((key) => {
    const row = {
      en: hashOf(originalOf(english, key)),
      ...Object.fromEntries(Object.entries(others).map(([tag, texts]) => [tag, hashIn(texts, key)])),
    };
    const before = stored.get(key) ?? [];
    const unchanged = before.some(({ en }) => en === row.en) ? [] : unchangedLanguages(row, before);
    if (unchanged.length === 0 || isConfirmed(key)) return [lineOf(key, row)];
    outdated.push(`${key}: ${unchanged.join(', ')}`);
    return before.map((old) => lineOf(key, { ...row, ...old }));
  });
  return { record: `${[lineOf(FIRST, headOf(others)), ...lines].join('\n')}\n`, outdated };
}

function parse(record: string): ReadonlyMap<string, readonly Row[]> {
  const [head = '', ...lines] = record.split('\n').filter((line) => !/^(<<<<<<<|=======|>>>>>>>)/.test(line));
  const columns = head.split(' ').slice(1);
  const rows = Map.groupBy(lines, (line) => line.slice(0, line.indexOf(' ')));
  return new Map(
    [...rows].map(([key, ofKey]) => [
      key,
      ofKey.map((line) =>
        Object.fromEntries(
          line
            .split(' ')
            .slice(1)
            .map((hash, at) => [columns[at], hash]),
        ),
      ),
    ]),
  );
}

function unchangedLanguages(row: Row, before: readonly Row[]): readonly string[] {
  return Object.keys(row).filter(
    (tag) => tag !== 'en' && row[tag] !== NONE && before.some((old) => old[tag] === row[tag]),
  );
}

function headOf(others: Translations['others']): Row {
  return Object.fromEntries(['en', ...Object.keys(others)].map((tag) => [tag, tag]));
}

const lineOf = (key: string, row: Row) => [key, ...Object.values(row)].join(' ');

const hashIn = (texts: FlatTexts, key: string) => (texts.has(key) ? hashOf(texts.get(key) ?? '') : NONE);

/** Detects changes; it need not resist attacks. */
const hashOf = (text: string) => Bun.hash.crc32(text).toString(36).padStart(7, '0');
