import { switchPropertyAttack } from '../kit/attackSwitch.ts';
import {
  BACKGROUND,
  DESTRUCTIVE,
  publicRoute,
  type Route,
  route,
  SENSITIVE,
  sharedRoute,
  WITH_FILE,
} from '../kit/route.ts';
import { replaceOfflineSecret, showOfflineSecret } from './offlineSecret.tsx';
import { ORGANIZATION_DASHBOARD } from './organizationDashboard.tsx';
import { issuePuzzle, showPlayground } from './playground.tsx';
import { createProperty, duplicateProperty, showNewProperty, showPropertyCopy } from './propertyCreate.tsx';
import { DASHBOARD } from './propertyDashboard.tsx';
import { exportProperties } from './propertyExport.ts';
import { getLevelCost } from './propertyForm.tsx';
import { applyImport, previewImport, showTransfer } from './propertyImport.tsx';
import { createIntegrationKey, showIntegration } from './propertyIntegration.tsx';
import { showProperties } from './propertyList.tsx';
import {
  changePropertySettings,
  deleteProperty,
  showPropertyDeletion,
  showPropertySettings,
  switchProperty,
} from './propertySettings.tsx';
import { createShareLink, revokeShareLink, SHARED, showShareLinks } from './propertyShare.tsx';
import { issueTrialPuzzle, showTest, verifyTrial } from './propertyTest.tsx';
import { showDesign } from './widgetDesign.tsx';

// biome-ignore format: a table reads best with a row on a line
export const PROPERTY_ROUTES: readonly Route[] = [
  route('GET', '/portal/orgs/:org', 'organization', showProperties),
  route('GET', '/portal/orgs/:org/new', 'organization', showNewProperty),
  route('POST', '/portal/orgs/:org/new', 'organization', createProperty),
  route('GET', '/portal/orgs/:org/properties/:property/settings', 'property', showPropertySettings),
  route('POST', '/portal/orgs/:org/properties/:property/settings', 'property', changePropertySettings),
  route('POST', '/portal/orgs/:org/properties/:property/state', 'property', switchProperty, DESTRUCTIVE),
  route('GET', '/portal/orgs/:org/properties/:property/delete', 'property', showPropertyDeletion, SENSITIVE),
  route('POST', '/portal/orgs/:org/properties/:property/delete', 'property', deleteProperty, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('POST', '/portal/orgs/:org/properties/:property/attack/on', 'property', switchPropertyAttack(true)),
  route('POST', '/portal/orgs/:org/properties/:property/attack/off', 'property', switchPropertyAttack(false)),
  route('GET', '/portal/orgs/:org/properties/:property/duplicate', 'property', showPropertyCopy),
  route('POST', '/portal/orgs/:org/properties/:property/duplicate', 'property', duplicateProperty),
  route('GET', '/portal/orgs/:org/properties/:property/share', 'property', showShareLinks, SENSITIVE),
  route('POST', '/portal/orgs/:org/properties/:property/share', 'property', createShareLink, SENSITIVE),
  route('POST', '/portal/orgs/:org/properties/:property/share/:link/revoke', 'shareLink', revokeShareLink, { ...SENSITIVE, ...DESTRUCTIVE }),
  sharedRoute('/portal/shared/:token', SHARED.show),
  sharedRoute('/portal/shared/:token/statistics.csv', SHARED.csv),
  sharedRoute('/portal/shared/:token/statistics.json', SHARED.json),
  sharedRoute('/portal/shared/:token/statistics/live', SHARED.live, BACKGROUND),
  route('GET', '/portal/orgs/:org/import', 'organization', showTransfer),
  route('POST', '/portal/orgs/:org/import', 'organization', previewImport, WITH_FILE),
  route('POST', '/portal/orgs/:org/import/apply', 'organization', applyImport, WITH_FILE),
  route('GET', '/portal/orgs/:org/export.csv', 'organization', exportProperties('csv')),
  route('GET', '/portal/orgs/:org/export.json', 'organization', exportProperties('json')),
  route('GET', '/portal/orgs/:org/properties/:property/integration', 'property', showIntegration),
  route('POST', '/portal/orgs/:org/properties/:property/integration/key', 'property', createIntegrationKey, SENSITIVE),
  route('GET', '/portal/orgs/:org/properties/:property/integration/offline', 'property', showOfflineSecret, SENSITIVE),
  route('POST', '/portal/orgs/:org/properties/:property/integration/offline', 'property', replaceOfflineSecret, { ...SENSITIVE, ...DESTRUCTIVE }),
  route('GET', '/portal/orgs/:org/properties/:property/integration/design', 'property', showDesign),
  route('GET', '/portal/orgs/:org/properties/:property/integration/test', 'property', showTest),
  route('POST', '/portal/orgs/:org/properties/:property/integration/test', 'property', verifyTrial),
  publicRoute('GET', '/portal/trial/puzzle', issueTrialPuzzle),
  route('GET', '/portal/orgs/:org/properties/:property/playground', 'property', showPlayground),
  publicRoute('GET', '/portal/playground/puzzle', issuePuzzle),
  route('GET', '/portal/cost', 'session', getLevelCost, BACKGROUND),
  route('GET', '/portal/orgs/:org/properties/:property', 'property', DASHBOARD.show),
  route('GET', '/portal/orgs/:org/statistics', 'organization', ORGANIZATION_DASHBOARD.show),
  route('GET', '/portal/orgs/:org/statistics.csv', 'organization', ORGANIZATION_DASHBOARD.csv),
  route('GET', '/portal/orgs/:org/statistics.json', 'organization', ORGANIZATION_DASHBOARD.json),
  route('GET', '/portal/orgs/:org/statistics/live', 'organization', ORGANIZATION_DASHBOARD.live, BACKGROUND),
  route('GET', '/portal/orgs/:org/properties/:property/statistics.csv', 'property', DASHBOARD.csv),
  route('GET', '/portal/orgs/:org/properties/:property/statistics.json', 'property', DASHBOARD.json),
  route('GET', '/portal/orgs/:org/properties/:property/statistics/live', 'property', DASHBOARD.live, BACKGROUND),
];
