import type { AuditAction } from '../model/audit.ts';
import type { Organization } from '../model/organization.ts';
import type { Services } from '../server/services.ts';
import { type Command, granted, requireOption, textOption } from './command.ts';
import { type Row, showRow, showRows } from './output.ts';
import { accountFor, emailsOf, note, organizationIdFor, withServices } from './withServices.ts';

/** `postern orgs create`. */
export const createOrganization: Command = {
  name: 'orgs create',
  usage: '--user E --name N',
  summary: 'Makes an organization that the user owns.',
  options: { user: { type: 'string' }, name: { type: 'string' } },
  async run(context) {
    const user = requireOption(context, 'user');
    const name = requireOption(context, 'name');
    return withServices(context, async (services) => {
      const owner = await accountFor(services, user);
      const organization = granted(await services.organizations.create(owner, name));
      await note(services, 'organization-created', organization.name, organization.id);
      showRow(context, rowOf(services, organization, owner.email));
    });
  },
};

/** `postern orgs list`. */
export const listOrganizations: Command = {
  name: 'orgs list',
  usage: '[--user E]',
  summary: 'Shows all organizations, or those that a user owns or shares.',
  options: { user: { type: 'string' } },
  async run(context) {
    const user = textOption(context, 'user');
    return withServices(context, async (services) => {
      const account = user === undefined ? undefined : await accountFor(services, user);
      const organizations = await services.organizations.list(account);
      const rows = organizations.map((one) => rowOf(services, one, one.ownerEmail));
      showRows(context, rows, ['id', 'name', 'owner']);
    });
  },
};

/** `postern orgs add-member`. */
export const addMember: Command = memberCommand(
  'orgs add-member',
  'Lets a user share an organization; twice is as good as once.',
  'addMember',
  'member-added',
);

/** `postern orgs remove-member`. */
export const removeMember: Command = memberCommand(
  'orgs remove-member',
  'Ends that a user shares an organization.',
  'removeMember',
  'member-removed',
);

function memberCommand(
  name: string,
  summary: string,
  change: 'addMember' | 'removeMember',
  action: AuditAction,
): Command {
  return {
    name,
    usage: '--org ORG_ID --user E',
    summary,
    options: { org: { type: 'string' }, user: { type: 'string' } },
    async run(context) {
      const org = requireOption(context, 'org');
      const user = requireOption(context, 'user');
      return withServices(context, async (services) => {
        const id = organizationIdFor(services, org);
        const account = await accountFor(services, user);
        const organization = granted(await services.organizations[change](id, account));
        await note(services, action, account.email, id);
        const emailOf = await emailsOf(services);
        showRow(context, rowOf(services, organization, emailOf(organization.ownerId)));
      });
    },
  };
}

function rowOf({ ids }: Services, { id, name }: Organization, owner: string): Row {
  return { id: ids.seal('organization', id), name, owner };
}
