import { beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { useCommandLine, useSampleData } from './commandLine.ts';

const cli = useCommandLine();
const data = useSampleData(cli);

const BLOCK = { name: 'Block', action: 'block', conditions: { networks: ['198.51.100.0/24'] } };
const HARDER = { name: 'Harder', action: 'adjust', levels: 16, conditions: { paths: ['/login*'] } };

const stdin = (value: unknown) => ({ stdin: JSON.stringify(value) });
const ofProperty = () => `--property ${data.sitekey}`;

beforeEach(async () => {
  await cli.json(`rules set - ${ofProperty()}`, stdin([]));
  await cli.json('rules set -', stdin([]));
});

describe('rules', () => {
  test('are added, changed, moved, listed, and removed, for a property and for the installation', async () => {
    for (const scope of ['', ` ${ofProperty()}`]) {
      const added = await cli.json(`rules add -${scope}`, stdin(BLOCK));
      expect(added.rules).toMatchObject([{ ...BLOCK, enabled: true, dry_run: false, hits: 0 }]);
      const first = await cli.json(`rules add - --position 1${scope}`, stdin(HARDER));
      expect(first.rules).toMatchObject([HARDER, BLOCK]);
      const { id } = first.rules[0];
      const moved = await cli.json(`rules move ${id} --position 2${scope}`);
      expect(moved.rules).toMatchObject([BLOCK, HARDER]);
      const changed = await cli.json(`rules update ${id} -${scope}`, stdin({ ...HARDER, levels: 8 }));
      expect(changed.rules[1]).toMatchObject({ id, levels: 8 });
      expect(await cli.json(`rules list${scope}`)).toEqual(changed);
      expect((await cli.json(`rules remove ${id}${scope}`)).rules).toMatchObject([BLOCK]);
    }
  });

  test('are listed in a table with their hits', async () => {
    expect((await cli.run('rules list')).out).toBe('There are no rules.\n');
    await cli.json('rules add -', stdin({ ...BLOCK, dry_run: true }));
    const { out } = await cli.run('rules add -', stdin(HARDER));
    const [head, ...rows] = out.trimEnd().split('\n');
    expect(head).toMatch(/^POSITION +ID +NAME +ACTION +MODE +CONDITIONS +HITS +LAST_HIT_AT$/);
    expect(rows[0]).toMatch(/^1 +[0-9a-f]{16} +Block +block +dry run +networks=198\.51\.100\.0\/24 +0 +-$/);
    expect(rows[1]).toMatch(/^2 +[0-9a-f]{16} +Harder +adjust \+16 +active +paths=\/login\* +0 +-$/);
  });

  test('are replaced with a file, which can be the output of `rules list --json`', async () => {
    await cli.json(`rules set - ${ofProperty()}`, stdin([BLOCK, HARDER]));
    const listed = await cli.json(`rules list ${ofProperty()}`);
    const file = join(cli.folder, 'rules.json');
    await Bun.write(file, JSON.stringify({ ...listed, rules: listed.rules.toReversed() }));
    const replaced = await cli.json(`rules set ${file} ${ofProperty()}`);
    expect(replaced.rules).toEqual(listed.rules.toReversed());
    // The file has the revision from before this change.
    const again = await cli.run(`rules set ${file} ${ofProperty()}`);
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('have been changed since')]);
  });

  test('with errors are rejected with the position of each error, and nothing changes', async () => {
    await cli.json('rules add -', stdin(BLOCK));
    const before = await cli.json('rules list');
    const wrong = { name: '', action: 'block', conditions: { networks: ['192.0.2.0/24', 'here'] } };
    const { code, err } = await cli.run('rules set -', stdin([BLOCK, wrong]));
    expect(code).toBe(1);
    expect(err).toContain('nothing was changed');
    expect(err).toContain('rules[1].name');
    expect(err).toMatch(
      /rules\[1\]\.conditions\.networks\[1\](?:, character \d+)?: This is not an IP address/,
    );
    expect(await cli.json('rules list')).toEqual(before);
  });

  test('with unknown members are rejected, and the error names all of them', async () => {
    const wrong = { ...BLOCK, colour: 1, '\u001b[31mred': 2, conditions: { network: ['192.0.2.0/24'] } };
    const { code, err } = await cli.run('rules set -', stdin([wrong]));
    expect(code).toBe(1);
    expect(err).toContain('rules[0]: The member "colour" is unknown; remove it or correct its name.');
    expect(err).toContain('rules[0]: The member "\\u001b[31mred" is unknown');
    expect(err).toContain('rules[0].conditions: The member "network" is unknown');
    const document = await cli.run('rules set -', stdin({ rules: [BLOCK], revisions: 1 }));
    expect([document.code, document.err]).toEqual([
      1,
      expect.stringContaining('member "revisions" is unknown'),
    ]);
  });

  test.each([
    ['rules set', 2, 'FILE is missing'],
    ['rules set none.json', 1, 'none.json cannot be read'],
    ['rules set -', 1, '- is not valid JSON'],
    ['rules list --property x', 1, 'The sitekey must be 32 hexadecimal digits'],
    ['rules list --property 00000000000000000000000000000000', 1, 'This property does not exist'],
    ['rules move 0000000000000000 --position 0', 2, '--position must be a whole number from 1 to 100'],
    ['rules move 0000000000000000', 2, '--position is missing'],
    ['rules move 0000000000000000 --position 1', 1, 'The list has no rule with this id'],
    ['rules remove', 2, 'RULE_ID is missing'],
    ['rules remove 0000000000000000', 1, 'The list has no rule with this id'],
    ['rules update 0000000000000000', 2, 'FILE is missing'],
    ['rules test --address here', 1, 'The client address must be an IPv4 or IPv6 address'],
    ['rules test --header x', 2, '--header must be NAME: VALUE'],
    ['rules test --country Germany', 2, '--country must be a two-letter code'],
    ['rules test --asn 0', 2, '--asn must be a whole number'],
    ['rules test --downgrade blake2b', 2, '--downgrade must be argon2id or hashwx'],
  ])('`%s` fails', async (command, code, message) => {
    const ended = await cli.run(command);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toContain(message);
  });

  test.each([
    ['an object with other members', { rules: [], more: 1 }],
    ['an object without rules', { revision: 1 }],
    ['a revision that is not a number', { rules: [], revision: 'x' }],
  ])('reject a file with %s', async (_, document) => {
    const { code, err } = await cli.run('rules set -', stdin(document));
    expect([code, err]).toEqual([1, expect.stringContaining('must be an array of rules')]);
  });

  test('reject a file of more than 512 KiB', async () => {
    const { code, err } = await cli.run('rules set -', { stdin: ' '.repeat(512 * 1024 + 1) });
    expect([code, err]).toEqual([1, expect.stringContaining('- is larger than 512 KiB')]);
  });
});

describe('rules test', () => {
  test('shows which rules match a request, and the puzzle', async () => {
    await cli.json('rules add -', stdin({ ...BLOCK, dry_run: true }));
    const rules = [HARDER, { ...BLOCK, conditions: { headers: ['x-bot: *yes*'] } }];
    await cli.json(`rules set - ${ofProperty()}`, stdin(rules));
    const request = '--address 198.51.100.9 --path /login/x --header X-Bot:~oh~yes --country de --asn 64496';
    const tested = await cli.json(`rules test ${ofProperty()} ${request}`);
    expect(tested).toEqual({
      country: 'DE',
      asn: 64_496,
      action: { action: 'adjust', levels: 16 },
      matches: [
        {
          scope: 'installation',
          index: 0,
          role: 'dry-run',
          rule: expect.objectContaining({ name: 'Block' }),
        },
        { scope: 'property', index: 0, role: 'effective', rule: expect.objectContaining({ name: 'Harder' }) },
        {
          scope: 'property',
          index: 1,
          role: 'not-reached',
          rule: expect.objectContaining({ name: 'Block' }),
        },
      ],
      puzzle: { level: 17, growth: 'constant', difficulty: 17 },
    });
    const { out } = await cli.run(`rules test ${ofProperty()} ${request}`);
    expect(out).toMatch(/^action +adjust \+16$/m);
    expect(out).toContain('rule 1 of the property "Harder" (adjust +16) decides\n');
    const nothing = await cli.run(`rules test ${ofProperty()}`);
    expect(nothing.out).toMatch(/^action +no rule decides$/m);
    await cli.json(
      `rules set - ${ofProperty()}`,
      stdin([{ ...BLOCK, conditions: { downgrades: ['hashwx'] } }]),
    );
    const downgraded = await cli.run(`rules test ${ofProperty()} --downgrade hashwx`);
    expect(downgraded.out).toMatch(/^action +block$/m);
  });
});
