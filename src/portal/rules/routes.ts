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

const OF_PROPERTY = '/portal/orgs/:org/properties/:property/rules';
const OF_INSTALLATION = '/portal/system/rules';

/** The pages of the rules of a property. */
// biome-ignore format: a table reads best with a row on a line
const PROPERTY_RULES: readonly Route[] = [
  route('GET', OF_PROPERTY, 'property', (visit, deps) => showRules(placeOfProperty(visit), deps)),
  route('POST', `${OF_PROPERTY}/change`, 'property', (visit, deps) => changeRuleState(placeOfProperty(visit), deps)),
  route('GET', `${OF_PROPERTY}/new`, 'property', (visit, deps) => showNewRule(placeOfProperty(visit), deps)),
  route('POST', `${OF_PROPERTY}/new`, 'property', (visit, deps) => createRule(placeOfProperty(visit), deps), WITH_FILE),
  route('GET', `${OF_PROPERTY}/test`, 'property', (visit, deps) => showTester(placeOfProperty(visit), deps)),
  route('POST', `${OF_PROPERTY}/test`, 'property', (visit, deps) => testRequest(placeOfProperty(visit), deps), WITH_FILE),
  route('GET', `${OF_PROPERTY}/json`, 'property', (visit, deps) => showRuleFile(placeOfProperty(visit), deps)),
  route('POST', `${OF_PROPERTY}/json`, 'property', (visit, deps) => replaceRules(placeOfProperty(visit), deps), { ...WITH_FILE, ...DESTRUCTIVE }),
  route('GET', `${OF_PROPERTY}/rules.json`, 'property', (visit, deps) => downloadRules(placeOfProperty(visit), deps)),
  route('GET', `${OF_PROPERTY}/:rule`, 'rule', (visit, deps) => showRule(placeOfProperty(visit), visit.named, deps)),
  route('POST', `${OF_PROPERTY}/:rule`, 'rule', (visit, deps) => changeRule(placeOfProperty(visit), visit.named, deps), WITH_FILE),
  route('POST', `${OF_PROPERTY}/:rule/delete`, 'rule', (visit, deps) => deleteRule(placeOfProperty(visit), visit.named, deps), DESTRUCTIVE),
];

/** The pages of the rules of the installation. */
// biome-ignore format: a table reads best with a row on a line
const INSTALLATION_RULES: readonly Route[] = [
  route('GET', OF_INSTALLATION, 'admin', (visit, deps) => showRules(placeOfInstallation(visit), deps)),
  route('POST', `${OF_INSTALLATION}/change`, 'admin', (visit, deps) => changeRuleState(placeOfInstallation(visit), deps)),
  route('GET', `${OF_INSTALLATION}/new`, 'admin', (visit, deps) => showNewRule(placeOfInstallation(visit), deps)),
  route('POST', `${OF_INSTALLATION}/new`, 'admin', (visit, deps) => createRule(placeOfInstallation(visit), deps), WITH_FILE),
  route('GET', `${OF_INSTALLATION}/test`, 'admin', (visit, deps) => showTester(placeOfInstallation(visit), deps)),
  route('POST', `${OF_INSTALLATION}/test`, 'admin', (visit, deps) => testRequest(placeOfInstallation(visit), deps), WITH_FILE),
  route('GET', `${OF_INSTALLATION}/json`, 'admin', (visit, deps) => showRuleFile(placeOfInstallation(visit), deps)),
  route('POST', `${OF_INSTALLATION}/json`, 'admin', (visit, deps) => replaceRules(placeOfInstallation(visit), deps), { ...WITH_FILE, ...DESTRUCTIVE }),
  route('GET', `${OF_INSTALLATION}/rules.json`, 'admin', (visit, deps) => downloadRules(placeOfInstallation(visit), deps)),
  route('GET', `${OF_INSTALLATION}/:systemRule`, 'systemRule', (visit, deps) => showRule(placeOfInstallation(visit), visit.named, deps)),
  route('POST', `${OF_INSTALLATION}/:systemRule`, 'systemRule', (visit, deps) => changeRule(placeOfInstallation(visit), visit.named, deps), WITH_FILE),
  route('POST', `${OF_INSTALLATION}/:systemRule/delete`, 'systemRule', (visit, deps) => deleteRule(placeOfInstallation(visit), visit.named, deps), DESTRUCTIVE),
];

/** The pages of rules. */
export const RULE_ROUTES: readonly Route[] = [...PROPERTY_RULES, ...INSTALLATION_RULES];
