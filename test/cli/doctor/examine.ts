import { expect } from 'bun:test';
import type { CommandLine } from '../commandLine.ts';

/** A check as `postern doctor --json` prints it. */
export type Check = { name: string; ok: boolean; warning: boolean; detail: string; fix: string | null };

export type Setting = {
  name: string;
  variable: string;
  value: string | null;
  source: string;
  error: string | null;
};

/** Runs `postern doctor --json`, and checks that every problem has a fix. */
export async function examine(cli: CommandLine, settings: Record<string, string> = {}) {
  const { code, out, err } = await cli.run('doctor --json', {
    settings: { POSTERN_DNS_CHECK: 'off', ...settings },
  });
  expect(err).toBe('');
  const report = JSON.parse(out) as { ok: boolean; settings: Setting[]; checks: Check[] };
  expect(report.ok).toBe(code === 0);
  const withoutFix = report.checks.filter(({ ok, warning, fix }) => (!ok || warning) !== (fix !== null));
  expect(withoutFix).toEqual([]);
  return {
    code,
    out,
    report,
    setting: (variable: string) => report.settings.find((row) => row.variable === variable),
    check: (name: string) => report.checks.find((row) => row.name === name),
  };
}
