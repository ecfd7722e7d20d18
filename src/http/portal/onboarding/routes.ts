import { ALWAYS, publicRoute, type Route, route, SENSITIVE } from '../kit/routeTable.ts';
import { openLink } from '../kit/secretLink.tsx';
import {
  chooseFirstProperty,
  createFirstProperty,
  makeFirstKey,
  showFirstProperty,
  showFirstSteps,
  tellFirstState,
} from './firstProperty.tsx';
import { completeSetup, showSetup } from './setup.tsx';

/** First steps: the setup, and the first property. */
// biome-ignore format: a table reads best with a row on a line
export const ONBOARDING_ROUTES: readonly Route[] = [
  publicRoute('GET', '/portal/setup', showSetup),
  publicRoute('POST', '/portal/setup', completeSetup),
  publicRoute('POST', '/portal/setup/open', openLink('setup'), ALWAYS),
  route('GET', '/portal/first-site', 'session', chooseFirstProperty),
  route('GET', '/portal/orgs/:org/first-site', 'organization', showFirstProperty),
  route('POST', '/portal/orgs/:org/first-site', 'organization', createFirstProperty),
  route('GET', '/portal/orgs/:org/first-site/:property', 'property', showFirstSteps),
  route('POST', '/portal/orgs/:org/first-site/:property/key', 'property', makeFirstKey, SENSITIVE),
  route('GET', '/portal/orgs/:org/first-site/:property/state', 'property', tellFirstState),
];
