import type { Catalog } from '../catalog.ts';

export const properties: Catalog['properties'] = {
  tabs: {
    dashboard: 'Dashboard',
    integration: 'Integration',
    playground: 'Playground',
    rules: 'Regeln',
    settings: 'Einstellungen',
  },
  notAccepted: 'Nicht akzeptiert',
  disabled:
    'Diese Property ist deaktiviert: Sie gibt keine Puzzles aus, und ihre Lösungen werden abgelehnt. <link>In den Einstellungen aktivieren</link>',
  waiting:
    'Der Vorgang dauert länger als üblich, möglicherweise wegen langsamer DNS-Server. Die Änderung läuft im Hintergrund weiter. Das Ergebnis erscheint in der Liste der Aufgaben.',
  form: {
    general: 'Allgemein',
    domainHelp:
      'Der Hostname Ihrer Seiten, zum Beispiel example.com. Sie können die Adresse einer Seite einfügen. Der Name muss im DNS auflösbar sein.',
    reduced:
      '„{{url}}“ wurde auf den Hostnamen gekürzt, weil die Domain kein Schema, keinen Port und keinen Pfad hat.',
    difficulty: 'Schwierigkeit',
    levelLabel: 'Wie schwierig die Puzzles sind',
    presets: {
      low: 'Niedrig',
      normal: 'Normal',
      high: 'Hoch',
      very_high: 'Sehr hoch',
      // The soft hyphen lets the word fit a card.
      custom: 'Benutzer\u00addefiniert',
    },
    purposes: {
      low: 'Für Formulare, die Bots selten verwenden.',
      normal: 'Für die meisten Formulare.',
      high: 'Für Formulare, die Bots häufig senden.',
      very_high: 'Während eines Angriffs. Ältere Geräte benötigen Geduld.',
      custom: 'Eine genaue Stufe, die Sie unten eingeben.',
    },
    presetCost: 'Auf einem Laptop etwa {{laptop}}, auf einem langsamen Smartphone {{phone}}.',
    exact: 'Genaue Stufe und Anstieg',
    customLevel: 'Genaue Stufe',
    customLevelHelp:
      'Von {{min}} bis {{max}}. Eine Erhöhung um 8 verdoppelt den Rechenaufwand. Wird nur mit „Benutzerdefiniert“ verwendet.',
    challenges: {
      blake2b: 'BLAKE2b: in jedem Widget',
      argon2id: 'argon2id: benötigt Arbeitsspeicher',
    },
    growths: {
      constant: 'Konstant: Die Schwierigkeit steigt nie',
      slow: 'Langsam',
      medium: 'Mittel',
      fast: 'Schnell',
    },
    costs: 'Aufwand anderer Stufen',
    solutions: 'Lösungen',
    validity: 'Gültigkeit',
    validityHelp:
      'Wie lange ein Puzzle und seine Lösung gültig sind, von 1 Minute bis 48 Stunden. Das Widget ersetzt ein abgelaufenes Puzzle.',
    validityUnit: 'Einheit der Gültigkeit',
    units: { seconds: 'Sekunden', minutes: 'Minuten', hours: 'Stunden' },
    acceptRepeated: 'Wiederholte Lösungen akzeptieren',
    acceptRepeatedHelp:
      'Aktivieren Sie das Kontrollkästchen nur, wenn Ihr Backend dasselbe Formular mehrmals überprüft. Andernfalls wird jede Lösung nur einmal akzeptiert.',
    repeatsHelp:
      'Wie oft eine Lösung innerhalb ihrer Gültigkeit akzeptiert wird, von {{min}} bis {{max}}. Wird nur verwendet, wenn wiederholte Lösungen akzeptiert werden.',
  },
  cost: {
    underMillisecond: 'weniger als {{duration}}',
    caption: 'Durchschnittlicher Rechenaufwand eines Puzzles; acht Stufen mehr verdoppeln ihn',
    level: 'Stufe',
    ofLevel: 'Durchschnittlicher Aufwand eines Puzzles auf Stufe {{level}}',
    device: 'Gerät',
    time: 'Zeit ({{kind}})',
    price: 'Preis pro Million ({{kind}})',
    tooLow: 'argon2id ist ab Stufe {{level}} möglich. Darunter erfordern alle Puzzles BLAKE2b.',
    hashes: 'Hashes',
    hashesOf: '{{hashes}} {{kind}}',
    solvers: {
      slowPhone: 'Langsames Smartphone',
      phone: 'Smartphone',
      laptop: 'Laptop',
      serverCore: 'Serverkern',
      gpu: 'GPU',
    },
    source:
      'Die Zeiten sind Durchschnittswerte. Die Zeiten für einen Laptop und einen Serverkern sind gemessen, die für eine GPU (NVIDIA RTX 4090) beruhen auf veröffentlichten Benchmarks, und die für Smartphones sind Schätzungen. Die Preise gelten für eine Million Puzzles auf gemieteter Hardware; gestohlene Rechenzeit kostet nichts. <link>Quellen und Empfehlungen</link>',
  },
  create: {
    title: 'Property erstellen',
    button: 'Property erstellen',
    anyway: 'Trotzdem erstellen',
    done: '„{{name}}“ wurde erstellt. Fügen Sie den folgenden Code in die Seiten und das Backend ein.',
  },
  duplicate: {
    link: 'Property duplizieren',
    title: 'Property duplizieren',
    text: 'Die Kopie hat die folgenden Einstellungen und einen eigenen Sitekey. „{{name}}“ ändert sich nicht.',
    name: '{{name}} (Kopie)',
    button: 'Kopie erstellen',
    done: '„{{name}}“ wurde erstellt. Die Seiten und das Backend benötigen den neuen Sitekey.',
  },
  settings: {
    save: 'Einstellungen speichern',
    saveAnyway: 'Trotzdem speichern',
    saved: 'Die Einstellungen wurden gespeichert.',
    unchanged: 'Es wurde keine Einstellung geändert.',
    sitekey: 'Sitekey',
    sitekeyHelp: 'Der Sitekey ist öffentlich, denn Ihre Seiten enthalten ihn. Er ändert sich nie.',
    copySitekey: 'Sitekey kopieren',
  },
  dangerZone: 'Gefahrenzone',
  state: {
    enabled: 'Aktiviert',
    disabled: 'Deaktiviert',
    isEnabled: 'Die Property ist aktiviert',
    isDisabled: 'Die Property ist deaktiviert',
    enabledHelp: 'Sie gibt Puzzles aus, und Ihr Backend kann deren Lösungen überprüfen.',
    disabledHelp:
      'Sie gibt keine Puzzles aus, und ihre Lösungen werden abgelehnt. Ihre Einstellungen, ihr Sitekey und ihre Statistik bleiben erhalten.',
    disable: 'Property deaktivieren',
    enable: 'Property aktivieren',
    disableTitle: '„{{name}}“ deaktivieren?',
    consequence:
      'Das Widget auf {{domain}} funktioniert ab sofort nicht mehr: Es erhält keine Puzzles mehr, und Ihr Backend lehnt Lösungen ab. Besucher können keine Formulare senden, die eine Lösung erfordern. Sie können die Property jederzeit wieder aktivieren.',
    nowEnabled: 'Die Property ist aktiviert.',
    nowDisabled: 'Die Property ist deaktiviert.',
  },
  delete: {
    heading: 'Diese Property löschen',
    help: 'Das Widget und die Überprüfungen funktionieren ab sofort nicht mehr, und die Statistik wird gelöscht. Das kann nicht rückgängig gemacht werden.',
    button: 'Property löschen',
    title: 'Diese Property löschen?',
    warning:
      'Das Widget auf {{domain}} funktioniert ab sofort nicht mehr: Es erhält keine Puzzles mehr, und Lösungen werden abgelehnt. Die Statistik der Property wird gelöscht. Das kann nicht rückgängig gemacht werden.',
    done: '„{{name}}“ wurde gelöscht.',
  },
  dns: {
    title: 'Diese Domain lässt sich nicht auflösen',
    unanswered:
      'Die DNS-Server, die Postern verwendet, haben für <code></code> nicht rechtzeitig geantwortet.',
    unresolved: 'Die DNS-Server, die Postern verwendet, haben keine Adresse für <code></code>.',
    advice:
      'Wenn der Name richtig geschrieben ist und Ihre Besucher ihn auflösen können, zum Beispiel in einem geschlossenen Netzwerk, fahren Sie ohne die Prüfung fort. Das wird im Audit-Log festgehalten.',
    reserved:
      'Namen, die auf <code></code> enden, sind reserviert und lassen sich im öffentlichen DNS nie auflösen (RFC 2606, RFC 6761). Verwenden Sie für einen Test im Internet <example></example>. Dieser Name lässt sich auflösen.',
    example:
      'Verwenden Sie für einen Test im Internet <example></example>. Dieser Name lässt sich auflösen. Namen, die auf <test></test>, <reserved></reserved> oder <invalid></invalid> enden, sind reserviert und lassen sich im öffentlichen DNS nie auflösen (RFC 2606, RFC 6761).',
    settings:
      'Um die Prüfung für alle Domains auszuschalten, kann der Betreiber dieses Servers <check></check> setzen. Mit <servers></servers> werden andere DNS-Server ausgewählt.',
    skip: '{{button}}, ohne DNS-Prüfung.',
  },
  playground: {
    title: 'Stufe ausprobieren',
    level: 'Stufe',
    levelHelp:
      'Die Stufe dieser Property ist {{level}}. Sie ändert sich nicht, wenn Sie eine andere Stufe ausprobieren.',
    show: 'Diese Stufe ausprobieren',
    text: 'Aktivieren Sie das Kontrollkästchen. Ihr Browser löst dann ein Puzzle der Stufe {{level}} wie der Browser eines Besuchers. Das Puzzle dient nur diesem Test: Es wird nicht gezählt, und kein Backend akzeptiert es.',
    noScript: 'Das Widget erfordert JavaScript.',
    solving: 'Puzzle wird gelöst …',
    measuredWasm:
      'Ihr Browser hat {{elapsed}} ms benötigt und mindestens {{attempts}} Versuche ausgeführt, mit WebAssembly: etwa {{rate}} Mio. pro Sekunde.',
    measuredScript:
      'Ihr Browser hat {{elapsed}} ms benötigt und mindestens {{attempts}} Versuche ausgeführt, ohne WebAssembly: etwa {{rate}} Mio. pro Sekunde.',
    measuredArgon2id:
      'Ihr Browser hat {{elapsed}} ms benötigt und mindestens {{attempts}} argon2id-Hashes berechnet: etwa {{rate}} pro Sekunde.',
    failed: 'Das Puzzle wurde nicht gelöst: {{reason}}',
    costTitle: 'Aufwand dieser Stufe',
    cost: 'Ein Puzzle der Stufe {{level}} erfordert im Durchschnitt etwa {{attempts}} Versuche. Die Anzahl hängt vom Zufall ab: Manche Besucher benötigen halb so viele, andere doppelt so viele. Ein Laptop benötigt {{laptop}}, ein langsames Smartphone {{phone}}. Ein Bot benötigt für jedes Formular, das er sendet, {{bot}} Rechenzeit auf einem Prozessorkern.',
    testIntegration:
      'Um jeden Schritt einer echten Überprüfung zu sehen, <link>testen Sie die Integration</link>.',
  },
  transfer: {
    link: 'Import und Export',
    title: 'Propertys importieren und exportieren',
    exportTitle: 'Export',
    exportText:
      'Eine Datei mit allen Propertys dieser Organisation und deren Einstellungen, mit den Namen der Platform API. Sie können die Datei ändern und wieder importieren.',
    exportCsv: 'Als CSV exportieren',
    exportJson: 'Als JSON exportieren',
    importTitle: 'Import',
    importText:
      'Eine Property mit dem Sitekey einer vorhandenen Property ändert diese. Eine Property ohne Sitekey wird erstellt. Einstellungen, die in der Datei fehlen, behalten ihre Werte oder erhalten die Standardwerte. Bevor etwas geändert wird, sehen Sie alle Änderungen.',
    file: 'CSV- oder JSON-Datei',
    fileHelp: 'Höchstens {{count}} Propertys und {{size}}.',
    createsUnknown: 'Propertys erstellen, deren Sitekey es in dieser Organisation nicht gibt',
    createsUnknownHelp:
      'Sie erhalten neue Sitekeys. So können Sie Propertys aus einer anderen Organisation oder von einem anderen Server kopieren.',
    preview: 'Vorschau des Imports anzeigen',
    previewTitle: 'Vorschau des Imports',
    nothing: 'Die Datei ändert nichts: Alle Propertys haben diese Einstellungen bereits.',
    summary: {
      create_one: '{{count}} Property wird erstellt.',
      create_other: '{{count}} Propertys werden erstellt.',
      update_one: '{{count}} Property wird geändert.',
      update_other: '{{count}} Propertys werden geändert.',
      keep_one: '{{count}} Property bleibt unverändert.',
      keep_other: '{{count}} Propertys bleiben unverändert.',
      reject_one:
        '{{count}} Property hat ein Problem. Korrigieren Sie die Datei und importieren Sie sie noch einmal.',
      reject_other:
        '{{count}} Propertys haben Probleme. Korrigieren Sie die Datei und importieren Sie sie noch einmal.',
    },
    all: 'Entweder werden alle Änderungen übernommen oder keine. Die Domains neuer und geänderter Propertys werden zuerst im DNS abgefragt.',
    skipDns: 'Ohne DNS-Prüfung importieren',
    skipDnsHelp:
      'Für Domains, die sich nur in Ihrem Netzwerk auflösen lassen. Das wird im Audit-Log festgehalten.',
    apply_one: '{{count}} Property importieren',
    apply_other: '{{count}} Propertys importieren',
    another: 'Andere Datei auswählen',
    problems: 'Probleme',
    changes: 'Änderungen',
    line: 'Zeile',
    position: 'Nr.',
    property: 'Property',
    column: 'Spalte',
    problem: 'Problem',
    change: 'Änderung',
    created: 'Neue Property für {{domain}}',
    createdNewSitekey: 'Neue Property für {{domain}}, mit einem neuen Sitekey',
    fromTo: '<name></name>: {{before}} → {{after}}',
    more_one: '{{count}} weiterer Eintrag wird nicht angezeigt.',
    more_other: '{{count}} weitere Einträge werden nicht angezeigt.',
    done_one: '{{count}} Property wurde importiert.',
    done_other: '{{count}} Propertys wurden importiert.',
    notApplied: 'Wegen der folgenden Probleme wurde nichts importiert.',
    yes: 'ja',
    no: 'nein',
  },
};
