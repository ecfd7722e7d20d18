/** The integration page of a property, and its test. */
export const integration = {
  values: {
    title: 'Values',
    text: 'Everything that your page and your backend need.',
    sitekey: 'Sitekey',
    script: 'Script URL',
    endpoint: 'Verification URL',
    pinned: 'Script URL of this version',
    integrity: 'Integrity of this version',
    copy: 'Copy the value of “{{name}}”',
  },
  page: {
    title: 'Add the widget to your page',
    text: 'The widget is an element in your form. It sends its solution in the field <code>postern-captcha-solution</code>.',
    tabs: 'Framework',
    html: 'HTML',
    shared: 'All components use this module:',
    component: 'The component:',
    more: '<link>More about frameworks</link>, such as server-side rendering and events.',
    pinned: 'Pin the version of the script',
    pinnedText:
      'Browsers check the integrity of this script and cache it permanently. Update your page when you upgrade Postern.',
    codeName: 'the code for {{name}}',
    fileName: 'the file {{name}}',
    pinnedName: 'the script of this version',
  },
  backend: {
    title: 'Verify the solution in your backend',
    text: 'Before your backend processes the form, it verifies the solution. Each of these functions verifies it and checks that the solution comes from your page.',
    tabs: 'Language',
    requires: {
      javascript: 'Requires Node 18 or newer, Deno, or Bun.',
      python: 'Requires Python 3 and no packages.',
      php: 'Requires PHP 8 with allow_url_fopen enabled, which is the default.',
      ruby: 'Requires Ruby 2.7 or newer and no gems.',
      java: 'Requires Java 11 or newer and no libraries.',
      go: 'Requires only the standard library.',
      curl: 'Requires a shell with curl and grep.',
    },
  },
  key: {
    text: 'Your backend needs an API key in place of <code></code>. Create one here, and the code below contains it. The key can only verify solutions for this organization.',
    other:
      'If you already have a key with the scope “Captcha verification”, use that one. <link>Show API keys</link>',
    button: 'Create API key',
    shown:
      '<strong>The code below contains the new API key, which is shown only once.</strong> Copy the code before you leave this page, and keep the key on your server, never in a page. If you lose it, create a new one.',
    label: 'API key',
    copy: 'Copy API key',
  },
  vendors: {
    title: 'Replace another CAPTCHA',
    text: 'If your page and backend were written for another vendor, change only the host name, the sitekey, and the secret. As the secret, use an API key with the scope “Captcha verification”.',
    tabs: 'Vendor',
    page: 'Use this code in the page. The form sends the field <code></code>:',
    endpoint: 'Use this verification URL in the backend:',
    pageName: 'the page’s code for {{name}}',
    endpointName: 'the verification URL for {{name}}',
    guide: '<link>Read the migration guide</link>',
  },
  test: {
    title: 'Test the integration',
    text: 'See every step of a real verification: your browser fetches a puzzle for a page of yours, solves it, and this server verifies the solution as it does for your backend.',
    open: 'Test the integration',
    page: 'Address of your page',
    pageHelp:
      'The address of the page with the widget. The test fetches a puzzle as a visitor of that page does.',
    use: 'Use this address',
    run: 'Run test',
    again: 'Run test again',
    noScript: 'The test needs JavaScript.',
    uncounted:
      'The test uses a real puzzle with the current difficulty, but does not appear in the statistics and does not raise the difficulty.',
    stepsTitle: 'Steps',
    waiting: 'Not started',
    running: 'Running…',
    skipped: 'Not reached',
    steps: {
      fetch: 'Fetch a puzzle',
      fetchMeaning:
        'The widget requests a puzzle for the sitekey. The server checks that the property is enabled and that the page may use it, and signs the puzzle.',
      fetchDone: 'Received {{bytes}} bytes in {{ms}} ms. The difficulty is {{level}}.',
      solve: 'Solve it in the browser',
      solveMeaning:
        'The browser searches for numbers that fit the puzzle. This is the work that slows bots down.',
      solveDone: 'Found in {{ms}} ms, {{how}}. The solution has {{bytes}} characters.',
      wasm: 'with WebAssembly',
      script: 'without WebAssembly',
      send: 'Send it for verification',
      sendMeaning:
        'Your form sends the solution to your backend, and your backend sends it to this server with an API key. The test sends it directly.',
      sendDone: 'Sent {{sent}} bytes and received the response in {{ms}} ms.',
      verdict: 'Read the verdict',
      verdictMeaning:
        'Your backend accepts the form if “success” is true and “origin” is the host of your page.',
    },
    success: 'The solution was accepted. Code {{code}}, origin {{origin}}.',
    rejected: 'The solution was rejected with code {{code}} ({{name}}). {{advice}}',
    answer: 'Server response',
    causes: {
      'property-unknown':
        'The property is disabled or was deleted. If it is disabled, enable it in the settings.',
      'origin-missing': 'The address of the page is missing. Enter the address of the page with the widget.',
      'origin-not-allowed':
        'The property does not allow this page: {{host}} is not {{domain}}. In the settings, change the domain, or allow subdomains or localhost.',
      'origin-without-domain':
        '{{host}} is a host name without a dot or an IP address, which cannot be the domain of a property. Open the page at a full host name, such as intranet.example.com, and set that name as the domain in the settings.',
      unavailable: 'The server cannot read its database at the moment. Try again, and check the server log.',
      expired: 'This page is too old. Reload it, and run the test again.',
      'rate-limited':
        'The tests of this property have requested too many puzzles. Wait a minute, and run the test again.',
      network:
        'The browser could not reach the server. An extension or a network problem may block the request. On your own page, a content security policy can have the same effect: allow this server in connect-src and script-src.',
      widget:
        'The widget was not loaded. An extension may block it. On your own page, a content security policy can have the same effect: allow this server in script-src.',
      solve: 'The browser could not solve the puzzle: {{reason}}',
      session: 'The server rejected the request, perhaps because your session has ended. Reload the page.',
    },
    advice: {
      'error-other':
        'The property is disabled, or the server has a problem. Check the settings of the property and the server log.',
      'puzzle-expired':
        'The puzzle has expired. Run the test again, or increase the validity in the settings.',
      'solution-verified-before': 'This solution was verified before. Run the test again.',
      other: 'Run the test again. If it fails again, check the server log.',
    },
    pageMalformed: 'Enter the address of a page, such as www.example.com/login.',
  },
} as const;
