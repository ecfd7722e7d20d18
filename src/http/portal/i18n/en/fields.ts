import { API_KEY_FIELDS } from '../../../../model/apiKeyFields.ts';
import { PLAN_FIELDS } from '../../../../model/plan.ts';
import { PROPERTY_FIELDS } from '../../../../model/propertyFields.ts';

type Texts = { readonly label: string; readonly help: string };

function textsOf<F extends Readonly<Record<string, Texts>>>(group: F) {
  const texts = Object.entries(group).map(([key, { label, help }]) => [key, { label, help }]);
  return Object.fromEntries(texts) as { readonly [Key in keyof F & string]: Texts };
}

/** The labels and the help texts of the fields in the model. */
export const fields = {
  apiKey: textsOf(API_KEY_FIELDS),
  plan: textsOf(PLAN_FIELDS),
  property: textsOf(PROPERTY_FIELDS),
} as const;
