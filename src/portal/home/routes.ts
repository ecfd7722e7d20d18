import { NEW_PROPERTY_PATH } from '../kit/paths.ts';
import { BACKGROUND, type Route, route } from '../kit/route.ts';
import { dismissChecklist } from './checklist.tsx';
import { findCommands } from './commands.ts';
import { chooseOrganization, showHome } from './home.tsx';
import { showSearch } from './search.tsx';

export const HOME_ROUTES: readonly Route[] = [
  route('GET', '/portal', 'session', showHome),
  route('GET', '/portal/search', 'session', showSearch),
  route('GET', '/portal/palette', 'session', findCommands, BACKGROUND),
  route('POST', '/portal/checklist/dismiss', 'session', dismissChecklist),
  route('GET', NEW_PROPERTY_PATH, 'session', chooseOrganization),
];
