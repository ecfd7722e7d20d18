import type { Problem } from '../../../model/problems.ts';
import type { RuleError } from '../../../model/rules/rule.ts';
import { pathOfError } from '../../../model/rules/ruleDocument.ts';
import type { FieldError, FieldErrors } from '../components/field.tsx';
import { t } from '../i18n/t.ts';
import { errorOf } from '../kit/messages.ts';
import { accessLost } from '../kit/responses.tsx';
import type { TypedRule } from './ruleFormData.ts';
import type { RulePlace } from './rulePlace.tsx';

/** The response if the user lost access between the guard and the use case. */
export function ruleAccessLost({ visit }: RulePlace, problem: Problem): Response {
  return accessLost(visit, problem);
}

type Rejection = { readonly problem: Problem; readonly errors?: readonly RuleError[] };

/** The errors of a form with one rule, at its fields and with their positions. */
export function formErrorsOf({ problem, errors }: Rejection, typed: TypedRule): FieldErrors {
  return errors === undefined ? [errorOf(problem)] : errors.map((error) => formErrorOf(error, typed));
}

function formErrorOf({ problem, member, entry, offset }: RuleError, typed: TypedRule): FieldError {
  if (problem === 'conditions-missing') return { field: 'networks', text: t('rules.errors.conditions') };
  const sentence = t(`rules.problems.${problem}`);
  if (member === undefined || !(member in typed)) return { text: sentence };
  const isShort = member === 'name' || member === 'action' || member === 'levels' || member === 'level';
  if (isShort) return { field: member, text: sentence };
  if (offset !== undefined) {
    const before = typed[member as keyof TypedRule].slice(0, offset).split('\n');
    const position = { line: before.length, character: (before.at(-1)?.length ?? 0) + 1 };
    return { field: member, text: t('rules.errors.atLine', { ...position, problem: sentence }) };
  }
  if (entry === undefined) return { field: member, text: sentence };
  return { field: member, text: t('rules.errors.atEntry', { entry: entry + 1, problem: sentence }) };
}

/** The errors of a list as JSON, with their paths. */
export function listErrorsOf({ problem, errors }: Rejection, field: string): FieldErrors {
  if (errors === undefined) return [errorOf(problem, field)];
  return errors.map((error) => {
    const path = pathOfError(error);
    const sentence = t(`rules.problems.${error.problem}`);
    if (path === '') return { field, text: sentence };
    if (error.offset === undefined)
      return { field, text: t('rules.errors.atPath', { path, problem: sentence }) };
    const character = error.offset + 1;
    return { field, text: t('rules.errors.atCharacter', { path, character, problem: sentence }) };
  });
}
