import { BACKGROUND, type Route, route } from '../kit/route.ts';
import { showTraffic, updateTraffic } from './traffic.tsx';

/** The pages of recent requests. */
export const TRAFFIC_ROUTES: readonly Route[] = [
  route('GET', '/portal/orgs/:org/traffic', 'organization', showTraffic),
  route('GET', '/portal/orgs/:org/traffic/live', 'organization', updateTraffic, BACKGROUND),
  route('GET', '/portal/orgs/:org/properties/:property/traffic', 'property', showTraffic),
  route('GET', '/portal/orgs/:org/properties/:property/traffic/live', 'property', updateTraffic, BACKGROUND),
];
