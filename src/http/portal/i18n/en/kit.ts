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
    tasks: 'Tasks',
    audit: 'Audit log',
    account: 'Account',
    profile: 'Profile',
    security: 'Security',
    apiKeys: 'API keys',
    administration: 'Administration',
    system: 'System',
    users: 'Users',
    help: 'Help',
    apiReference: 'API reference',
    signOut: 'Sign out',
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
} as const;
