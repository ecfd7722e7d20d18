/** A client of a proxy: curl, because it supports HTTP/2, a custom CA, and a chosen source address. */

export const HOST = 'captcha.example.com';

/** The public side of a running proxy. */
export type PublicSide = {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The file of the certificate authority. */
  readonly authority: string;
};

export type ProxyResponse = {
  readonly version: string;
  readonly status: number;
  /** Names are lowercase. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
};

export type VisitorRequest = {
  /** A loopback address, which the proxy sees as the address of the client. */
  readonly from?: string;
  readonly scheme?: 'http' | 'https';
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly options?: readonly string[];
};

const VISITOR = '127.0.0.2';

/** Runs curl. @returns its exit code, its standard output, and its standard error */
export async function curl(
  proxy: PublicSide,
  path: string,
  { from = VISITOR, scheme = 'https', method, headers = {}, body, options = [] }: VisitorRequest = {},
): Promise<{ readonly exitCode: number; readonly out: string; readonly error: string }> {
  const port = scheme === 'https' ? proxy.httpsPort : proxy.httpPort;
  const child = Bun.spawn(
    [
      'curl',
      ...['--silent', '--show-error', '--max-time', '60', '--interface', from],
      ...['--cacert', proxy.authority, '--resolve', `${HOST}:${port}:127.0.0.1`],
      ...(method === undefined ? [] : ['--request', method]),
      ...(body === undefined ? [] : ['--data-binary', '@-']),
      ...Object.entries({ Expect: '', ...headers }).flatMap(([name, value]) => [
        '--header',
        `${name}: ${value}`,
      ]),
      ...options,
      `${scheme}://${HOST}:${port}${path}`,
    ],
    { stdin: new Blob([body ?? '']), stdout: 'pipe', stderr: 'pipe' },
  );
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, out, error };
}

/** Sends a request through the proxy. @throws if there is no response */
export async function send(
  proxy: PublicSide,
  path: string,
  request: VisitorRequest = {},
): Promise<ProxyResponse> {
  const sent = await curl(proxy, path, { ...request, options: ['--include', ...(request.options ?? [])] });
  if (sent.exitCode !== 0) throw new Error(`curl exited with ${sent.exitCode}: ${sent.error}`);
  const [head = '', ...rest] = sent.out.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const [, version = '', status = ''] = /^HTTP\/([\d.]+) (\d{3})/.exec(first) ?? [];
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { version, status: Number(status), headers: new Map(headers), text: rest.join('\r\n\r\n') };
}
