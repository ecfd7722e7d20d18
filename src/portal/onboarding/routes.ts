import { ALWAYS, publicRoute, type Route, route, SENSITIVE } from '../kit/route.ts';
import { openLink } from '../kit/secretLink.tsx';
import {
  chooseFirstProperty,
  createFirstKey,
  createFirstProperty,
  getFirstPropertyState,
  showFirstProperty,
  showFirstSteps,
} from './firstProperty.tsx';
import { completeSetup, showSetup } from './setup.tsx';

/** The setup of the server and of the first property. */
// biome-ignore format: a table reads best with a row on a line
export const ONBOARDING_ROUTES: readonly Route[] = [
  publicRoute('GET', '/portal/setup', showSetup),
  publicRoute('POST', '/portal/setup', completeSetup),
  publicRoute('POST', '/portal/setup/open', openLink('setup'), ALWAYS),
  route('GET', '/portal/first-property', 'session', chooseFirstProperty),
  route('GET', '/portal/orgs/:org/first-property', 'organization', showFirstProperty),
  route('POST', '/portal/orgs/:org/first-property', 'organization', createFirstProperty),
  route('GET', '/portal/orgs/:org/first-property/:property', 'property', showFirstSteps),
  route('POST', '/portal/orgs/:org/first-property/:property/key', 'property', createFirstKey, SENSITIVE),
  route('GET', '/portal/orgs/:org/first-property/:property/state', 'property', getFirstPropertyState),
];
