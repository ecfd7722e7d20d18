/** The components that pages of all areas use. */
export const components = {
  cancel: 'Cancel',
  optional: '(optional)',
  reveal: 'Show characters: {{field}}',
  copy: 'Copy',
  copied: 'Copied',
  copyNamed: 'Copy {{name}}',
  sitekeyOf: 'the sitekey of {{name}}',
  close: 'Close',
  confirmName: 'Type “{{name}}” to confirm',
  breadcrumbs: 'You are here',
  views: 'Views',
  pager: {
    label: 'Pages',
    previous: 'Previous',
    next: 'Next',
    page: 'Page {{page}}',
  },
  time: {
    utc: '{{time}} UTC',
    justNow: 'just now',
    soon: 'in less than a minute',
    local: '{{time}} in your time zone',
  },
  numbers: {
    underTenth: 'under {{percent}}',
    milliseconds: '{{value}} ms',
    seconds: '{{value}} s',
    minutes: '{{value}} min',
    hours: '{{value}} h',
  },
  sparkline: {
    label: 'Puzzles per hour in the last 24 hours: {{now}} in this hour, {{most}} in the busiest hour',
    none: 'No puzzles in the last 24 hours',
  },
  lastDay: {
    series: 'Last 24 hours',
    issued: 'Issued',
    verified: 'Verified',
    failed: 'Failed',
    accepted: 'Acceptance rate',
  },
  strength: {
    weak: 'Weak: easily guessed.',
    fair: 'Fair: a longer password is better.',
    strong: 'Strong.',
  },
  clientAddress: {
    address: 'Your client address is <code></code>. {{reason}}',
    unknown: 'unknown',
    shared:
      'If your connection to the internet has a different address, the server may treat all visitors as one client, with a shared rate limit and difficulty. {{advice}}',
    countedAs: 'Counted as',
    header: 'Header <code></code>',
    notSent: 'Not sent',
    caption: 'Addresses of this request, starting with the connection',
    addressColumn: 'Address',
    trustedColumn: 'Trusted proxy',
    yes: 'Yes',
    no: 'No',
    closed: 'The connection was closed before the server could read its address.',
    reasons: {
      noProxies: 'This is the address of the connection: no proxy is trusted.',
      headerIgnored:
        'This is the address of the connection: no proxy is trusted, so the server ignores the header {{header}}.',
      connectionNotTrusted:
        'This is the address of the connection. It is not a trusted proxy, so the server ignores the header {{header}}.',
      senderNotTrusted:
        'A trusted proxy sent it in the header {{header}}. The address is not a trusted proxy itself, so the server ignores the addresses before it.',
      noHeader: 'The connection comes from a trusted proxy that sent no address in the header {{header}}.',
      allTrusted: 'It is the first address in the header {{header}}, and all addresses are trusted proxies.',
      entryMalformed:
        'The entry before it in the header {{header}} is not a valid address, so the server ignores the rest.',
      tooManyHops:
        'The header {{header}} contains more than 32 trusted proxies in a row; the server ignores the rest.',
      connectionClosed: 'The connection was already closed.',
    },
    advice: {
      'proxies-none': 'If the server is behind a proxy, add the proxy to POSTERN_TRUSTED_PROXIES.',
      'not-trusted': 'If this is the address of your proxy, add it to POSTERN_TRUSTED_PROXIES.',
      'header-ended':
        'Configure the proxy to send the client address in this header, or set POSTERN_CLIENT_IP_HEADER to the header that it sends.',
      'entry-malformed': 'Check what your proxy writes to the header.',
      'hops-too-many':
        'Check what your proxy writes to the header, and list fewer networks in POSTERN_TRUSTED_PROXIES.',
      'connection-closed': 'Reload the page.',
    },
  },
} as const;
