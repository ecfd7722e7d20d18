/**
 * Every refusal by name: the API code of the envelope, the HTTP status, and the sentence that tells the caller
 * what to do. `docs/reference/api.md` holds the same table; a test compares.
 */
export type Problem = keyof typeof PROBLEMS;

export type ProblemRow = {
  /** `meta.code` of the envelope. */
  readonly code: number;
  /** HTTP status. */
  readonly status: number;
  /** A full sentence. */
  readonly sentence: string;
};

function row<const Status extends number>(code: number, status: Status, sentence: string): ProblemRow {
  return { code, status, sentence };
}

// biome-ignore format: a table reads best with a row on a line
export const PROBLEMS = {
  'path-unknown': row(1002, 404, 'There is nothing at this path; check its spelling.'),
  'method-not-allowed': row(1003, 405, 'This path does not take this method; the Allow header lists those it takes.'),
  'request-malformed': row(1001, 400, 'The request could not be read; check its syntax and try again.'),
  'body-too-large': row(1001, 413, 'The request body is larger than this path accepts.'),
  'rate-limited': row(1001, 429, 'Too many requests from this address; wait for the seconds that Retry-After gives.'),
  'key-rate-limited': row(1001, 429, 'Too many requests with this API key, or with all keys of its user; wait for the seconds that Retry-After gives.'),
  'internal-error': row(1001, 500, 'Something went wrong on our side; the log has more under this request id.'),
  'unavailable': row(1001, 503, 'The service cannot answer right now; try again shortly.'),
  'maintenance': row(1001, 503, 'The service is in maintenance and changes nothing now; try again later.'),
  'operation-sunset': row(1004, 410, 'This operation has been retired; the documentation names what replaces it.'),

  'key-not-accepted': row(1001, 401, 'The header X-API-Key must hold an API key that works; this one is missing, malformed, unknown, revoked or expired.'),
  'scope-not-enough': row(1001, 403, 'This API key has another scope; the Platform API wants one of scope portal.'),
  'key-read-only': row(1001, 403, 'This API key may only read; use one that may write.'),
  'key-organization-only': row(1106, 403, 'This API key reaches one organization alone; use a key without that limit.'),

  'media-type-unsupported': row(1001, 415, 'This operation takes a JSON body, with DELETE too; send it with the header Content-Type: application/json.'),
  'json-malformed': row(1001, 400, 'The body must be JSON in UTF-8, of the shape that this operation takes.'),
  'field-unknown': row(1001, 400, 'The body has a member that this operation does not take; leave it out.'),
  'field-mistyped': row(1001, 400, 'A part of the body has the wrong type.'),
  'query-malformed': row(1001, 400, 'A parameter of the query is not what this operation takes.'),

  'sitekey-malformed': row(1001, 400, 'The sitekey must be 32 hexadecimal digits; copy it from the property.'),
  'origin-missing': row(1001, 400, 'The request carries no Origin header; puzzles are given to web pages only.'),
  'property-unknown': row(1001, 403, 'There is no active property with this sitekey.'),
  'origin-not-allowed': row(1001, 403, 'This page is not on the domain of the property; check the domain and the settings for subdomains and localhost.'),

  'organization-name-empty': row(1100, 400, 'The organization needs a name.'),
  'organization-name-too-long': row(1101, 400, 'The name of an organization has at most 128 characters.'),
  'organization-name-malformed': row(1102, 400, 'The name of the organization contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'organization-name-taken': row(1103, 409, 'The owner has an organization of this name already.'),
  'organizations-limit': row(1104, 403, 'The plan of this user allows no more organizations; delete one, or ask the operator for another plan.'),
  'organization-unknown': row(1105, 404, 'The requested organization does not exist.'),
  'organization-not-yours': row(1106, 403, 'The user is no member of this organization.'),
  'organization-not-owned': row(1106, 403, 'Only the owner of the organization may do this.'),
  'organization-id-not-empty': row(1107, 400, 'A new organization gets its id here; leave it out, or empty.'),
  'organization-id-empty': row(1108, 400, 'The id of the organization is missing.'),
  'organization-owner-read-only': row(1001, 400, 'The owner of an organization cannot be changed here; send the current one, or leave it out.'),
  'organization-id-malformed': row(1109, 400, 'This is not the id of an organization; copy it from the list of organizations.'),

  'batch-malformed': row(1001, 400, 'The body must be an array with at least one item.'),
  'batch-too-large': row(1200, 400, 'A batch has at most 128 items; split it.'),
  'property-name-empty': row(1201, 400, 'The property needs a name.'),
  'property-name-too-long': row(1202, 400, 'The name of a property has at most 128 characters.'),
  'property-name-malformed': row(1203, 400, 'The name of the property contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'property-name-taken': row(1204, 409, 'The organization has a property of this name already.'),
  'domain-empty': row(1205, 400, 'The property needs a domain.'),
  'domain-localhost': row(1206, 400, 'Localhost cannot be the domain; use a public domain and allow localhost in the settings.'),
  'domain-is-address': row(1207, 400, 'An IP address cannot be the domain; use a domain name.'),
  'domain-not-valid': row(1208, 400, 'The domain is not a valid domain name; write it as in example.com.'),
  'domain-is-suffix': row(1208, 400, 'The domain is a public suffix, below which names belong to different owners; use the domain of your site, such as example.co.uk.'),
  'domain-unresolved': row(1209, 400, 'The domain is not in the DNS; check its spelling, or publish it first.'),
  'dns-unanswered': row(1209, 400, 'The DNS servers did not answer for this domain in time; try again later.'),
  'domain-malformed': row(1210, 400, 'The domain must be a host name alone, such as example.com: no scheme, port, path, space or wildcard.'),
  'sitekey-read-only': row(1001, 400, 'The sitekey of a property cannot be changed; send the current one, or leave it out.'),
  'property-id-empty': row(1211, 400, 'The id of the property is missing.'),
  'property-id-malformed': row(1212, 400, 'This is not the id of a property; copy it from the list of properties.'),
  'property-gone': row(1212, 400, 'There is no such property in this place, or no longer.'),
  'property-id-repeated': row(1213, 400, 'The same property is in this batch twice; name it once.'),
  'property-not-yours': row(1214, 403, 'This property belongs to an organization that the API key does not reach.'),
  'properties-limit': row(1300, 403, 'The plan of the organization\'s owner allows no more properties; delete some, or ask the operator for another plan.'),
  'level-malformed': row(1001, 400, 'level must be a whole number from 1 to 255.'),
  'growth-unknown': row(1001, 400, 'growth must be one of constant, slow, medium, fast.'),
  'validity-malformed': row(1001, 400, 'validity_seconds must be a whole number from 60 to 172800.'),
  'allow-subdomains-malformed': row(1001, 400, 'allow_subdomains must be true or false.'),
  'allow-localhost-malformed': row(1001, 400, 'allow_localhost must be true or false.'),
  'enabled-malformed': row(1001, 400, 'enabled must be true or false.'),
  'allowance-malformed': row(1001, 400, 'max_replay_count must be a whole number from 1 to 1000000.'),

  'task-unknown': row(1002, 404, 'This user has no such task; finished ones are kept for 7 days.'),
  'task-key-revoked': row(1001, 403, 'The API key that started this task has been revoked before it was carried out.'),
  'task-account-disabled': row(1001, 403, 'The user that started this task has been disabled before it was carried out.'),
  'task-queue-full': row(1001, 429, 'This user has too many tasks that wait; try again when some have finished.'),

  'plan-name-malformed': row(1001, 400, 'The name of a plan has 1 to 64 lower-case letters, digits and dashes, and starts with a letter or digit.'),
  'plan-unknown': row(1001, 404, 'There is no such plan.'),

  'email-malformed': row(1001, 400, 'This is not an e-mail address.'),
  'email-taken': row(1001, 409, 'There is a user with this e-mail address already.'),
  'password-too-short': row(1001, 400, 'A password has at least 8 characters.'),
  'password-too-long': row(1001, 400, 'A password has at most 256 characters.'),
  'password-common': row(1001, 400, 'This password is common or repeats a short pattern, so attackers try it first; choose another one.'),
  'password-guessable': row(1001, 400, 'This password is based on the name of the product, your organization, or your email address, and is too easy to guess; choose another one.'),
  'passwords-busy': row(1001, 503, 'Too many passwords are being looked at right now; try again in a moment.'),
  'account-name-empty': row(1001, 400, 'The name of a user cannot be empty.'),
  'account-name-too-long': row(1001, 400, 'The name of a user has at most 128 characters.'),
  'account-name-malformed': row(1001, 400, 'The name of the user contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'account-unknown': row(1001, 404, 'There is no such user.'),
  'account-disabled': row(1001, 403, 'This user has been disabled.'),
  'admin-only': row(1001, 403, 'Only an administrator may do this.'),
  'admin-last': row(1001, 409, 'This is the last administrator that can sign in; make another one first.'),
  'member-is-owner': row(1001, 409, 'The owner of an organization is a member already and cannot be removed.'),
  'member-unknown': row(1001, 404, 'This user is not a member of the organization.'),

  'member-already': row(1001, 409, 'The user with this e-mail address belongs to the organization already.'),
  'invitation-unknown': row(1001, 404, 'This invitation does not work: it was used or withdrawn, has expired, or never was; ask for another one.'),
  'invitation-not-yours': row(1001, 403, 'This invitation is for another e-mail address; sign in as the user that it was sent to.'),
  'invitations-limit': row(1001, 409, 'The organization has too many open invitations; withdraw some.'),

  'key-name-empty': row(1001, 400, 'The API key needs a name.'),
  'key-name-too-long': row(1001, 400, 'The name of an API key has at most 128 characters.'),
  'key-name-malformed': row(1001, 400, 'The name of the API key contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'key-malformed': row(1001, 400, 'An API key has 32 to 256 printable characters; one that starts with postern_ must be whole.'),
  'key-taken': row(1001, 409, 'This API key exists already.'),
  'keys-limit': row(1001, 403, 'A user can have at most 100 active API keys; revoke one that is no longer needed.'),
  'key-unknown': row(1001, 404, 'There is no such API key.'),
  'key-revoked': row(1001, 409, 'This API key has been revoked already.'),
  'key-expiry-past': row(1001, 400, 'The API key would have expired already; give a time in the future.'),
  'key-rate-malformed': row(1001, 400, 'The rate of an API key is a number of requests a second from 0.001 to 1000000000.'),
  'key-burst-malformed': row(1001, 400, 'The burst of an API key is a whole number of requests from 1 to 1000000000.'),
  'key-rate-too-high': row(1001, 403, 'Only an administrator may give an API key a higher rate or burst than the configured one.'),
  'scope-unknown': row(1001, 400, 'The scope of an API key is portal or verify.'),
} as const satisfies Record<string, ProblemRow>;
