/** `altcha-lib` with the options of its documentation. */

type Challenge = { readonly parameters: { readonly nonce: string }; readonly signature: string };
type Payload = { readonly challenge: Challenge; readonly solution: unknown };
type DeriveKey = unknown;

type Library = {
  createChallenge(options: object): Promise<Challenge>;
  solveChallenge(options: { readonly challenge: Challenge; readonly deriveKey: DeriveKey }): Promise<unknown>;
  verifySolution(options: object): Promise<{ readonly verified: boolean }>;
  randomInt(low: number, high: number): number;
  readonly CappedMap: new (options: { readonly maxSize: number }) => Map<string, boolean>;
};

const MINUTES = 10;

/**
 * @param modules paths of two modules of the library
 * @param secret the text from which the two secrets are made
 */
export async function createAltcha(library: string, pbkdf2: string, secret: string) {
  const { createChallenge, solveChallenge, verifySolution, randomInt, CappedMap } = (await import(
    library
  )) as Library;
  const { deriveKey } = (await import(pbkdf2)) as { deriveKey: DeriveKey };
  const secrets = { hmacSignatureSecret: `${secret} 1`, hmacKeySignatureSecret: `${secret} 2` };
  const used = new CappedMap({ maxSize: 1000 });
  const options = { algorithm: 'PBKDF2/SHA-256', deriveKey, ...secrets };
  const expiresAt = () => new Date(Date.now() + MINUTES * 60_000);
  return {
    challenge: () =>
      createChallenge({ ...options, cost: 5000, counter: randomInt(5000, 10_000), expiresAt: expiresAt() }),
    /** A solved payload that takes little work. Verifying it takes the same time. */
    async easyPayload(): Promise<string> {
      const challenge = await createChallenge({ ...options, cost: 1, counter: 1, expiresAt: expiresAt() });
      const solution = await solveChallenge({ challenge, deriveKey });
      return btoa(JSON.stringify({ challenge, solution }));
    },
    async verify(text: string): Promise<boolean> {
      const { challenge, solution } = JSON.parse(atob(text.trim())) as Payload;
      const { nonce } = challenge.parameters;
      if (used.get(nonce)) return false;
      const { verified } = await verifySolution({ challenge, solution, deriveKey, ...secrets });
      if (verified) used.set(nonce, true);
      return verified;
    },
  };
}
