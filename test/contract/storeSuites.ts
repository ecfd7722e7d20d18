import { describeAccountStore } from './accounts.ts';
import { describeApiKeyStore } from './apiKeys.ts';
import { describeAuditStore } from './audit.ts';
import { describeAuditEntries } from './auditEntries.ts';
import { describeCredentialStore } from './credentials.ts';
import { describeExportStore } from './exports.ts';
import { describeInstallationStore } from './installation.ts';
import { describeInvitationStore } from './invitations.ts';
import { describeKeyRotation, describeOrganizationKeys } from './keyRotation.ts';
import { describeOrganizationStore } from './organizations.ts';
import { describeOrganizationTasks } from './organizationTasks.ts';
import { describeOverviewStore } from './overview.ts';
import { describePlanStore } from './plans.ts';
import { describePropertyStore } from './properties.ts';
import { describeRuleStore } from './rules.ts';
import { describeSessionStore } from './sessions.ts';
import { describeSigningKeyStore } from './signingKeys.ts';
import { describeStatisticsStore } from './statistics.ts';
import { describeTaskStore } from './tasks.ts';
import { describeTwoFactorStore } from './twoFactor.ts';
import { describeWidgetBuildStore } from './widgetBuilds.ts';
import type { OpenWorld } from './world.ts';

/** The contracts of all stores. @param name names the engine in the titles of the tests @param isClustered whether several servers can use the storage */
export function describeStores(name: string, open: OpenWorld, isClustered = false): void {
  describeAccountStore(name, open);
  describeOrganizationStore(name, open);
  describePropertyStore(name, open);
  describeApiKeyStore(name, open);
  describeKeyRotation(name, open);
  describeOrganizationKeys(name, open);
  describeSigningKeyStore(name, open);
  describeInstallationStore(name, open);
  describePlanStore(name, open);
  describeTaskStore(name, open, isClustered);
  describeOrganizationTasks(name, open);
  describeStatisticsStore(name, open);
  describeAuditStore(name, open);
  describeAuditEntries(name, open);
  describeInvitationStore(name, open);
  describeSessionStore(name, open);
  describeTwoFactorStore(name, open);
  describeCredentialStore(name, open);
  describeExportStore(name, open);
  describeWidgetBuildStore(name, open);
  describeOverviewStore(name, open);
  describeRuleStore(name, open);
}
