import type { Outcome } from '../lib/outcome.ts';
import type { Account } from '../model/account.ts';
import { COMMAND_LINE } from '../model/actor.ts';
import type { Organization, OrganizationId, OwnedOrganization } from '../model/organization.ts';
import type { Problem } from '../model/problems.ts';
import type { Services } from '../server/services.ts';
import type { Command } from './command.ts';
import { hasOption, requireOption, textOption, unwrap } from './options.ts';
import { printRow, printRows, type Row } from './output.ts';
import { attackEnd, requireOrganizationId, requireUser, withServices } from './withServices.ts';

const organizationCreate: Command = {
  name: 'orgs create',
  usage: '--user E --name N',
  summary: 'Creates an organization that the user owns.',
  options: { user: 'Email address of the owner.', name: 'Name of the organization.' },
  example: 'postern orgs create --user ann@example.com --name "My company"',
  async run(context) {
    const user = requireOption(context, 'user');
    const name = requireOption(context, 'name');
    return withServices(context, async (services) => {
      const owner = await requireUser(services, user);
      const organization = unwrap(
        await services.organizations.create(COMMAND_LINE, { name, ownerId: owner.id }),
      );
      printRow(context, toOrganizationRow(services, organization, owner.email));
    });
  },
};

const organizationList: Command = {
  name: 'orgs list',
  usage: '[--user E]',
  summary: 'Lists all organizations, or those that a user owns or is a member of.',
  options: { user: 'Email address of the user. Default: the organizations of all users.' },
  example: 'postern orgs list --user ann@example.com',
  async run(context) {
    const user = textOption(context, 'user');
    return withServices(context, async (services) => {
      const account = user === undefined ? undefined : await requireUser(services, user);
      const organizations = await services.organizations.list(COMMAND_LINE, account);
      const rows = organizations.map((organization) =>
        toOrganizationRow(services, organization, organization.ownerEmail),
      );
      printRows(context, rows, ['id', 'name', 'owner']);
    });
  },
};

const memberAdd: Command = createMemberCommand('orgs add-member', {
  summary: 'Adds a user to an organization. Safe to repeat.',
  example: 'postern orgs add-member --org Q65MmmLtTR8IlCTsKbP3Aw --user ben@example.com',
  change: ({ members }, id, account) => members.add(COMMAND_LINE, id, account),
});

const memberRemove: Command = createMemberCommand('orgs remove-member', {
  summary: 'Removes a user from an organization.',
  example: 'postern orgs remove-member --org Q65MmmLtTR8IlCTsKbP3Aw --user ben@example.com',
  change: ({ members }, id, account) => members.remove(COMMAND_LINE, id, account.id),
});

type MemberChange = Pick<Command, 'summary' | 'example'> & {
  readonly change: (
    services: Services,
    id: OrganizationId,
    account: Account,
  ) => Promise<Outcome<OwnedOrganization, Problem>>;
};

function createMemberCommand(name: string, { change, ...texts }: MemberChange): Command {
  return {
    name,
    usage: '--org ORG_ID --user E',
    options: { org: 'Id of the organization.', user: 'Email address of the member.' },
    ...texts,
    async run(context) {
      const org = requireOption(context, 'org');
      const user = requireOption(context, 'user');
      return withServices(context, async (services) => {
        const id = requireOrganizationId(services, org);
        const account = await requireUser(services, user);
        const organization = unwrap(await change(services, id, account));
        printRow(context, toOrganizationRow(services, organization, organization.ownerEmail));
      });
    },
  };
}

const organizationAttack: Command = {
  name: 'orgs attack',
  usage: '--org ORG_ID [--end]',
  summary:
    'Starts attack mode for all properties of an organization, which makes puzzles harder for one hour, or ends it.',
  options: { org: 'Id of the organization.', end: 'Ends attack mode.' },
  example: 'postern orgs attack --org Q65MmmLtTR8IlCTsKbP3Aw',
  async run(context) {
    const org = requireOption(context, 'org');
    const isOn = !hasOption(context, 'end');
    return withServices(context, async (services) => {
      const id = requireOrganizationId(services, org);
      const organization = unwrap(await services.attackMode.ofOrganization(COMMAND_LINE, id, isOn));
      const row = toOrganizationRow(services, organization, organization.ownerEmail);
      printRow(context, { ...row, attack_until: attackEnd(organization) });
    });
  },
};

/** The fields that commands print for an organization. @param owner the email address of its owner */
function toOrganizationRow({ ids }: Services, { id, name }: Organization, owner: string): Row {
  return { id: ids.seal('organization', id), name, owner };
}

/** The commands for organizations and their members, in the order of `postern help`. */
export const organizationCommands: readonly Command[] = [
  organizationCreate,
  organizationList,
  memberAdd,
  memberRemove,
  organizationAttack,
];
