/** The functions whose names indicate that they read a format, but that no target calls, with the reason. */
export const NOT_FUZZED: Readonly<Record<string, string>> = {
  // They read files or other sources, and pass the contents to another parser.
  'src/acme/files.ts#readAcmeFile': 'reads a file; `parseState` and `readCertificate` parse it',
  'src/cli/options.ts#readBounded': 'reads a stream, and does not interpret its bytes',
  'src/cli/options.ts#readSecretFile':
    'reads a file; `parsePassphrase` parses passphrases, and passwords have no format',
  'src/cli/serve/automaticHttps.ts#readAcmeCa': 'reads a file; the TLS library parses it',
  'src/geoip/geoipFile.ts#readGeoipFile': 'reads a file; `openGeoipDatabase` parses it',
  'src/http/captcha/siteverify/siteverify.ts#readVendorForm': 'reads a body; `parseVendorForm` parses it',
  'src/server/threads/forwarding/bodyStart.ts#readStart': 'reads a stream, and does not interpret its bytes',
  // Only the kernel writes their input.
  'src/cli/doctor/fileSystems.ts#readMounts': 'reads a file of the kernel',
  'src/cli/startChecks.ts#readFileLimit': 'reads a limit of the kernel',
  // Only this program writes their input.
  'src/platform/properties/periodReport.ts#readSteps': 'runs a query',
  'src/server/meters.ts#readHotMeters': 'reads memory of this process',
  'src/storage/installationRows.ts#decodeBackupTime': 'reads rows that this program wrote',
  'src/storage/installationRows.ts#decodeClockRecord': 'reads rows that this program wrote',
  'src/storage/installationRows.ts#decodeCounter': 'reads rows that this program wrote',
  'src/storage/postgres/facts.ts#readSizes': 'runs a query',
  'src/storage/postgres/servers.ts#readState': 'runs a query',
  'src/storage/postgres/standbys.ts#readStandbys': 'runs a query',
  'src/storage/readCache.ts#readCounters': 'reads memory of this process',
  'src/storage/sqlite/dataCounter.ts#readCounter': 'runs a query',
  'src/storage/sqlite/open.ts#readInstallation': 'runs a query',
  'src/storage/stores/counts.ts#readDays': 'runs a query',
  'src/storage/stores/counts.ts#readHours': 'runs a query',
  // The arguments are fields that another target parses.
  'src/cli/options.ts#parseWebUrl': 'parses an argument of the command line with `URL`',
  'src/http/api/parsing.ts#parseIdWith':
    'creates a parser when its module is loaded; `api-body` calls the parser',
  'src/model/apiKeyFields.ts#parseKeyRate': 'compares numbers that were already parsed',
  'src/platform/apiKeys/keyDraft.ts#parseDraft':
    'reads the database; its parsers of names and dates are fuzzed',
  'src/http/captcha/dialects/pageRequests.ts#readJson':
    'reads a body; `JSON.parse` and the parsers of `altcha` and `cap` read it',
  // Run in the page.
  'src/widget/vendors/vendorWidget.ts#readRender': 'reads an argument that the page passes',
};
