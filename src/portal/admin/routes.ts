import { ALWAYS, BACKGROUND, DESTRUCTIVE, type Route, route, SENSITIVE } from '../kit/route.ts';
import { setPlan, showPlans } from './planList.tsx';
import { showSystem, switchMaintenance } from './system.tsx';
import { showSettings } from './systemSettings.tsx';
import { INSTALLATION_DASHBOARD, UNASSIGNED_STATISTICS } from './systemStatistics.tsx';
import {
  choosePlan,
  disableUser,
  enableUser,
  endUserSessions,
  makeAdmin,
  makePasswordLink,
  resetTwoFactor,
  showUser,
  unmakeAdmin,
} from './userDetails.tsx';
import { createUser, endAllSessions, showNewUser, showUsers } from './userList.tsx';

/** The pages about the installation and its users, for administrators. */
// biome-ignore format: a table reads best with a row on a line
export const ADMIN_ROUTES: readonly Route[] = [
  route('GET', '/portal/system/statistics', 'admin', INSTALLATION_DASHBOARD.show),
  route('GET', '/portal/system/statistics.csv', 'admin', INSTALLATION_DASHBOARD.csv),
  route('GET', '/portal/system/statistics.json', 'admin', INSTALLATION_DASHBOARD.json),
  route('GET', '/portal/system/statistics/live', 'admin', INSTALLATION_DASHBOARD.live, BACKGROUND),
  route('GET', '/portal/system/statistics/without-property', 'admin', UNASSIGNED_STATISTICS.show),
  route('GET', '/portal/system/statistics/without-property.csv', 'admin', UNASSIGNED_STATISTICS.csv),
  route('GET', '/portal/system/statistics/without-property.json', 'admin', UNASSIGNED_STATISTICS.json),
  route('GET', '/portal/system/statistics/without-property/live', 'admin', UNASSIGNED_STATISTICS.live, BACKGROUND),
  route('GET', '/portal/system', 'admin', showSystem),
  route('POST', '/portal/system/maintenance', 'admin', switchMaintenance, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('GET', '/portal/system/settings', 'admin', showSettings),
  route('GET', '/portal/system/plans', 'admin', showPlans),
  route('POST', '/portal/system/plans', 'admin', setPlan),
  route('GET', '/portal/system/users', 'admin', showUsers),
  route('GET', '/portal/system/users/new', 'admin', showNewUser, SENSITIVE),
  route('POST', '/portal/system/users/new', 'admin', createUser, SENSITIVE),
  route('POST', '/portal/system/users/end-sessions', 'admin', endAllSessions, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('GET', '/portal/system/users/:user', 'user', showUser),
  route('POST', '/portal/system/users/:user/plan', 'user', choosePlan),
  route('POST', '/portal/system/users/:user/password-link', 'user', makePasswordLink, SENSITIVE),
  route('POST', '/portal/system/users/:user/end-sessions', 'user', endUserSessions, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('POST', '/portal/system/users/:user/reset-two-factor', 'user', resetTwoFactor, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/system/users/:user/make-admin', 'user', makeAdmin, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/system/users/:user/unmake-admin', 'user', unmakeAdmin, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/system/users/:user/disable', 'user', disableUser, { ...SENSITIVE, ...ALWAYS, ...DESTRUCTIVE }),
  route('POST', '/portal/system/users/:user/enable', 'user', enableUser),
];
