import { switchOrganizationAttack } from '../kit/attackSwitch.ts';
import { ALWAYS, DESTRUCTIVE, publicRoute, type Route, route, SENSITIVE } from '../kit/route.ts';
import { openLink } from '../kit/secretLink.tsx';
import {
  acceptInvitation,
  createInvitedAccount,
  showInvitation,
  signOutForInvitation,
} from './invitationAccept.tsx';
import {
  createInvitation,
  removeMember,
  showInvitationForm,
  showMemberRemoval,
  showMembers,
  showTransfer,
  transferOrganization,
  withdrawInvitation,
} from './members.tsx';
import { createOrganization, showNewOrganization, showOrganizations } from './organizationList.tsx';
import {
  deleteOrganization,
  leaveOrganization,
  renameOrganization,
  showDeleteOrganization,
  showLeave,
  showOrganizationSettings,
} from './organizationSettings.tsx';

// biome-ignore format: a table reads best with a row on a line
export const ORGANIZATION_ROUTES: readonly Route[] = [
  route('GET', '/portal/orgs', 'session', showOrganizations),
  route('GET', '/portal/orgs/new', 'session', showNewOrganization),
  route('POST', '/portal/orgs', 'session', createOrganization),
  route('GET', '/portal/orgs/:org/settings', 'organization', showOrganizationSettings),
  route('POST', '/portal/orgs/:org/settings', 'owner', renameOrganization),
  route('POST', '/portal/orgs/:org/attack/on', 'owner', switchOrganizationAttack(true)),
  route('POST', '/portal/orgs/:org/attack/off', 'owner', switchOrganizationAttack(false)),
  route('GET', '/portal/orgs/:org/delete', 'owner', showDeleteOrganization, SENSITIVE),
  route('POST', '/portal/orgs/:org/delete', 'owner', deleteOrganization, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('GET', '/portal/orgs/:org/leave', 'organization', showLeave, SENSITIVE),
  route('POST', '/portal/orgs/:org/leave', 'organization', leaveOrganization, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('GET', '/portal/orgs/:org/members', 'organization', showMembers),
  route('GET', '/portal/orgs/:org/members/invite', 'owner', showInvitationForm, SENSITIVE),
  route('POST', '/portal/orgs/:org/members/invite', 'owner', createInvitation, SENSITIVE),
  route('GET', '/portal/orgs/:org/members/:member/remove', 'member', showMemberRemoval, SENSITIVE),
  route('POST', '/portal/orgs/:org/members/:member/remove', 'member', removeMember, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('GET', '/portal/orgs/:org/members/:member/transfer', 'member', showTransfer, SENSITIVE),
  route('POST', '/portal/orgs/:org/members/:member/transfer', 'member', transferOrganization, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/orgs/:org/invitations/:invitation/withdraw', 'invitation', withdrawInvitation, DESTRUCTIVE),
  publicRoute('GET', '/portal/invitation', showInvitation),
  publicRoute('POST', '/portal/invitation/open', openLink('invitation'), ALWAYS),
  publicRoute('POST', '/portal/invitation', acceptInvitation),
  publicRoute('POST', '/portal/invitation/account', createInvitedAccount),
  publicRoute('POST', '/portal/invitation/sign-out', signOutForInvitation, ALWAYS),
];
