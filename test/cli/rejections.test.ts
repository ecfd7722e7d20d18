import { expect, test } from 'bun:test';
import { useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
const sample = useSampleData(cli);

const ann = '--user ann@example.com';
const key = `keys create ${ann} --name K --scope verify`;

test.concurrent.each([
  ['users create --email nobody', 'This is not a valid email address.'],
  ['users create --email ANN@example.com', 'A user with this email address already exists.'],
  ['users create --email x@example.com --name <b>', 'The name of the user contains characters'],
  ['users create --email x@example.com --password-stdin', 'A password must have at least 8 characters.'],
  ['users passwd --email ann@example.com --password-stdin', 'A password must have at least 8 characters.'],
  ['users disable --email no@example.com', 'This user does not exist.'],
  ['users enable --email no@example.com', 'This user does not exist.'],
  [`${key} --rate 0`, 'The rate of an API key must be a number of requests per second from 0.001'],
  [`${key} --rate 1000000001`, 'The rate of an API key must be a number of requests per second from 0.001'],
  [`${key} --burst 0`, 'The burst of an API key must be a whole number of requests from 1 to 1000000000.'],
  [`${key} --burst 1.5`, 'The burst of an API key must be a whole number of requests from 1 to 1000000000.'],
  ['users passwd --email no@example.com --password-stdin', 'This user does not exist.'],
  ['keys create --user no@example.com --name K --scope verify', 'This user does not exist.'],
  [`keys create ${ann} --name <b> --scope verify`, 'The name of the API key contains characters'],
  [
    `${key} --expires-at 2001-01-01`,
    'The expiry of the API key is in the past; choose a time in the future.',
  ],
  [
    `${key} --org nonsense`,
    'This is not a valid organization id; copy the id from the list of organizations.',
  ],
  [`${key} --org BEN_ORG`, 'The user is not a member of this organization.'],
  ['keys list --user no@example.com', 'This user does not exist.'],
  ['keys revoke nonsense', 'This API key does not exist.'],
  ['keys rotate ANN_ORG', 'This API key does not exist.'],
  [`orgs create ${ann} --name ann~AND~friends`, 'The owner already has an organization with this name.'],
  ['orgs create --user no@example.com --name N', 'This user does not exist.'],
  ['orgs list --user no@example.com', 'This user does not exist.'],
  [`orgs add-member --org ANN_ORG ${ann}`, 'This user owns the organization'],
  [`orgs remove-member --org ANN_ORG ${ann}`, 'This user owns the organization'],
  [
    `orgs add-member --org nonsense ${ann}`,
    'This is not a valid organization id; copy the id from the list of organizations.',
  ],
  [
    'properties create --org ANN_ORG --name shop --domain example.com',
    'already has a property with this name.',
  ],
  ['properties create --org ANN_ORG --name N --domain localhost', 'The domain cannot be localhost'],
  ['properties create --org ANN_ORG --name N --domain 127.1', 'The domain cannot be an IP address'],
  [
    'properties create --org nonsense --name N --domain example.com',
    'This is not a valid organization id; copy the id from the list of organizations.',
  ],
  [
    'properties list --org nonsense',
    'This is not a valid organization id; copy the id from the list of organizations.',
  ],
])('%s is rejected: %s', async (words, sentence) => {
  const { annOrg, benOrg } = sample;
  const { code, out, err } = await cli.run(
    `${words.replace('ANN_ORG', annOrg).replace('BEN_ORG', benOrg)} --json`,
  );
  expect(err).toContain(sentence);
  expect({ code, out, lines: err.trimEnd().split('\n').length }).toEqual({ code: 1, out: '', lines: 1 });
});

test('rejected commands change nothing', async () => {
  const counts = ['users list', 'orgs list', 'properties list', 'keys list'].map(
    async (command) => (await cli.json(command)).length,
  );
  expect(await Promise.all(counts)).toEqual([2, 2, 1, 0]);
});
