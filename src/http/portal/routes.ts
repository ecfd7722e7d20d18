import { exportAudit, showAudit } from './audit.ts';
import { giveCode, showCode } from './code.ts';
import { confirm, showConfirm } from './confirm.ts';
import { downloadDashboard, showDashboard } from './dashboard.ts';
import {
  chooseFirstSite,
  createFirstSite,
  makeFirstKey,
  showFirstSite,
  showFirstSteps,
  tellFirstState,
} from './firstSite.ts';
import { createOrganization, leadHome, showHome } from './home.ts';
import { showIntegration } from './integration.ts';
import {
  acceptInvitation,
  createInvitedAccount,
  showInvitation,
  signOutForInvitation,
} from './invitation.ts';
import { invite, showInvite } from './invite.ts';
import { changeKey, revokeKey, rotateKey, showKey } from './key.ts';
import { createKey, showNewKey } from './keyNew.ts';
import { showKeys } from './keys.ts';
import { openLink } from './link.ts';
import { logIn, showLogin } from './login.ts';
import { logOut } from './logout.ts';
import { removeMember, showRemoveMember, showTransfer, transferOrganization } from './memberChanges.ts';
import { showMembers, withdrawInvitation } from './members.ts';
import { createSite, showNewSite } from './newSite.ts';
import {
  deleteOrganization,
  leaveOrganization,
  showDeleteOrganization,
  showLeave,
} from './organizationEnds.ts';
import { renameOrganization, showOrganizationSettings } from './organizationSettings.ts';
import { changePassword, showPassword } from './password.ts';
import { choosePassword, showChoosePassword } from './passwordLink.ts';
import { setPlan, showPlans } from './plans.ts';
import { givePlaygroundPuzzle, showPlayground } from './playground.ts';
import { changeProfile, showProfile } from './profile.ts';
import { switchProperty } from './propertyState.ts';
import { type Route, route } from './route.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  renewRecoveryCodes,
  showSecondFactor,
} from './secondFactor.ts';
import { endOtherSessions, endSession, showSecurity } from './security.ts';
import { completeSetUp, showSetUp } from './setUp.ts';
import { deleteSite, showSiteDeletion } from './siteDeletion.ts';
import { changeSiteSettings, showSiteSettings } from './siteSettings.ts';
import { showSites } from './sites.ts';
import { showSettings, showSystem, switchMaintenance } from './system.ts';
import { downloadSystemStatistics, showSystemStatistics } from './systemStatistics.ts';
import { showTask } from './task.ts';
import { showTasks } from './tasks.ts';
import {
  choosePlan,
  disableUser,
  enableUser,
  endUserSessions,
  makeAdmin,
  makePasswordLink,
  resetSecondStep,
  showUser,
  unmakeAdmin,
} from './user.ts';
import { createUser, showNewUser } from './userNew.ts';
import { endAllSessions, showUsers } from './users.ts';

const SENSITIVE = { isSensitive: true };
/** Who cannot change anything can still come and go. */
const ALWAYS = { isAlwaysOpen: true };
/** Open to users who still have to set up two-factor authentication. */
const ENROLMENT = { isForEnrolment: true };

/**
 * Every page and every form of the portal: method, path, whom it is for, what answers. test/http/portal/routes.test.ts
 * attacks each of them.
 */
// biome-ignore format: a table reads best with a row on a line
export const PORTAL_ROUTES: readonly Route[] = [
  route('GET', '/portal/setup', 'public', showSetUp),
  route('POST', '/portal/setup', 'public', completeSetUp),
  route('POST', '/portal/setup/open', 'public', openLink('setup'), ALWAYS),
  route('GET', '/portal/login', 'public', showLogin),
  route('POST', '/portal/login', 'public', logIn, ALWAYS),
  route('GET', '/portal/login/code', 'public', showCode),
  route('POST', '/portal/login/code', 'public', giveCode, ALWAYS),
  route('POST', '/portal/logout', 'session', logOut, { ...ALWAYS, ...ENROLMENT }),
  route('GET', '/portal/confirm', 'session', showConfirm, ENROLMENT),
  route('POST', '/portal/confirm', 'session', confirm, { ...ALWAYS, ...ENROLMENT }),

  route('GET', '/portal', 'session', showHome),
  route('GET', '/portal/orgs', 'session', leadHome),
  route('POST', '/portal/orgs', 'session', createOrganization),
  route('GET', '/portal/orgs/:org/settings', 'session', showOrganizationSettings),
  route('POST', '/portal/orgs/:org/settings', 'session', renameOrganization),
  route('GET', '/portal/orgs/:org/delete', 'session', showDeleteOrganization, SENSITIVE),
  route('POST', '/portal/orgs/:org/delete', 'session', deleteOrganization, SENSITIVE),
  route('GET', '/portal/orgs/:org/leave', 'session', showLeave, SENSITIVE),
  route('POST', '/portal/orgs/:org/leave', 'session', leaveOrganization, SENSITIVE),
  route('GET', '/portal/orgs/:org/members', 'session', showMembers),
  route('GET', '/portal/orgs/:org/members/invite', 'session', showInvite, SENSITIVE),
  route('POST', '/portal/orgs/:org/members/invite', 'session', invite, SENSITIVE),
  route('GET', '/portal/orgs/:org/members/:member/remove', 'session', showRemoveMember, SENSITIVE),
  route('POST', '/portal/orgs/:org/members/:member/remove', 'session', removeMember, SENSITIVE),
  route('GET', '/portal/orgs/:org/members/:member/transfer', 'session', showTransfer, SENSITIVE),
  route('POST', '/portal/orgs/:org/members/:member/transfer', 'session', transferOrganization, SENSITIVE),
  route('POST', '/portal/orgs/:org/invitations/:invitation/withdraw', 'session', withdrawInvitation),
  route('GET', '/portal/invitation', 'public', showInvitation),
  route('POST', '/portal/invitation/open', 'public', openLink('invitation'), ALWAYS),
  route('POST', '/portal/invitation', 'public', acceptInvitation),
  route('POST', '/portal/invitation/account', 'public', createInvitedAccount),
  route('POST', '/portal/invitation/sign-out', 'public', signOutForInvitation, ALWAYS),

  route('GET', '/portal/first-site', 'session', chooseFirstSite),
  route('GET', '/portal/orgs/:org/first-site', 'session', showFirstSite),
  route('POST', '/portal/orgs/:org/first-site', 'session', createFirstSite),
  route('GET', '/portal/orgs/:org/first-site/:property', 'session', showFirstSteps),
  route('POST', '/portal/orgs/:org/first-site/:property/key', 'session', makeFirstKey, SENSITIVE),
  route('GET', '/portal/orgs/:org/first-site/:property/state', 'session', tellFirstState),
  route('GET', '/portal/orgs/:org', 'session', showSites),
  route('GET', '/portal/orgs/:org/new', 'session', showNewSite),
  route('POST', '/portal/orgs/:org/new', 'session', createSite),
  route('GET', '/portal/orgs/:org/properties/:property/settings', 'session', showSiteSettings),
  route('POST', '/portal/orgs/:org/properties/:property/settings', 'session', changeSiteSettings),
  route('POST', '/portal/orgs/:org/properties/:property/state', 'session', switchProperty),
  route('GET', '/portal/orgs/:org/properties/:property/delete', 'session', showSiteDeletion, SENSITIVE),
  route('POST', '/portal/orgs/:org/properties/:property/delete', 'session', deleteSite, SENSITIVE),
  route('GET', '/portal/orgs/:org/properties/:property/integration', 'session', showIntegration),
  route('GET', '/portal/orgs/:org/properties/:property/playground', 'session', showPlayground),
  route('GET', '/portal/playground/puzzle', 'public', givePlaygroundPuzzle),

  route('GET', '/portal/settings/profile', 'session', showProfile),
  route('POST', '/portal/settings/profile', 'session', changeProfile),
  route('GET', '/portal/settings/security', 'session', showSecurity),
  route('POST', '/portal/settings/security/sessions/end-others', 'session', endOtherSessions, { ...SENSITIVE, ...ALWAYS }),
  route('POST', '/portal/settings/security/sessions/:session/end', 'session', endSession, { ...SENSITIVE, ...ALWAYS }),
  route('GET', '/portal/settings/security/password', 'session', showPassword),
  route('POST', '/portal/settings/security/password', 'session', changePassword),
  route('GET', '/portal/settings/security/second-factor', 'session', showSecondFactor, ENROLMENT),
  route('POST', '/portal/settings/security/second-factor', 'session', confirmSecondFactor, { ...SENSITIVE, ...ENROLMENT }),
  route('POST', '/portal/settings/security/second-factor/begin', 'session', beginSecondFactor, { ...SENSITIVE, ...ENROLMENT }),
  route('POST', '/portal/settings/security/second-factor/recovery-codes', 'session', renewRecoveryCodes, SENSITIVE),
  route('POST', '/portal/settings/security/second-factor/disable', 'session', disableSecondFactor),

  route('GET', '/portal/orgs/:org/properties/:property', 'session', showDashboard),
  route('GET', '/portal/orgs/:org/properties/:property/statistics.csv', 'session', downloadDashboard),
  route('GET', '/portal/system/statistics', 'admin', showSystemStatistics),
  route('GET', '/portal/system/statistics.csv', 'admin', downloadSystemStatistics),
  route('GET', '/portal/settings/api-keys', 'session', showKeys),
  route('GET', '/portal/settings/api-keys/new', 'session', showNewKey, SENSITIVE),
  route('POST', '/portal/settings/api-keys/new', 'session', createKey, SENSITIVE),
  route('GET', '/portal/settings/api-keys/:key', 'session', showKey),
  route('POST', '/portal/settings/api-keys/:key', 'session', changeKey),
  route('POST', '/portal/settings/api-keys/:key/rotate', 'session', rotateKey, SENSITIVE),
  route('POST', '/portal/settings/api-keys/:key/revoke', 'session', revokeKey, { ...SENSITIVE, ...ALWAYS }),

  route('GET', '/portal/tasks', 'session', showTasks),
  route('GET', '/portal/tasks/:task', 'session', showTask),
  route('GET', '/portal/audit', 'session', showAudit),
  route('GET', '/portal/audit.csv', 'session', exportAudit),

  route('GET', '/portal/password', 'public', showChoosePassword),
  route('POST', '/portal/password/open', 'public', openLink('password'), ALWAYS),
  route('POST', '/portal/password', 'public', choosePassword),
  route('GET', '/portal/system', 'admin', showSystem),
  route('POST', '/portal/system/maintenance', 'admin', switchMaintenance, { ...SENSITIVE, ...ALWAYS }),
  route('GET', '/portal/system/settings', 'admin', showSettings),
  route('GET', '/portal/system/plans', 'admin', showPlans),
  route('POST', '/portal/system/plans', 'admin', setPlan),
  route('GET', '/portal/system/users', 'admin', showUsers),
  route('GET', '/portal/system/users/new', 'admin', showNewUser, SENSITIVE),
  route('POST', '/portal/system/users/new', 'admin', createUser, SENSITIVE),
  route('POST', '/portal/system/users/end-sessions', 'admin', endAllSessions, { ...SENSITIVE, ...ALWAYS }),
  route('GET', '/portal/system/users/:user', 'admin', showUser),
  route('POST', '/portal/system/users/:user/plan', 'admin', choosePlan),
  route('POST', '/portal/system/users/:user/password-link', 'admin', makePasswordLink, SENSITIVE),
  route('POST', '/portal/system/users/:user/end-sessions', 'admin', endUserSessions, { ...SENSITIVE, ...ALWAYS }),
  route('POST', '/portal/system/users/:user/reset-second-step', 'admin', resetSecondStep, SENSITIVE),
  route('POST', '/portal/system/users/:user/make-admin', 'admin', makeAdmin, SENSITIVE),
  route('POST', '/portal/system/users/:user/unmake-admin', 'admin', unmakeAdmin, SENSITIVE),
  route('POST', '/portal/system/users/:user/disable', 'admin', disableUser, { ...SENSITIVE, ...ALWAYS }),
  route('POST', '/portal/system/users/:user/enable', 'admin', enableUser),
];
