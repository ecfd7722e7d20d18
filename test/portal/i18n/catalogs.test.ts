import { describe, expect, test } from 'bun:test';
import { basename, join } from 'node:path';
import ts from 'typescript';
import { catalogOf } from '../../../src/portal/i18n/catalog.ts';
import { LANGUAGES, type Language } from '../../../src/portal/i18n/languages.ts';
import { flat, originalOf, pluralOf } from './texts.ts';

const ROOT = join(import.meta.dir, '../../..');
const english = flat(catalogOf('en'));

/** The paths that a language must have: each plural has the forms of the language (CLDR). */
function expectedKeys(language: string): readonly string[] {
  const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  return [...english.keys()].flatMap((key) => {
    const plural = pluralOf(english, key);
    if (plural === undefined) return [key];
    return key.endsWith('_other') ? forms.map((form) => `${plural}_${form}`) : [];
  });
}

/** The names of values and elements in a text, sorted. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/\{\{\w+\}\}|<\/?\w+>/g)].map(([name]) => name).toSorted();
}

/** The number of words, without values and elements. */
function wordsOf(text: string): number {
  return text.replace(/\{\{\w+\}\}|<\/?\w+>/g, ' ').match(/\p{L}+/gu)?.length ?? 0;
}

test('each file in static/portal is a language, and each language has a file', () => {
  const files = [...new Bun.Glob('*.json').scanSync(join(ROOT, 'static/portal'))];
  const tags = files.map((file) => basename(file, '.json'));
  expect(Object.keys(LANGUAGES).toSorted()).toEqual(tags.toSorted());
});

/** Visible labels of controls, and their accessible names (`aria-label`). */
const LABELS = [
  ['account.security.sessions.end', 'account.security.sessions.endNamed'],
  ['admin.plans.change', 'admin.plans.changeNamed'],
  ['dashboard.download.csv', 'dashboard.download.csvLabel'],
  ['dashboard.download.json', 'dashboard.download.jsonLabel'],
  ['kit.help.link', 'kit.help.label'],
  ['organizations.invitations.withdraw', 'organizations.invitations.withdrawLabel'],
  ['organizations.members.remove', 'organizations.members.removeLabel'],
  ['organizations.members.transfer', 'organizations.members.transferLabel'],
  ['rules.startDryRun', 'rules.startDryRunNamed'],
] as const;

describe.each(Object.keys(LANGUAGES) as Language[])('the catalog %s', (language) => {
  const texts = flat(catalogOf(language));

  test('has every text in the plural forms of the language, and no other', () => {
    expect([...texts.keys()].toSorted()).toEqual(expectedKeys(language).toSorted());
  });

  test('has no empty text', () => {
    expect([...texts].filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test('closes every element that it opens', () => {
    const unbalanced = [...texts].filter(([, text]) =>
      /<\/?\w+>/.test(text.replace(/<(\w+)>[^<]*<\/\1>/g, '')),
    );
    expect(unbalanced).toEqual([]);
  });

  test('has the values and the elements of the English texts', () => {
    const different = [...texts].filter(([key, text]) => {
      // `one` can leave the number out.
      const isSingular = pluralOf(english, key) !== undefined && key.endsWith('_one');
      const compared = (names: readonly string[]) =>
        isSingular ? names.filter((name) => name !== '{{count}}') : names;
      return !Bun.deepEquals(compared(namesIn(text)), compared(namesIn(originalOf(english, key))));
    });
    expect(different).toEqual([]);
  });

  // WCAG 2.2, success criterion 2.5.3: users of speech input say the visible label.
  test.each(LABELS)('has the label %s in the accessible name %s', (label, name) => {
    expect(texts.get(name)).toContain(texts.get(label) ?? 'no such text');
  });

  test('translates every sentence', () => {
    const same = [...texts].filter(([key, text]) => text === originalOf(english, key) && wordsOf(text) > 3);
    expect(language === 'en' ? [] : same).toEqual([]);
  });
});

/** A call of `t` or `rich`: the names of the texts that it can show, and of the values and elements that it passes. */
type Call = {
  readonly place: string;
  readonly isRich: boolean;
  readonly keys: readonly string[];
  readonly passed: readonly string[];
};

/** All calls in the portal. The compiler determines the names, even of texts whose name is not a literal. */
function callsInPortal(): readonly Call[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const files = [...new Bun.Glob('src/portal/**/*.{ts,tsx}').scanSync({ cwd: ROOT, absolute: true })];
  // The names do not depend on packages, whose types are large.
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost(options),
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) =>
        text.startsWith('.')
          ? ts.resolveModuleName(text, from, options, host)
          : { resolvedModule: undefined },
      ),
  };
  const program = ts.createProgram([...files, join(ROOT, 'src/embed.d.ts')], { ...options, types: [] }, host);
  const checker = program.getTypeChecker();
  const calls: Call[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(t|rich)$/.test(node.expression.getText())) {
      const [key, values, count] = node.arguments;
      const type = checker.getTypeAtLocation(key as ts.Expression);
      const types = type.isUnion() ? type.types : [type];
      const names = values === undefined ? [] : checker.getTypeAtLocation(values).getProperties();
      const { line } = ts.getLineAndCharacterOfPosition(node.getSourceFile(), node.getStart());
      calls.push({
        isRich: node.expression.getText() === 'rich',
        place: `${basename(node.getSourceFile().fileName)}:${line + 1}`,
        keys: types.map((one) => (one.isStringLiteral() ? one.value : checker.typeToString(one))),
        passed: [...names.map(({ name }) => name), ...(count === undefined ? [] : ['count'])],
      });
    }
    ts.forEachChild(node, visit);
  };
  for (const file of files) {
    const source = program.getSourceFile(file);
    if (source !== undefined && !file.includes('/i18n/')) visit(source);
  }
  return calls;
}

/** The names that a text needs. A plural needs `count`, and `rich` itself has the elements `strong` and `code`. */
function neededBy(key: string, isRich: boolean): readonly string[] {
  const isPlural = english.has(`${key}_other`);
  const text = english.get(isPlural ? `${key}_other` : key) ?? '{{unknown}}';
  const needed = namesIn(isRich ? text.replace(/<\/?(?:strong|code)>/g, '') : text);
  const names = needed.map((name) => name.replace(/\W/g, ''));
  return [...new Set([...names, ...(isPlural ? ['count'] : [])])];
}

test('each call of t and rich passes the values and elements that its texts contain', () => {
  const calls = callsInPortal();
  expect(calls.length).toBeGreaterThan(500);
  const incomplete = calls.flatMap(({ place, isRich, keys, passed }) => {
    const needed = keys.flatMap((key) => neededBy(key, isRich));
    const missing = needed.filter((name) => !passed.includes(name));
    return missing.length === 0 ? [] : [{ place, missing }];
  });
  expect(incomplete).toEqual([]);
});
