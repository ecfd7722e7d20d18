/** A word or phrase that the project's texts and identifiers do not use. */
type BannedWord = {
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly write: string;
};

/** American spelling, and no words with a private meaning. */
const BANNED_WORDS: readonly BannedWord[] = [
  { pattern: /\b(back )?offices?\b/i, write: 'services' },
  { pattern: /\bchores?\b/i, write: 'background job' },
  { pattern: /\bhousekeeping\b/i, write: 'background jobs' },
  { pattern: /\bmetering\b/i, write: 'usage recording' },
  { pattern: /(?<!\b(would|to|will|may|can) )\bfaces?\b/i, write: 'routes' },
  { pattern: /\bdoors?\b/i, write: 'source, network' },
  { pattern: /\b(houses?|rooms)\b|(?<!\b(make|makes|has|have|no) )\broom\b/i, write: 'component, capacity' },
  { pattern: /\b(an?|the|this|each|every|one) exchanges?\b/i, write: 'request context' },
  { pattern: /\bentrances?\b/i, write: 'sign-in page' },
  { pattern: /\bmemories\b|\bmemory (knows|does not know|forgets|remembers)\b/i, write: 'cache' },
  { pattern: /\bsites?\b/i, write: 'property, website' },
  { pattern: /\bset-up\b/i, write: 'setup' },
  { pattern: /\bsecond steps?\b/i, write: 'two-factor authentication' },
  { pattern: /\btold\b|\btells? (of|that|why|what|how|whether|so)\b/i, write: 'returns, reports, shows' },
  { pattern: /\bnot(ed?|es|ing) down\b/i, write: 'record' },
  { pattern: /\b(writes?|written) down\b/i, write: 'write, store' },
  {
    pattern: /\b(whoever|whosever|whomever|whence|whither|thereof|hitherto|lest)\b/i,
    write: 'name the actor',
  },
  { pattern: /\b(anew|afresh)\b/i, write: 'again' },
  { pattern: /\b(nobody|somebody|anybody)\b/i, write: 'no one, a user' },
  { pattern: /\brefus(e|es|ed|al|als|ing)\b/i, write: 'reject' },
  { pattern: /\b(lower-case|upper-case|white space|half-way)\b/i, write: 'one word' },
  { pattern: /\bWho lost\b/, write: 'if you lose' },
  { pattern: /\bas good as\b/i, write: 'equal to, safe to repeat' },
  { pattern: /(?<!there )\b(is|are|was|were) none\b/i, write: 'is not a ...' },
  { pattern: /\b(is|are|was|were) not one\b(?! of)/i, write: 'is not a ...' },
  {
    pattern: /(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|less\b|such\b|one\b)[a-z]+\b/i,
    write: 'is not a ...',
  },
  { pattern: /\bthe world\b/i, write: 'browsers, visitors' },
  { pattern: /\b(rubbish|strangers?)\b/i, write: 'invalid data, another user' },
  { pattern: /\be-mails?\b/i, write: 'email' },
  {
    pattern: /\b(behaviour|colour|favour|honour|neighbour|labour|flavour)/i,
    write: 'American spelling',
  },
  { pattern: /\b\w+(isation|ise[ds]?|ising)\b/i, write: 'American spelling: -ization, -ize' },
  {
    pattern: /\b(licences?|centres?|artefacts?|catalogues?|grey|whilst|amongst|judgement)\b/i,
    write: 'American spelling',
  },
  {
    pattern: /\b(cancell(ed|ing)|travell(ed|ing)|labell(ed|ing)|modell(ed|ing)|fulfil)\b/i,
    write: 'American spelling',
  },
];

/** Legitimate uses, which are removed before the search. */
const ALLOWED: readonly RegExp[] = [
  // Other meanings.
  /\bwebsites?\b|\bweb sites?\b|\bowner of (the|this) site\b/gi,
  /(Sec-?Fetch|Same|cross|Clear)-?Site/gi,
  /site-?key|site-?verify/gi,
  /\bfont-face\b|\bbusy office\b|\bClickHouse\b|\baria-labelledby\b|\bkey exchange\b|\bicons\/house\b/gi,
  /\b\w*(otherwise|precise|promise[ds]?|exercise[ds]?|raise[ds]?|raising|rise[ds]?|noise|wise|likewise|revise|advise[ds]?|arise[ds]?|concise|expertise|surprise[ds]?|surprising|premise[ds]?|compromise[ds]?|advertise[ds]?|supervise[ds]?|enterprise|disguise[ds]?|appraise|praise)\b/gi,
  // Names that existing databases depend on.
  /\b0005_office\b|'office'/g,
  // Anchors of headings, and earlier names in the changelog.
  /#set-up-[-a-z]+/g,
  /`(door|told|refused|set-up-(awaited|completed)|(session|password|puzzle)-refused)`/g,
  // Columns of the database.
  /\btaskSource\('door'\)|\bsource\('door'\)|column `door`|\bactor, door\b|\bAS door\b|\bdoor = /g,
];

export type Finding = { readonly word: string; readonly write: string; readonly excerpt: string };

/** @returns every banned word in a text; words in identifiers are found too (`siteName`, `SITE_NAME`) */
export function findBannedWords(text: string): readonly Finding[] {
  let cleaned = text;
  for (const pattern of ALLOWED) cleaned = cleaned.replace(pattern, (match) => '·'.repeat(match.length));
  const words = cleaned.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').replace(/_/g, ' ');
  return BANNED_WORDS.flatMap(({ pattern, write }) =>
    [...words.matchAll(new RegExp(pattern.source, `g${pattern.flags}`))].map(({ 0: word, index }) => ({
      word,
      write,
      excerpt: words.slice(Math.max(0, index - 40), index + word.length + 40).replaceAll('\n', ' '),
    })),
  );
}
