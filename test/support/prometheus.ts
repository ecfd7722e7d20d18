import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './binary.ts';
import { waitUntil } from './waitUntil.ts';

/** The folder of the files that Prometheus uses. */
export const PROMETHEUS_FILES = join(import.meta.dir, '../../deploy/prometheus');
/** The token of the scraped servers (`POSTERN_METRICS_TOKEN`). */
export const METRICS_TOKEN = 'test-0123456789abcdef';

/** The text of the shipped alert rules. */
export const RULES = readFileSync(join(PROMETHEUS_FILES, 'postern.rules.yml'), 'utf8');

/**
 * Writes a copy of the configuration in `deploy/prometheus` for other targets, whose certificates are self-signed.
 *
 * @param changes texts of the file and their replacements; the token is replaced as well
 * @returns the path of the configuration
 */
export function writeConfiguration(
  folder: string,
  changes: Readonly<Record<string, string>>,
  rules = RULES,
): string {
  const [file, token] = [join(folder, 'prometheus.yml'), join(folder, 'token')];
  let text = readFileSync(join(PROMETHEUS_FILES, 'prometheus.yml'), 'utf8');
  for (const [from, to] of Object.entries({ ...changes, '/etc/prometheus/postern-token': token })) {
    if (!text.includes(from)) throw new Error(`prometheus.yml does not contain: ${from}`);
    text = text.replace(from, to);
  }
  writeFileSync(token, `${METRICS_TOKEN}\n`);
  writeFileSync(join(folder, 'postern.rules.yml'), rules);
  writeFileSync(file, text);
  return file;
}

type Answer = {
  readonly status: string;
  readonly error?: string;
  readonly data: { readonly result: readonly unknown[] };
};
type RuleGroups = {
  readonly data: { readonly groups: readonly { readonly rules: readonly { readonly health: string }[] }[] };
};
/** A pending or firing alert. */
export type Alert = {
  readonly labels: { readonly alertname: string; readonly instance: string };
  readonly state: 'pending' | 'firing';
};

/** Starts Prometheus on a free port of the loopback interface. */
export async function startPrometheus(folder: string, configuration: string) {
  const port = await freePort();
  const child = Bun.spawn(
    [
      'prometheus',
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdout: 'inherit', stderr: 'inherit' },
  );
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok === true;
  await waitUntil('Prometheus is ready', isReady);
  const query = async (expression: string): Promise<Answer> => {
    const body = new URLSearchParams({ query: expression });
    return (await (await fetch(`${url}/api/v1/query`, { method: 'POST', body })).json()) as Answer;
  };
  return {
    query,
    hasSeries: async (expression: string) => (await query(expression)).data.result.length > 0,
    ruleHealth: async () => {
      const { data } = (await (await fetch(`${url}/api/v1/rules`)).json()) as RuleGroups;
      return data.groups.flatMap((group) => group.rules.map(({ health }) => health));
    },
    async alerts(): Promise<readonly Alert[]> {
      const { data } = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
        readonly data: { readonly alerts: readonly Alert[] };
      };
      return data.alerts;
    },
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}
