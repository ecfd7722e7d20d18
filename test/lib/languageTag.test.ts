import { describe, expect, test } from 'bun:test';
import { widgetLanguages } from '../../build/bundle.ts';
import { languageFor } from '../../src/lib/languageTag.ts';

const TAGS = Object.keys(JSON.parse(widgetLanguages()));

describe('language lookup', () => {
  test.each([
    ['an exact match', 'de', 'de'],
    ['a match without the region', 'de-AT', 'de'],
    ['uppercase', 'DE', 'de'],
    ['European Portuguese', 'pt', 'pt'],
    ['Portuguese of Angola', 'pt-AO', 'pt'],
    ['Portuguese of Brazil', 'pt-br', 'pt-BR'],
    ['Chinese', 'zh', 'zh'],
    ['Chinese of Singapore', 'zh-SG', 'zh'],
    ['simplified Chinese of Hong Kong', 'zh-Hans-HK', 'zh'],
    ['traditional Chinese, by script and region', 'zh-Hant-TW', 'zh-Hant'],
    ['traditional Chinese, by region', 'zh-TW', 'zh-Hant'],
    ['traditional Chinese of Hong Kong', 'zh-HK', 'zh-Hant'],
    ['traditional Chinese of Macao', 'zh-MO', 'zh-Hant'],
    ['Serbian', 'sr-RS', 'sr'],
    ['Serbian in Cyrillic script', 'sr-Cyrl-RS', 'sr'],
    ['Serbian in Latin script', 'sr-Latn-RS', 'sr-Latn'],
    ['Norwegian', 'no', 'nb'],
    ['Nynorsk', 'nn-NO', 'nb'],
    ['the obsolete tag of Hebrew', 'iw', 'he'],
    ['the obsolete tag of Indonesian', 'in-ID', 'id'],
    ['an extension', 'fr-u-nu-latn', 'fr'],
    ['private use', 'fr-x-shop', 'fr'],
  ])('%s', (_, wanted, found) => {
    expect(languageFor(wanted, TAGS)).toBe(found);
  });

  test.each(['tlh', 'i-klingon', 'x-none', 'constructor', '__proto__', '', '-', '--', 'de_AT', '💥'])(
    '"%s" has no match',
    (wanted) => {
      expect(languageFor(wanted, TAGS)).toBeUndefined();
    },
  );
});
