import { describe, expect, test } from 'bun:test';
import { flat, type Translations } from '../texts.ts';
import { updateRecord } from './record.ts';
import { RECORDS } from './run.ts';

describe('the English texts have not changed since they were translated', () => {
  test.each(RECORDS)('in %s; if they have, run `npm run translations`', async (file, texts) => {
    const record = await Bun.file(file).text();
    const update = updateRecord(texts(), record);
    expect(update.outdated).toEqual([]);
    const lines = record.split('\n');
    expect(update.record.split('\n').filter((line) => !lines.includes(line))).toEqual([]);
    expect(record).toBe(update.record);
  });
});

function textsOf(en: object, de: object, fr: object): Translations {
  return { english: flat(en), others: { de: flat(de), fr: flat(fr) } };
}

describe('the record of translations', () => {
  const before = textsOf(
    { home: { title: 'Home' } },
    { home: { title: 'Start' } },
    { home: { title: 'Accueil' } },
  );
  const { record } = updateRecord(before, '');

  test('contains new texts', () => {
    expect(record).toMatch(/^text en de fr\nhome\.title \w{7} \w{7} \w{7}\n$/);
    expect(updateRecord(before, record)).toEqual({ record, outdated: [] });
  });

  const changed = textsOf(
    { home: { title: 'Start' } },
    { home: { title: 'Anfang' } },
    { home: { title: 'Accueil' } },
  );

  test('keeps the line of a changed English text until all translations have changed', () => {
    expect(updateRecord(changed, record)).toEqual({ record, outdated: ['home.title: fr'] });
    const translated = { ...changed, others: { ...changed.others, fr: flat({ home: { title: 'Début' } }) } };
    const update = updateRecord(translated, record);
    expect(update.outdated).toEqual([]);
    expect(update.record).not.toBe(record);
  });

  test('contains a changed English text as soon as a translator confirms its translations', () => {
    const update = updateRecord(changed, record, (key) => key === 'home.title');
    expect(update.outdated).toEqual([]);
    expect(updateRecord(changed, update.record)).toEqual({ record: update.record, outdated: [] });
  });

  test('contains a corrected translation, and no text that was removed', () => {
    const corrected = { ...before, others: { ...before.others, de: flat({ home: { title: 'Anfang' } }) } };
    expect(updateRecord(corrected, record).outdated).toEqual([]);
    expect(updateRecord(textsOf({}, {}, {}), record).record).toBe('text en de fr\n');
  });

  test('has hyphens for plural forms that a language lacks', () => {
    const plural = textsOf(
      { day_one: 'A day', day_other: 'Days' },
      { day_one: 'Tag', day_other: 'Tage' },
      {},
    );
    expect(updateRecord(plural, '').record).toMatch(/^day_one \w{7} \w{7} -$/m);
  });

  test('can be updated with the conflict of a merge', () => {
    const [head, line] = record.split('\n');
    const other = line?.replace(/ \w+ /, ' 0000000 ');
    const conflict = [head, '<<<<<<< HEAD', other, '=======', line, '>>>>>>> branch', ''].join('\n');
    expect(updateRecord(before, conflict)).toEqual({ record, outdated: [] });
  });
});
