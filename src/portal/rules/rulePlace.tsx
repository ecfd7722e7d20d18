import type { Challenge } from '../../model/propertyFields.ts';
import type { RuleScope } from '../../model/rules/rule.ts';
import type { CountedRule } from '../../platform/rules/rules.ts';
import { t } from '../i18n/t.tsx';
import { Head } from '../kit/assets.tsx';
import type { PropertyVisit, SignedInVisit } from '../kit/handler.ts';
import { propertyPage, systemPage, type TabPage } from '../kit/pages.tsx';
import { SYSTEM_PATH } from '../kit/paths.ts';

/** A list of rules in the portal: that of a property, or that of the installation. Their pages are the same. */
export type RulePlace = {
  readonly visit: SignedInVisit;
  readonly scope: RuleScope;
  /** The kind of puzzles of the property; BLAKE2b for the installation, whose properties have different kinds. */
  readonly challenge: Challenge;
  /** The path of the list. */
  readonly path: string;
  /** A page of the list; the default title is that of the list. */
  readonly show: (contents: TabPage) => Response;
};

/** The rules of the property that the path names. */
export function placeOfProperty(visit: PropertyVisit): RulePlace {
  return {
    visit,
    scope: visit.property.id,
    challenge: visit.property.challenge,
    path: `${visit.propertyPath}/rules`,
    show: (contents) => propertyPage(visit, '/rules', { head: <Head of="rules" />, ...contents }),
  };
}

/** The rules of the installation. */
export function placeOfInstallation(visit: SignedInVisit): RulePlace {
  const path = `${SYSTEM_PATH}/rules`;
  return {
    visit,
    scope: 'installation',
    challenge: 'blake2b',
    path,
    show(contents) {
      const above = [[SYSTEM_PATH, t('admin.system')] as const, [path, t('rules.title')] as const];
      const breadcrumbs = contents.title === undefined ? [] : above;
      return systemPage(visit, '/rules', { breadcrumbs, head: <Head of="rules" />, ...contents });
    },
  };
}

/** The path of the page of a rule. */
export function rulePath({ path }: Pick<RulePlace, 'path'>, { id }: Pick<CountedRule, 'id'>): string {
  return `${path}/${id}`;
}
