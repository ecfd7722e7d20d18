import type { AuditAction, AuditDoor } from '../../model/audit.ts';

/** What was done, after the name of who did it. */
export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'set-up-completed': 'Set the installation up',
  'session-started': 'Signed in',
  'session-refused': 'Failed to sign in',
  'password-refused': 'Failed to confirm with the password',
  'session-ended': 'Signed out, or ended a session',
  'password-changed': 'Changed a password',
  'second-factor-enabled': 'Turned the second step on',
  'second-factor-disabled': 'Turned the second step off',
  'recovery-code-used': 'Signed in with a recovery code',
  'recovery-codes-renewed': 'Made new recovery codes',
  'organization-created': 'Made an organization',
  'organization-renamed': 'Renamed an organization',
  'organization-deleted': 'Deleted an organization',
  'organization-transferred': 'Gave an organization another owner',
  'property-created': 'Made a site',
  'property-updated': 'Changed a site',
  'property-deleted': 'Deleted a site',
  'member-added': 'Added a member',
  'member-removed': 'Removed a member',
  'member-left': 'Left an organization',
  'invitation-created': 'Invited somebody',
  'invitation-withdrawn': 'Withdrew an invitation',
  'invitation-accepted': 'Accepted an invitation',
  'key-created': 'Made an API key',
  'key-changed': 'Changed an API key',
  'key-rotated': 'Gave an API key a new secret',
  'key-revoked': 'Revoked an API key',
  'user-created': 'Made a user',
  'user-disabled': 'Disabled a user',
  'user-enabled': 'Enabled a user',
  'user-plan-set': 'Put a user on a plan',
  'admin-added': 'Made a user an administrator',
  'admin-removed': 'Made an administrator a user like others',
  'password-link-created': 'Made a link to choose a password',
  'plan-set': 'Set a plan',
  'signing-key-rotated': 'Made a new signing key',
  'maintenance-switched': 'Switched maintenance',
};

/** Through which door. */
export const DOOR_WORDS: Readonly<Record<AuditDoor, string>> = {
  portal: 'Portal',
  api: 'Platform API',
  command: 'Command line',
};
