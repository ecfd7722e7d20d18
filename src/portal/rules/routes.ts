import { DESTRUCTIVE, type Route, route, WITH_FILE } from '../kit/route.ts';
import {
  changeRule,
  changeRuleState,
  createRule,
  deleteRule,
  showNewRule,
  showRule,
} from './ruleDetails.tsx';
import { downloadRules, replaceRules, showRuleFile } from './ruleFile.tsx';
import { showRules } from './ruleList.tsx';
import { placeOfInstallation, placeOfProperty } from './rulePlace.tsx';
import { showTester, testRequest } from './ruleTester.tsx';

/** The pages of a list of rules, by the rest of their paths. */
const LIST_PAGES = [
  ['GET', '', showRules, {}],
  ['POST', '/change', changeRuleState, {}],
  ['GET', '/new', showNewRule, {}],
  ['POST', '/new', createRule, WITH_FILE],
  ['GET', '/test', showTester, {}],
  ['POST', '/test', testRequest, WITH_FILE],
  ['GET', '/json', showRuleFile, {}],
  ['POST', '/json', replaceRules, { ...WITH_FILE, ...DESTRUCTIVE }],
  ['GET', '/rules.json', downloadRules, {}],
] as const;

/** The pages of one rule. */
const RULE_PAGES = [
  ['GET', '', showRule, {}],
  ['POST', '', changeRule, WITH_FILE],
  ['POST', '/delete', deleteRule, DESTRUCTIVE],
] as const;

const OF_PROPERTY = '/portal/orgs/:org/properties/:property/rules';
const OF_INSTALLATION = '/portal/system/rules';

/** The pages of the rules of a property, and of the installation. */
// biome-ignore format: a table reads best with a row on a line
export const RULE_ROUTES: readonly Route[] = [
  ...LIST_PAGES.map(([method, rest, handle, flags]) => route(method, `${OF_PROPERTY}${rest}`, 'property', (visit, deps) => handle(placeOfProperty(visit), deps), flags)),
  ...RULE_PAGES.map(([method, rest, handle, flags]) => route(method, `${OF_PROPERTY}/:rule${rest}`, 'rule', (visit, deps) => handle(placeOfProperty(visit), visit.named, deps), flags)),
  ...LIST_PAGES.map(([method, rest, handle, flags]) => route(method, `${OF_INSTALLATION}${rest}`, 'admin', (visit, deps) => handle(placeOfInstallation(visit), deps), flags)),
  ...RULE_PAGES.map(([method, rest, handle, flags]) => route(method, `${OF_INSTALLATION}/:systemRule${rest}`, 'systemRule', (visit, deps) => handle(placeOfInstallation(visit), visit.named, deps), flags)),
];
