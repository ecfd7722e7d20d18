/** The frame of every page, and the pages for errors. */
export const kit = {
  skip: 'Skip to content',
  errorTitle: 'Error: {{title}}',
  errors: 'There is a problem',
  menu: 'Menu',
  navigation: {
    label: 'Portal',
    home: 'Home',
    organizations: 'Organizations',
    activity: 'Activity',
    account: 'Account',
    profile: 'Profile',
    security: 'Security',
    apiKeys: 'API keys',
    administration: 'Administration',
    system: 'System',
    users: 'Users',
    help: 'Help',
    docs: 'Documentation',
    apiReference: 'API reference',
    demo: 'Demo',
    shortcuts: 'Keyboard shortcuts',
    signOut: 'Sign out',
  },
  help: {
    link: 'Help',
    label: 'Help for this page (opens in a new tab)',
  },
  search: {
    label: 'Search organizations, properties, sitekeys, and users',
    placeholder: 'Search',
  },
  preferences: {
    title: 'Language and theme',
    language: 'Language',
    theme: 'Theme',
    themes: { auto: 'Same as system', light: 'Light', dark: 'Dark' },
    save: 'Save preferences',
    unknown: 'Choose one of the languages and one of the themes in the form.',
  },
  maintenance: {
    banner:
      "<strong>Maintenance is on.</strong> You can read pages, but changes are rejected. Visitors' solutions are still verified.",
    switch: 'Go to the maintenance switch',
    later: 'Try changes again later.',
  },
  keyWarnings: {
    expires_one: 'The API key {{key}} expires within one day, on {{time}}.',
    expires_other: 'The API key {{key}} expires within {{count}} days, on {{time}}.',
    more_one: '{{count}} more key expires within two weeks.',
    more_other: '{{count}} more keys expire within two weeks.',
    advice: 'Create a new key and replace the old one before it expires.',
  },
  exportLimit: {
    title: 'Too many exports',
    text: 'You can run {{count}} exports at the same time, and all users together can run {{total}}. Wait until an export has finished, and then try again.',
  },
  notFound: {
    title: 'Not found',
    text: 'This page does not exist, or you do not have access to it.',
  },
  notAllowed: {
    title: 'Not allowed',
    administrators: 'This page is for administrators of this installation.',
  },
  startPage: 'Go to the start page',
  throttled: {
    seconds_one:
      'Too many attempts have failed. Wait {{count}} second, then try again. This attempt was not checked.',
    seconds_other:
      'Too many attempts have failed. Wait {{count}} seconds, then try again. This attempt was not checked.',
    minutes_one:
      'Too many attempts have failed. Wait {{count}} minute, then try again. This attempt was not checked.',
    minutes_other:
      'Too many attempts have failed. Wait {{count}} minutes, then try again. This attempt was not checked.',
  },
  failure: {
    failed: { title: 'Something went wrong', text: 'The server log has details.' },
    invalid: { title: 'Invalid request', text: 'The request could not be read. Open the page again.' },
    unavailable: {
      title: 'Not available',
      text: 'The server is temporarily unavailable. Try again shortly.',
    },
    tooMany: {
      title: 'Too many requests',
      text: 'You or others at your network address requested too many pages in a short time. Wait a few seconds, and then reload the page.',
    },
    wrongHost: {
      title: 'Wrong host name',
      text: 'The portal is not available under this host name. Open {{url}}. To use this name too, the operator of this server can set POSTERN_BASE_URL or add the name to POSTERN_ALLOWED_HOSTS.',
    },
  },
  checks: {
    notAccepted: 'Not accepted',
    otherOrigin: 'A page of another server sent this form. Open the page on this server and try again.',
    invalidToken: 'This form belongs to another session. Go back, reload the page, and try again.',
    notAForm: 'The request is not a form of this server, or it is too large.',
    tooSlow: 'The form took too long to arrive. Go back and send it again.',
    busy: 'The server is busy. Go back and send the form again in a moment.',
    enrollFirst:
      'This installation requires two-factor authentication. Set it up first, then try again. Nothing was changed.',
  },
  interrupted: {
    signInNotKept:
      'Your session had ended, so nothing was changed. The form contains a password, a code, or a file, or it is too large, and was not kept. Sign in, then fill it in again.',
    passwordNotKept:
      'Nothing was changed yet. The form contains a password, a code, or a file, or it is too large, and was not kept. Confirm your password, then fill it in again.',
    expired:
      'You confirmed your password more than 15 minutes after you sent the form. Nothing was changed. Send the form again.',
    otherUser: 'Another user filled in the form, so it was discarded. Nothing was changed.',
    repeated: 'This form was already processed, so it was not processed again.',
  },
  kept: {
    maintenance: {
      title: 'In maintenance',
      reason: 'The server rejects changes during maintenance, so nothing was changed.',
      advice: 'This page keeps what you entered. Send it again when maintenance is over.',
    },
    restarted: {
      title: 'Check the form',
      reason:
        'The server restarted while you entered your password, so it does not know whether it has processed this form.',
      advice: 'Check whether the change was made. If not, send the form again.',
    },
    earlierSession: {
      title: 'Check the form',
      reason: 'You have signed in again since you opened this form, so it was not processed yet.',
      advice: 'Check what you entered, then send it again.',
    },
    send: 'Send form',
    sendAgain: 'Send form again',
    file: 'The file was not kept. Go back and send the form again.',
  },
} as const;
