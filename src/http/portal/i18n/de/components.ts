import type { Catalog } from '../catalog.ts';

export const components: Catalog['components'] = {
  cancel: 'Abbrechen',
  optional: '(optional)',
  reveal: 'Zeichen anzeigen: {{field}}',
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyNamed: '{{name}} kopieren',
  sitekeyOf: 'Sitekey der Property {{name}}',
  close: 'Schließen',
  confirmName: 'Geben Sie zur Bestätigung „{{name}}“ ein',
  breadcrumbs: 'Sie befinden sich hier',
  views: 'Ansichten',
  pager: {
    label: 'Seiten',
    previous: 'Zurück',
    next: 'Weiter',
    page: 'Seite {{page}}',
  },
  time: {
    utc: '{{time}} UTC',
    justNow: 'gerade eben',
    soon: 'in weniger als einer Minute',
    local: '{{time}} in Ihrer Zeitzone',
  },
  numbers: {
    underTenth: 'unter {{percent}}',
    milliseconds: '{{value}} ms',
    seconds: '{{value}} s',
    minutes: '{{value}} min',
    hours: '{{value}} h',
  },
  sparkline: {
    label:
      'Puzzles pro Stunde in den letzten 24 Stunden: {{now}} in dieser Stunde, {{most}} in der Stunde mit den meisten',
    none: 'Keine Puzzles in den letzten 24 Stunden',
  },
  lastDay: {
    series: 'Letzte 24 Stunden',
    issued: 'Ausgestellt',
    verified: 'Überprüft',
    failed: 'Fehlgeschlagen',
    accepted: 'Annahmequote',
  },
  strength: {
    weak: 'Schwach: leicht zu erraten.',
    fair: 'Mittel: Ein längeres Passwort ist besser.',
    strong: 'Stark.',
  },
  clientAddress: {
    address: 'Ihre Client-Adresse ist <code></code>. {{reason}}',
    unknown: 'unbekannt',
    shared:
      'Wenn Ihre Internetverbindung eine andere Adresse hat, behandelt der Server möglicherweise alle Besucher wie einen einzigen Client, mit gemeinsamem Ratenlimit und gemeinsamer Schwierigkeit. {{advice}}',
    countedAs: 'Gezählt als',
    header: 'Header <code></code>',
    notSent: 'Nicht gesendet',
    caption: 'Adressen dieser Anfrage, beginnend mit der Verbindung',
    addressColumn: 'Adresse',
    trustedColumn: 'Vertrauenswürdiger Proxy',
    yes: 'Ja',
    no: 'Nein',
    closed: 'Die Verbindung wurde geschlossen, bevor der Server ihre Adresse lesen konnte.',
    reasons: {
      noProxies: 'Das ist die Adresse der Verbindung: Kein Proxy gilt als vertrauenswürdig.',
      headerIgnored:
        'Das ist die Adresse der Verbindung: Kein Proxy gilt als vertrauenswürdig, daher ignoriert der Server den Header {{header}}.',
      connectionNotTrusted:
        'Das ist die Adresse der Verbindung. Sie gehört nicht zu einem vertrauenswürdigen Proxy, daher ignoriert der Server den Header {{header}}.',
      senderNotTrusted:
        'Ein vertrauenswürdiger Proxy hat sie im Header {{header}} gesendet. Sie gehört selbst nicht zu einem vertrauenswürdigen Proxy, daher ignoriert der Server die Adressen davor.',
      noHeader:
        'Die Verbindung kommt von einem vertrauenswürdigen Proxy, der im Header {{header}} keine Adresse gesendet hat.',
      allTrusted:
        'Das ist die erste Adresse im Header {{header}}, und alle Adressen gehören zu vertrauenswürdigen Proxys.',
      entryMalformed:
        'Der Eintrag davor im Header {{header}} ist keine gültige Adresse, daher ignoriert der Server den Rest.',
      tooManyHops:
        'Der Header {{header}} enthält mehr als 32 vertrauenswürdige Proxys hintereinander. Der Server ignoriert den Rest.',
      connectionClosed: 'Die Verbindung war bereits geschlossen.',
    },
    advice: {
      'proxies-none':
        'Wenn sich der Server hinter einem Proxy befindet, fügen Sie den Proxy zu POSTERN_TRUSTED_PROXIES hinzu.',
      'not-trusted': 'Wenn das die Adresse Ihres Proxys ist, fügen Sie sie zu POSTERN_TRUSTED_PROXIES hinzu.',
      'header-ended':
        'Konfigurieren Sie den Proxy so, dass er die Client-Adresse in diesem Header sendet, oder setzen Sie POSTERN_CLIENT_IP_HEADER auf den Header, den er sendet.',
      'entry-malformed': 'Prüfen Sie, was Ihr Proxy in den Header schreibt.',
      'hops-too-many':
        'Prüfen Sie, was Ihr Proxy in den Header schreibt, und geben Sie in POSTERN_TRUSTED_PROXIES weniger Netzwerke an.',
      'connection-closed': 'Laden Sie die Seite neu.',
    },
  },
};
