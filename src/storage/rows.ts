import { getTableColumns } from 'drizzle-orm';
import { invitations, organizations, properties, sessions } from './schema.ts';

/** The columns of entities that need no conversion; see entities.ts for the others. */

const { nameFolded: _name, deletedAt: _deleted, ...ofOrganization } = getTableColumns(organizations);
export const organizationColumns = ofOrganization;

const { nameFolded: _folded, deletedAt: _at, ...ofProperty } = getTableColumns(properties);
export const propertyColumns = ofProperty;

const { tokenHash: _token, ...ofInvitation } = getTableColumns(invitations);
export const invitationColumns = ofInvitation;

const { secretHash: _secret, ...ofSession } = getTableColumns(sessions);
export const sessionColumns = ofSession;
