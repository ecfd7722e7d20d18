import { join } from 'node:path';

/** The paths of files in PEM format. */
export type CertificateFiles = {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
};

/** Creates a certificate authority and a certificate for the hosts, both valid for a day. @throws if openssl fails */
export function createCertificate(folder: string, hosts: readonly string[]): CertificateFiles {
  const at = (name: string) => join(folder, name);
  const openssl = (...args: readonly string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(['openssl', ...args], { stdout: 'ignore', stderr: 'pipe' });
    if (exitCode !== 0) throw new Error(`openssl ${args[0]}: ${stderr}`);
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const names = hosts.map((host) => `DNS:${host}`).join(',');
  openssl(
    ...['req', '-x509', '-days', '1', '-subj', '/CN=Test CA', ...newKey],
    ...['-keyout', at('ca.key'), '-out', at('ca.pem')],
  );
  openssl(
    ...['req', '-subj', `/CN=${hosts[0]}`, '-addext', `subjectAltName=${names}`, ...newKey],
    ...['-keyout', at('captcha.key'), '-out', at('captcha.csr')],
  );
  openssl(
    ...['x509', '-req', '-days', '1', '-in', at('captcha.csr'), '-copy_extensions', 'copy'],
    ...['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-out', at('captcha.pem')],
  );
  return { authority: at('ca.pem'), certificate: at('captcha.pem'), key: at('captcha.key') };
}
