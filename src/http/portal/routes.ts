import { giveCode, showCode } from './code.ts';
import { confirm, showConfirm } from './confirm.ts';
import { downloadDashboard, showDashboard } from './dashboard.ts';
import { createOrganization, leadHome, showHome } from './home.ts';
import { acceptInvitation, showInvitation, signOutForInvitation } from './invitation.ts';
import { invite, showInvite } from './invite.ts';
import { logIn, showLogin } from './login.ts';
import { logOut } from './logout.ts';
import { removeMember, showRemoveMember, showTransfer, transferOrganization } from './memberChanges.ts';
import { showMembers, withdrawInvitation } from './members.ts';
import {
  deleteOrganization,
  leaveOrganization,
  showDeleteOrganization,
  showLeave,
} from './organizationEnds.ts';
import { renameOrganization, showOrganizationSettings } from './organizationSettings.ts';
import { changePassword, showPassword } from './password.ts';
import { changeProfile, showProfile } from './profile.ts';
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
import { downloadSystemStatistics, showSystemStatistics } from './systemStatistics.ts';

const SENSITIVE = { isSensitive: true };

/**
 * Every page and every form of the portal: method, path, whom it is for, what answers. test/http/portal/routes.test.ts
 * attacks each of them.
 */
// biome-ignore format: a table reads best with a row on a line
export const PORTAL_ROUTES: readonly Route[] = [
  route('GET', '/portal/setup', 'public', showSetUp),
  route('POST', '/portal/setup', 'public', completeSetUp),
  route('GET', '/portal/login', 'public', showLogin),
  route('POST', '/portal/login', 'public', logIn),
  route('GET', '/portal/login/code', 'public', showCode),
  route('POST', '/portal/login/code', 'public', giveCode),
  route('POST', '/portal/logout', 'session', logOut),
  route('GET', '/portal/confirm', 'session', showConfirm),
  route('POST', '/portal/confirm', 'session', confirm),

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
  route('POST', '/portal/invitation', 'public', acceptInvitation),
  route('POST', '/portal/invitation/sign-out', 'public', signOutForInvitation),

  route('GET', '/portal/settings/profile', 'session', showProfile),
  route('POST', '/portal/settings/profile', 'session', changeProfile),
  route('GET', '/portal/settings/security', 'session', showSecurity),
  route('POST', '/portal/settings/security/sessions/end-others', 'session', endOtherSessions),
  route('POST', '/portal/settings/security/sessions/:session/end', 'session', endSession),
  route('GET', '/portal/settings/security/password', 'session', showPassword, SENSITIVE),
  route('POST', '/portal/settings/security/password', 'session', changePassword, SENSITIVE),
  route('GET', '/portal/settings/security/second-factor', 'session', showSecondFactor, SENSITIVE),
  route('POST', '/portal/settings/security/second-factor', 'session', confirmSecondFactor, SENSITIVE),
  route('POST', '/portal/settings/security/second-factor/begin', 'session', beginSecondFactor, SENSITIVE),
  route('POST', '/portal/settings/security/second-factor/recovery-codes', 'session', renewRecoveryCodes, SENSITIVE),
  route('POST', '/portal/settings/security/second-factor/disable', 'session', disableSecondFactor, SENSITIVE),

  route('GET', '/portal/orgs/:org/properties/:property', 'session', showDashboard),
  route('GET', '/portal/orgs/:org/properties/:property/statistics.csv', 'session', downloadDashboard),
  route('GET', '/portal/system/statistics', 'admin', showSystemStatistics),
  route('GET', '/portal/system/statistics.csv', 'admin', downloadSystemStatistics),
];
