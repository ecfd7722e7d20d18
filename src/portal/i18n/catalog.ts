import type english from '../../../static/portal/en.json';
import { API_KEY_FIELDS } from '../../model/apiKeyFields.ts';
import { PLAN_FIELDS } from '../../model/plan.ts';
import { PROBLEMS, type Problem } from '../../model/problems.ts';
import { PROPERTY_FIELDS } from '../../model/propertyFields.ts';
import { RULE_PROBLEMS, type RuleProblem } from '../../model/rules/rule.ts';
import { LANGUAGES, type Language } from './languages.ts';

/** The texts of all pages in one language. */
export type Catalog = typeof english & SharedTexts;

/** The texts of the API. The model has them in English, and the files of the other languages translate them. */
type SharedTexts = {
  readonly fields: {
    readonly apiKey: FieldTexts<typeof API_KEY_FIELDS>;
    readonly plan: FieldTexts<typeof PLAN_FIELDS>;
    readonly property: FieldTexts<typeof PROPERTY_FIELDS>;
  };
  readonly problems: Readonly<Record<Problem, string>>;
  readonly rules: { readonly problems: Readonly<Record<RuleProblem, string>> };
};

type FieldText = { readonly label: string; readonly help: string };
type FieldTexts<Fields> = { readonly [Key in keyof Fields & string]: FieldText };

/** Reads the texts in a language from its file. A test compares the files with the English catalog. */
export function catalogOf(language: Language): Catalog {
  const texts = LANGUAGES[language].texts();
  return language === 'en' ? withSharedTexts(texts as typeof english) : (texts as Catalog);
}

function withSharedTexts(texts: typeof english): Catalog {
  const sentences = Object.entries(PROBLEMS).map(([problem, { sentence }]) => [problem, sentence]);
  return {
    ...texts,
    fields: {
      apiKey: textsOf(API_KEY_FIELDS),
      plan: textsOf(PLAN_FIELDS),
      property: textsOf(PROPERTY_FIELDS),
    },
    problems: { ...Object.fromEntries(sentences), ...texts.problems },
    rules: { ...texts.rules, problems: RULE_PROBLEMS },
  };
}

function textsOf<F extends Readonly<Record<string, FieldText>>>(fields: F): FieldTexts<F> {
  const texts = Object.entries(fields).map(([key, { label, help }]) => [key, { label, help }]);
  return Object.fromEntries(texts);
}
