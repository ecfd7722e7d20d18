import { type Route, route } from '../kit/route.ts';
import { chooseOrganization, NEW_PROPERTY_PATH, showHome } from './home.tsx';
import { showSearch } from './search.tsx';

export const HOME_ROUTES: readonly Route[] = [
  route('GET', '/portal', 'session', showHome),
  route('GET', '/portal/search', 'session', showSearch),
  route('GET', NEW_PROPERTY_PATH, 'session', chooseOrganization),
];
