/** The name of a rejection. `docs/reference/api.md` has the same table; a test compares them. */
export type Problem = keyof typeof PROBLEMS;

export type ProblemRow = {
  /** `meta.code` of the envelope. */
  readonly code: number;
  /** HTTP status. */
  readonly status: number;
  /** The message, a full sentence. */
  readonly sentence: string;
};

function row<const Status extends number>(code: number, status: Status, sentence: string): ProblemRow {
  return { code, status, sentence };
}

// biome-ignore format: a table is easier to read with one row per line
export const PROBLEMS = {
  'path-unknown': row(1002, 404, 'This path does not exist; check its spelling.'),
  'method-not-allowed': row(1003, 405, 'This path does not support this method; the Allow header lists the supported methods.'),
  'request-malformed': row(1001, 400, 'The request could not be read; check its syntax and try again.'),
  'body-too-large': row(1001, 413, 'The request body is larger than this path accepts.'),
  'rate-limited': row(1001, 429, 'Too many requests from this address; wait for the number of seconds in the Retry-After header.'),
  'key-rate-limited': row(1001, 429, 'Too many requests with this API key, or with all API keys of its user or organization; wait for the number of seconds in the Retry-After header.'),
  'internal-error': row(1001, 500, 'An internal error occurred; the server log has details under this request id.'),
  'unavailable': row(1001, 503, 'The service is temporarily unavailable; try again shortly.'),
  'maintenance': row(1001, 503, 'The service is in maintenance mode and rejects changes; try again later.'),
  'operation-sunset': row(1004, 410, 'This operation has been retired; the documentation names its replacement.'),

  'key-not-accepted': row(1001, 401, 'The X-API-Key header must contain a valid API key; this one is missing, malformed, unknown, revoked, or expired.'),
  'scope-not-enough': row(1001, 403, 'This API key has the wrong scope; the Platform API requires a key with the portal scope.'),
  'key-read-only': row(1001, 403, 'This API key is read-only; use a key with write access.'),
  'key-organization-only': row(1106, 403, 'This API key can access only one organization; use a key without this restriction.'),

  'media-type-unsupported': row(1001, 415, 'This operation requires a JSON body, even with DELETE; send it with the header Content-Type: application/json.'),
  'json-malformed': row(1001, 400, 'The body must be UTF-8 JSON with the structure that this operation expects.'),
  'field-unknown': row(1001, 400, 'The body has a member that this operation does not accept; remove it.'),
  'field-mistyped': row(1001, 400, 'A value in the body has the wrong type.'),
  'query-malformed': row(1001, 400, 'A query parameter has an invalid value.'),

  'sitekey-malformed': row(1001, 400, 'The sitekey must be 32 hexadecimal digits; copy it from the property.'),
  'origin-missing': row(1001, 400, 'The request has no Origin header; puzzles are issued only to web pages.'),
  'property-unknown': row(1001, 403, 'There is no active property with this sitekey.'),
  'origin-not-allowed': row(1001, 403, 'This page is not on the property\'s domain; check the domain and the settings for subdomains and localhost.'),
  'origin-without-domain': row(1001, 403, 'This page is on an IP address or a host without a dot; open it at a full host name, such as intranet.example.com.'),

  'rule-blocked': row(1001, 403, 'A rule of the operator or of the website blocks this request.'),

  'organization-name-empty': row(1100, 400, 'The organization needs a name.'),
  'organization-name-too-long': row(1101, 400, 'The name of an organization can have at most 128 characters.'),
  'organization-name-malformed': row(1102, 400, 'The name of the organization contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'organization-name-taken': row(1103, 409, 'The owner already has an organization with this name.'),
  'organizations-limit': row(1104, 403, 'The user\'s plan does not allow more organizations; delete an organization, or ask the operator for another plan.'),
  'organization-unknown': row(1105, 404, 'The requested organization does not exist.'),
  'organization-not-yours': row(1106, 403, 'The user is not a member of this organization.'),
  'organization-not-owned': row(1106, 403, 'Only the owner of the organization can do this.'),
  'organization-id-not-empty': row(1107, 400, 'The server assigns the id of a new organization; omit the id, or send an empty string.'),
  'organization-id-empty': row(1108, 400, 'The id of the organization is missing.'),
  'organization-owner-read-only': row(1001, 400, 'This operation cannot change the owner of an organization; omit the owner, or send the current one.'),
  'organization-id-malformed': row(1109, 400, 'This is not a valid organization id; copy the id from the list of organizations.'),

  'batch-malformed': row(1001, 400, 'The body must be an array with at least one item.'),
  'batch-too-large': row(1200, 400, 'A batch can have at most 128 items; split it into several batches.'),
  'property-name-empty': row(1201, 400, 'The property needs a name.'),
  'property-name-too-long': row(1202, 400, 'The name of a property can have at most 128 characters.'),
  'property-name-malformed': row(1203, 400, 'The name of the property contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'property-name-taken': row(1204, 409, 'The organization already has a property with this name.'),
  'domain-empty': row(1205, 400, 'The property needs a domain.'),
  'domain-localhost': row(1206, 400, 'The domain cannot be localhost; use a public domain and allow localhost in the settings.'),
  'domain-is-address': row(1207, 400, 'The domain cannot be an IP address; use a domain name.'),
  'domain-not-valid': row(1208, 400, 'The domain is not a valid domain name; enter a name such as example.com.'),
  'domain-single-label': row(1208, 400, 'The domain has no dot; use a full host name, such as intranet.example.com, for your pages.'),
  'domain-is-suffix': row(1208, 400, 'The domain is a public suffix, under which different owners register names; use the domain of your website, such as example.co.uk.'),
  'domain-unresolved': row(1209, 400, 'The domain does not resolve in DNS; check its spelling, or publish a DNS record first.'),
  'dns-unanswered': row(1209, 400, 'The DNS servers did not answer for this domain in time; try again later.'),
  'domain-malformed': row(1210, 400, 'The domain must be only a host name, such as example.com, without a scheme, port, path, space, or wildcard.'),
  'sitekey-read-only': row(1001, 400, 'The sitekey of a property cannot be changed; omit the sitekey, or send the current one.'),
  'property-id-empty': row(1211, 400, 'The id of the property is missing.'),
  'property-id-malformed': row(1212, 400, 'This is not a valid property id; copy the id from the list of properties.'),
  'property-gone': row(1212, 400, 'This property does not exist or has been deleted.'),
  'property-id-repeated': row(1213, 400, 'The batch contains this property more than once; include it only once.'),
  'property-not-yours': row(1214, 403, 'This property belongs to an organization that the API key cannot access.'),
  'properties-limit': row(1300, 403, 'The plan of the organization\'s owner does not allow more properties; delete some properties, or ask the operator for another plan.'),
  'level-malformed': row(1001, 400, 'The level must be a whole number from 1 to 255.'),
  'growth-unknown': row(1001, 400, 'The growth must be constant, slow, medium, or fast.'),
  'challenge-unknown': row(1001, 400, 'The kind of work (challenge) must be blake2b, argon2id, or hashwx.'),
  'validity-malformed': row(1001, 400, 'The validity (validity_seconds) must be a whole number of seconds from 60 to 172800.'),
  'allow-subdomains-malformed': row(1001, 400, 'allow_subdomains must be true or false.'),
  'allow-localhost-malformed': row(1001, 400, 'allow_localhost must be true or false.'),
  'enabled-malformed': row(1001, 400, 'enabled must be true or false.'),
  'allowance-malformed': row(1001, 400, 'The number of verifications per solution (max_replay_count) must be a whole number from 1 to 1000000.'),

  'rules-invalid': row(1400, 400, 'The rules have errors, so nothing was changed; data.errors lists them with their positions.'),
  'rules-changed-meanwhile': row(1401, 409, 'The rules have been changed since this revision; read them again and repeat the change.'),
  'rule-unknown': row(1402, 404, 'The list has no rule with this id; it may have been deleted.'),
  'rules-number-malformed': row(1001, 400, 'The revision of rules (revision) and the position of a rule (position) must be whole numbers from 0.'),
  'address-malformed': row(1001, 400, 'The client address must be an IPv4 or IPv6 address.'),
  'page-path-malformed': row(1001, 400, 'The path of a page must start with exactly one slash and have at most 2048 characters.'),

  'task-unknown': row(1002, 404, 'The user does not have a task with this id; finished tasks are retained for 7 days.'),
  'task-key-revoked': row(1001, 403, 'The API key that started this task was revoked before the task ran.'),
  'task-account-disabled': row(1001, 403, 'The user who started this task was disabled before the task ran.'),
  'import-not-applied': row(1001, 409, 'Nothing of this import was applied, because another property of it was rejected.'),
  'task-queue-full': row(1001, 429, 'The user has too many waiting tasks; try again when some have finished.'),

  'plan-name-malformed': row(1001, 400, 'The name of a plan must consist of 1 to 64 lowercase letters, digits, and dashes, and must start with a letter or digit.'),
  'plan-unknown': row(1001, 404, 'This plan does not exist.'),

  'email-malformed': row(1001, 400, 'This is not a valid email address.'),
  'email-domain-malformed': row(1001, 400, 'The domain of this email address is not valid; check its international characters and any labels that start with xn--.'),
  'email-taken': row(1001, 409, 'A user with this email address already exists.'),
  'password-too-short': row(1001, 400, 'A password must have at least 8 characters.'),
  'password-too-long': row(1001, 400, 'A password can have at most 256 characters.'),
  'password-common': row(1001, 400, 'This password is common or repeats a short pattern, so attackers try it first; choose another one.'),
  'password-guessable': row(1001, 400, 'This password is based on the name of the product, your organization, or your email address, and is too easy to guess; choose another one.'),
  'passwords-busy': row(1001, 503, 'The server is checking too many passwords at the moment; try again shortly.'),
  'account-name-empty': row(1001, 400, 'The user needs a name.'),
  'account-name-too-long': row(1001, 400, 'The name of a user can have at most 128 characters.'),
  'account-name-malformed': row(1001, 400, 'The name of the user contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'account-unknown': row(1001, 404, 'This user does not exist.'),
  'account-disabled': row(1001, 403, 'This user has been disabled.'),
  'admin-only': row(1001, 403, 'Only an administrator can do this.'),
  'admin-last': row(1001, 409, 'This is the last administrator who can sign in; make another user an administrator first.'),
  'member-is-owner': row(1001, 409, 'This user owns the organization, so the user cannot be added or removed as a member.'),
  'member-unknown': row(1001, 404, 'This user is not a member of the organization.'),

  'member-already': row(1001, 409, 'The user with this email address is already a member of the organization.'),
  'invitation-unknown': row(1001, 404, 'This invitation is not valid: it was used, was withdrawn, or has expired; ask for another one.'),
  'invitation-not-yours': row(1001, 403, 'This invitation is for another email address; sign in with that address.'),
  'invitations-limit': row(1001, 409, 'The organization has too many open invitations; withdraw some of them.'),

  'key-name-empty': row(1001, 400, 'The API key needs a name.'),
  'key-name-too-long': row(1001, 400, 'The name of an API key can have at most 128 characters.'),
  'key-name-malformed': row(1001, 400, 'The name of the API key contains characters that are not allowed: control characters, invisible format characters such as joiners, or angle brackets.'),
  'key-malformed': row(1001, 400, 'An API key must have 32 to 256 printable characters; a key that starts with postern_ must be complete and unchanged.'),
  'key-taken': row(1001, 409, 'This API key already exists.'),
  'keys-limit': row(1001, 403, 'A user or an organization can have at most 100 active API keys; revoke one that is no longer needed.'),
  'key-unknown': row(1001, 404, 'This API key does not exist.'),
  'key-revoked': row(1001, 409, 'This API key has already been revoked.'),
  'key-secret-replaced': row(1001, 403, 'This secret of the API key has been replaced; use the current secret.'),
  'key-old-secret-ended': row(1001, 409, 'This API key has no old secret that still works.'),
  'keep-old-malformed': row(1001, 400, 'An old secret can keep working for 0, 3600, 86400, or 604800 seconds (keep_old_seconds).'),
  'key-expiry-past': row(1001, 400, 'The expiry of the API key is in the past; choose a time in the future.'),
  'key-rate-malformed': row(1001, 400, 'The rate of an API key must be a number of requests per second from 0.001 to 1000000000.'),
  'key-burst-malformed': row(1001, 400, 'The burst of an API key must be a whole number of requests from 1 to 1000000000.'),
  'key-rate-too-high': row(1001, 403, 'Only an administrator can give an API key a rate or burst above the configured limit.'),
  'scope-unknown': row(1001, 400, 'The scope of an API key must be portal or verify.'),
} as const satisfies Record<string, ProblemRow>;
