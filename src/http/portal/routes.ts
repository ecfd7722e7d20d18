import { logIn, showLogin } from './account/login.tsx';
import { giveCode, showCode } from './account/loginCode.tsx';
import { logOut } from './account/logout.ts';
import { changePassword, showPassword } from './account/passwordChange.tsx';
import { confirm, showConfirm } from './account/passwordConfirm.tsx';
import { choosePassword, showChoosePassword } from './account/passwordLink.tsx';
import { changeProfile, showProfile } from './account/profile.tsx';
import { endOtherSessions, endSession, showSecurity } from './account/security.tsx';
import {
  beginSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  renewRecoveryCodes,
  showSecondFactor,
} from './account/twoFactor.tsx';
import { exportAudit, showAudit } from './activity/auditLog.tsx';
import { showTask } from './activity/taskDetails.tsx';
import { showTasks } from './activity/taskList.tsx';
import { setPlan, showPlans } from './admin/planList.tsx';
import { showSettings, showSystem, switchMaintenance } from './admin/system.tsx';
import { downloadSystemStatistics, showSystemStatistics } from './admin/systemStatistics.tsx';
import { createUser, showNewUser } from './admin/userCreate.tsx';
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
} from './admin/userDetails.tsx';
import { endAllSessions, showUsers } from './admin/userList.tsx';
import { createKey, showNewKey } from './apiKeys/keyCreate.tsx';
import { changeKey, revokeKey, rotateKey, showKey } from './apiKeys/keyDetails.tsx';
import { showKeys } from './apiKeys/keyList.tsx';
import { type Route, route } from './kit/route.ts';
import { openLink } from './kit/secretLink.tsx';
import {
  chooseFirstProperty,
  createFirstProperty,
  makeFirstKey,
  showFirstProperty,
  showFirstSteps,
  tellFirstState,
} from './onboarding/firstProperty.tsx';
import { completeSetup, showSetup } from './onboarding/setup.tsx';
import {
  acceptInvitation,
  createInvitedAccount,
  showInvitation,
  signOutForInvitation,
} from './organizations/invitationAccept.tsx';
import { invite, showInvite } from './organizations/invitationCreate.tsx';
import {
  removeMember,
  showRemoveMember,
  showTransfer,
  transferOrganization,
} from './organizations/memberChange.tsx';
import { showMembers, withdrawInvitation } from './organizations/memberList.tsx';
import {
  deleteOrganization,
  leaveOrganization,
  showDeleteOrganization,
  showLeave,
} from './organizations/organizationDelete.tsx';
import { createOrganization, leadHome, showHome } from './organizations/organizationList.tsx';
import { renameOrganization, showOrganizationSettings } from './organizations/organizationSettings.tsx';
import { givePlaygroundPuzzle, showPlayground } from './properties/playground.tsx';
import { createProperty, showNewProperty } from './properties/propertyCreate.tsx';
import { downloadDashboard, showDashboard } from './properties/propertyDashboard.tsx';
import { deleteProperty, showPropertyDeletion } from './properties/propertyDelete.tsx';
import { showIntegration } from './properties/propertyIntegration.tsx';
import { showProperties } from './properties/propertyList.tsx';
import { changePropertySettings, showPropertySettings } from './properties/propertySettings.tsx';
import { switchProperty } from './properties/propertyState.tsx';

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
  route('GET', '/portal/setup', 'public', showSetup),
  route('POST', '/portal/setup', 'public', completeSetup),
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

  route('GET', '/portal/first-site', 'session', chooseFirstProperty),
  route('GET', '/portal/orgs/:org/first-site', 'session', showFirstProperty),
  route('POST', '/portal/orgs/:org/first-site', 'session', createFirstProperty),
  route('GET', '/portal/orgs/:org/first-site/:property', 'session', showFirstSteps),
  route('POST', '/portal/orgs/:org/first-site/:property/key', 'session', makeFirstKey, SENSITIVE),
  route('GET', '/portal/orgs/:org/first-site/:property/state', 'session', tellFirstState),
  route('GET', '/portal/orgs/:org', 'session', showProperties),
  route('GET', '/portal/orgs/:org/new', 'session', showNewProperty),
  route('POST', '/portal/orgs/:org/new', 'session', createProperty),
  route('GET', '/portal/orgs/:org/properties/:property/settings', 'session', showPropertySettings),
  route('POST', '/portal/orgs/:org/properties/:property/settings', 'session', changePropertySettings),
  route('POST', '/portal/orgs/:org/properties/:property/state', 'session', switchProperty),
  route('GET', '/portal/orgs/:org/properties/:property/delete', 'session', showPropertyDeletion, SENSITIVE),
  route('POST', '/portal/orgs/:org/properties/:property/delete', 'session', deleteProperty, SENSITIVE),
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
