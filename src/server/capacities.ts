/** Maximum number of client addresses in the table of rate limits, and in that of the load. Both tables round it up to 131,072. */
export const CLIENT_CAPACITY = 100_000;

/** Maximum number of API keys whose last use is in memory until it is written. */
export const KEY_USES_CAPACITY = 20_000;

/**
 * Maximum number of properties in one interval, a quarter of them with solve times. Above it, a write starts early. Uses 14 MB for
 * counts and about 10 MB for their index, allocated when needed, and twice as much while a write is in progress.
 */
export const USAGE_CAPACITY = 65_536;

/** Maximum number of rules that are hit in one interval. Their hits use about 10 MB. */
export const RULE_HITS_CAPACITY = 65_536;
