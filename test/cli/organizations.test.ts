import { describe, expect, test } from 'bun:test';
import { useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
const sample = useSampleData(cli);

describe('organizations', () => {
  test('are listed with their owners, for their members too', async () => {
    const { annOrg, benOrg } = sample;
    const anns = { id: annOrg, name: 'Ann and friends', owner: 'ann@example.com' };
    const bens = { id: benOrg, name: 'Ben', owner: 'ben@example.com' };
    expect(await cli.json('orgs list')).toEqual([anns, bens]);
    expect(await cli.json('orgs list --user ben@example.com')).toEqual([bens]);
    const member = `--org ${annOrg} --user ben@example.com`;
    expect(await cli.json(`orgs add-member ${member}`)).toEqual(anns);
    expect(await cli.json(`orgs add-member ${member}`)).toEqual(anns);
    expect(await cli.json('orgs list --user ben@example.com')).toEqual([anns, bens]);
    expect(await cli.json(`orgs remove-member ${member}`)).toEqual(anns);
    expect((await cli.run(`orgs remove-member ${member}`)).err).toBe(
      'postern: This user is not a member of the organization.\n',
    );
  });
});
