import packageJson from '../package.json' with { type: 'json' };

/** The version of Postern. */
export const version: string = packageJson.version;
