/**
 * `bun test/audit.ts` queries the package registry for known vulnerabilities in the packages in bun.lock. `npm test` runs it, too.
 *
 * Exit codes: 0 if no runtime package has a vulnerability of high or critical severity, 1 if one has, and 2 if the registry did not
 * respond.
 */

const ROOT = `${import.meta.dir}/..`;

/** The severities that make `npm test` fail, in runtime packages. */
const SERIOUS = ['high', 'critical'];

type Advisory = { readonly title: string; readonly severity: string; readonly url: string };

/** The result of an audit. */
export type Audit = {
  /** `incomplete`: the registry did not respond. */
  readonly status: 'passed' | 'vulnerable' | 'incomplete';
  /** Lines of text. */
  readonly report: readonly string[];
};

const COVERAGE = [
  '  Covered: the npm packages in bun.lock, by name and version, in the advisories of the registry.',
  '  Not covered: Bun with its libraries (such as JavaScriptCore, SQLite, and BoringSSL), the Rust crates in the native',
  '  add-on, the C library, and the packages of the container image.',
];

/** Audits the packages. @param environment added to the environment of `bun audit` */
export function auditPackages(environment: Readonly<Record<string, string>> = {}): Audit {
  const runtime = ask(['--production'], environment);
  const all = ask([], environment);
  const reason = [runtime, all].find((answer) => typeof answer === 'string');
  if (typeof runtime === 'string' || typeof all === 'string') {
    return { status: 'incomplete', report: [`Dependency audit: NOT PERFORMED. ${reason}`, ...COVERAGE] };
  }
  const serious = runtime.filter(({ severity }) => SERIOUS.includes(severity));
  const count = `${serious.length} known vulnerabilities of high or critical severity in runtime packages`;
  const others = [...runtime, ...all].filter(
    (each, index, list) => !serious.includes(each) && list.findIndex(({ url }) => url === each.url) === index,
  );
  return {
    status: serious.length === 0 ? 'passed' : 'vulnerable',
    report: [
      `Dependency audit: ${count}, ${others.length} others (lower severity, or development packages).`,
      ...[...serious, ...others].map(({ severity, title, url }) => `  ${severity}: ${title} (${url})`),
      ...COVERAGE,
    ],
  };
}

/** @returns the advisories, or the reason why there is no answer */
function ask(
  options: readonly string[],
  environment: Readonly<Record<string, string>>,
): readonly Advisory[] | string {
  const { stdout, stderr } = Bun.spawnSync([process.execPath, 'audit', '--json', ...options], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  try {
    const answer = JSON.parse(stdout.toString()) as Readonly<Record<string, readonly Advisory[]>>;
    return Object.entries(answer).flatMap(([name, advisories]) =>
      advisories.map((advisory) => ({ ...advisory, title: `${name}: ${advisory.title}` })),
    );
  } catch {
    return `The registry did not answer: ${stderr.toString().trim() || 'timeout'}`;
  }
}

if (import.meta.main) {
  const { status, report } = auditPackages();
  console.log(report.join('\n'));
  process.exitCode = { passed: 0, vulnerable: 1, incomplete: 2 }[status];
}
