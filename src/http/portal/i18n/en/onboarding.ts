/** The pages for the first property. */
export const onboarding = {
  title: 'Protect your first property',
  steps: {
    name: 'Name the property',
    code: 'Add the code',
    verify: 'Verify a solution',
  },
  noDomain:
    'If you have no domain yet, enter <code>example.com</code> and try the widget on localhost. You can change the domain later.',
  continue: 'Continue',
  allSettings: 'Show all settings',
  verified: 'Verified',
  waiting: 'Waiting for the first verification',
  submit: 'Submit your form once on {{domain}}. A few seconds later, this box turns green.',
  submitLocalhost:
    'Submit your form once on {{domain}} or localhost. A few seconds later, this box turns green.',
  none: 'The widget has not requested a puzzle yet.',
  issued: 'The widget has requested a puzzle, so the page is set up correctly.',
  failed: 'A verification was rejected. The dashboard shows the reason.',
  checkAgain: 'Check again',
  protected: 'A visitor’s solution was verified, so {{name}} is protected.',
  dashboard: 'Open dashboard',
  trouble: 'If nothing happens, <link>test the integration</link>: the test explains every step.',
} as const;
