/** The pages with statistics: the dashboard of a property, and the system's statistics. */
export const dashboard = {
  title: 'Dashboard',
  ranges: {
    label: 'Range',
    '24h': '24 hours',
    '7d': '7 days',
    '30d': '30 days',
    '1y': '1 year',
    custom: 'Custom range',
    from: 'First day',
    to: 'Last day',
    help: 'Days are in UTC. Ranges of up to 7 days in the last 30 days are shown by hour.',
    show: 'Show range',
  },
  unknownRange: {
    title: 'Unknown range',
    text: 'Choose one of these ranges: 24 hours, 7 days, 30 days, 1 year, or a custom range.',
  },
  compare: {
    on: 'Compare with the previous period',
    off: 'Hide the previous period',
  },
  download: {
    csv: 'CSV',
    json: 'JSON',
    csvLabel: 'Download as CSV',
    jsonLabel: 'Download as JSON',
  },
  live: {
    on: 'Live',
    offline: 'Reconnecting …',
    ended: 'The numbers no longer update, because your session has ended. <link>Sign in again</link>',
  },
  figures: {
    label: 'Figures',
    issued: 'Issued',
    verified: 'Verified',
    repeated: 'Repeated',
    failed: 'Failed',
    accepted: 'Acceptance rate',
    solveTime: 'Median solve time',
    difficulty: 'Difficulty',
    notes: {
      issued: 'Puzzles that browsers requested.',
      verified: 'Accepted solutions, each counted once.',
      repeated: 'Accepted repeated verifications.',
      failed: 'Rejected verifications.',
      accepted: 'Accepted verifications as a share of all verifications.',
      solveTime: 'As reported by visitors’ browsers.',
      difficulty: 'The current difficulty of a puzzle for a new visitor.',
      deletedProperties: 'Puzzles of deleted properties.',
    },
  },
  change: {
    previous: '{{value}} before',
    more: '{{change}} more than in the previous period ({{previous}})',
    less: '{{change}} less than in the previous period ({{previous}})',
    same: 'the same as in the previous period ({{previous}})',
    points: '{{value}} points',
    noteHour: 'Changes compare the finished hours of this range with the same hours of the previous period.',
    noteDay:
      'Changes compare the finished days of this range with the same number of days in the previous period.',
  },
  difficulty: {
    constant:
      'Difficulty is {{level}}, the level of this property: it never changes, because growth is set to constant.',
    level: 'Difficulty is {{level}}, the level of this property, because traffic is as usual.',
    raised:
      'Difficulty is {{difficulty}}: puzzles cost {{factor}} times the work of level {{level}}, because visitors recently requested more than four times as many puzzles as usual.',
    disabled: 'The property is disabled, so it issues no puzzles. Its level is {{level}}.',
  },
  chart: {
    title: 'Over time',
    issued: 'Issued',
    verified: 'Verified',
    failed: 'Failed',
    previous: 'Issued in the previous period',
    zone: 'Times are in your time zone, {{zone}}.',
    hours: 'Times are in UTC.',
    days: 'Each day is a day in UTC.',
    unfinishedHour: 'The dashed part is the current hour, which is not over yet.',
    unfinishedDay: 'The dashed part is today, which is not over yet.',
  },
  numbers: {
    title: 'Numbers',
    hours_one: '{{count}} hour',
    hours_other: '{{count}} hours',
    days_one: '{{count}} day',
    days_other: '{{count}} days',
    captionHour: 'By hour, in UTC, oldest first',
    captionDay: 'By day, in UTC, oldest first',
    from: 'From',
    unfinished: '(not over yet)',
  },
  solveTimes: {
    title: 'Solve times',
    none: 'No widget has reported a solve time.',
    share: '{{percent}} within',
    wasm: 'With WebAssembly',
    help_one:
      'From {{count}} accepted solution, as reported by the visitor’s browser; the server cannot check it. Accurate to 12.5%.',
    help_other:
      'From {{count}} accepted solutions, as reported by visitors’ browsers; the server cannot check them. Accurate to 12.5%.',
    few: 'There are fewer than {{minimum}} solve times, so the high percentiles are not reliable yet.',
  },
  advice: {
    fast: 'At level {{level}}, 95% of visitors wait less than {{time}}. At level {{other}}, it would be at most {{otherTime}}, so you can choose a higher level if you see abuse.',
    fits: 'At level {{level}}, 95% of visitors wait less than {{time}}. At level {{other}}, it would be at most {{otherTime}}, so the level fits these visitors.',
    slow: 'At level {{level}}, 95% of visitors wait less than {{time}}, which is long. At level {{other}}, it would be about {{otherTime}}.',
    wait: 'At level {{level}}, 95% of visitors wait less than {{time}}.',
    slowest: 'At level {{level}}, 95% of visitors wait less than {{time}}, which is long.',
    notEnough:
      'Not enough data for advice on the level: {{samples}} of {{minimum}} solve times at level {{level}} in the last {{days}} days.',
    source:
      'From {{samples}} solve times of the last {{days}} days, all with this level and kind of work. Browsers report the times, so clients can falsify them.',
  },
  empty: {
    title: 'No visitors yet',
    text: 'This page shows puzzles, verifications, and solve times. No browser has requested a puzzle for this property yet; the numbers appear a few seconds after the first visitor.',
    action: 'Add the widget to your page',
    rangeTitle: 'No visitors in this range',
    rangeText:
      'This property had no visitors in this range. Choose a longer range to see its earlier visitors.',
    showYear: 'Show 1 year',
  },
  rejections: {
    title: 'Failed verifications',
    none: 'No verification failed.',
    other: 'Other',
    reasons: {
      'error-other': {
        title: 'Disabled property or server error',
        advice: 'Check whether the property is disabled. If it is enabled, the server log has the reason.',
      },
      'solution-duplicates': {
        title: 'Duplicate solutions',
        advice: 'The widget never sends these. A program is guessing.',
      },
      'solution-invalid': {
        title: 'Wrong solution',
        advice:
          'A program skips the work. If real visitors report this, check that the page loads the widget from this server.',
      },
      'solution-bad-format': {
        title: 'No solution',
        advice:
          'The field is empty, or another product filled it in. Check that the form waits for the widget and that the backend sends the field unchanged.',
      },
      'puzzle-expired': {
        title: 'Puzzle expired',
        advice:
          'The form was open for longer than the puzzle is valid, or the backend verifies too late. You can increase the validity in the settings of the property.',
      },
      'property-invalid': {
        title: 'Wrong property',
        advice:
          'The sitekey that the backend expects differs from the one on the page, or the property was deleted.',
      },
      'property-owner-mismatch': {
        title: 'API key of another user',
        advice: 'The user of the API key is not a member of the organization. Use a member’s key.',
      },
      'solution-verified-before': {
        title: 'Already verified',
        advice:
          'A form was sent twice, or a solution was reused. If your backend verifies more than once on purpose, accept repeated solutions in the settings of the property.',
      },
      'integrity-error': {
        title: 'Invalid signature',
        advice:
          'Another server issued the puzzle, or it was changed. Check that the page and the backend use the same server.',
      },
      'org-scope-error': {
        title: 'API key of another organization',
        advice:
          'The API key is limited to another organization. Use a key for this organization, or for all organizations.',
      },
    },
  },
  system: {
    intro:
      'These statistics count requests that belong to no property: forms without a solution, puzzles from other servers, and requests for deleted properties. The statistics of a property are on its dashboard.',
    emptyTitle: 'No requests in this range',
    emptyText:
      'There were no requests without a property in this range. If backends send invalid solutions, they appear here with the reason.',
  },
} as const;
