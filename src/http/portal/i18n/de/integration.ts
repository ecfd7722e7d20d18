import type { Catalog } from '../catalog.ts';

export const integration: Catalog['integration'] = {
  values: {
    title: 'Werte',
    text: 'Alles, was Ihre Seite und Ihr Backend benötigen.',
    sitekey: 'Sitekey',
    script: 'Skript-URL',
    endpoint: 'Überprüfungs-URL',
    pinned: 'Skript-URL dieser Version',
    integrity: 'Integritäts-Hash dieser Version',
    copy: 'Wert von „{{name}}“ kopieren',
  },
  page: {
    title: 'Widget in Ihre Seite einfügen',
    text: 'Das Widget ist ein Element in Ihrem Formular. Es sendet seine Lösung im Feld <code>postern-captcha-solution</code>.',
    tabs: 'Framework',
    html: 'HTML',
    shared: 'Alle Komponenten verwenden dieses Modul:',
    component: 'Die Komponente:',
    more: '<link>Mehr über Frameworks</link>, zum Beispiel über serverseitiges Rendering und Ereignisse.',
    pinned: 'Version des Skripts festlegen',
    pinnedText:
      'Browser prüfen die Integrität dieses Skripts und speichern es dauerhaft im Cache. Passen Sie Ihre Seite an, wenn Sie Postern aktualisieren.',
    codeName: 'Code für {{name}}',
    fileName: 'Datei {{name}}',
    pinnedName: 'Skript dieser Version',
  },
  backend: {
    title: 'Lösung in Ihrem Backend überprüfen',
    text: 'Bevor Ihr Backend das Formular verarbeitet, überprüft es die Lösung. Jede dieser Funktionen überprüft die Lösung und stellt sicher, dass sie von Ihrer Seite stammt.',
    tabs: 'Sprache',
    requires: {
      javascript: 'Erfordert Node 18 oder neuer, Deno oder Bun.',
      python: 'Erfordert Python 3 und keine Pakete.',
      php: 'Erfordert PHP 8 mit aktiviertem allow_url_fopen, wie es Standard ist.',
      ruby: 'Erfordert Ruby 2.7 oder neuer und keine Gems.',
      java: 'Erfordert Java 11 oder neuer und keine Bibliotheken.',
      go: 'Erfordert nur die Standardbibliothek.',
      curl: 'Erfordert eine Shell mit curl und grep.',
    },
  },
  key: {
    text: 'Ihr Backend benötigt einen API-Schlüssel anstelle von <code></code>. Wenn Sie hier einen erstellen, enthält der Code unten diesen Schlüssel. Er kann nur Lösungen dieser Organisation überprüfen.',
    other:
      'Wenn Sie bereits einen Schlüssel mit der Berechtigung „Captcha-Überprüfung“ haben, verwenden Sie diesen. <link>API-Schlüssel anzeigen</link>',
    button: 'API-Schlüssel erstellen',
    shown:
      '<strong>Der Code unten enthält den neuen API-Schlüssel, der nur einmal angezeigt wird.</strong> Kopieren Sie den Code, bevor Sie diese Seite verlassen, und bewahren Sie den Schlüssel auf Ihrem Server auf, niemals in einer Webseite. Wenn Sie ihn verlieren, erstellen Sie einen neuen.',
    label: 'API-Schlüssel',
    copy: 'API-Schlüssel kopieren',
  },
  vendors: {
    title: 'Anderes CAPTCHA ersetzen',
    text: 'Wenn Ihre Seite und Ihr Backend für einen anderen Anbieter geschrieben wurden, ändern Sie nur den Hostnamen, den Sitekey und das Secret. Verwenden Sie als Secret einen API-Schlüssel mit der Berechtigung „Captcha-Überprüfung“.',
    tabs: 'Anbieter',
    page: 'Verwenden Sie diesen Code in der Seite. Das Formular sendet das Feld <code></code>:',
    endpoint: 'Verwenden Sie diese Überprüfungs-URL im Backend:',
    pageName: 'Code der Seite für {{name}}',
    endpointName: 'Überprüfungs-URL für {{name}}',
    guide: '<link>Migrationsanleitung lesen</link>',
  },
  test: {
    title: 'Integration testen',
    text: 'Verfolgen Sie jeden Schritt einer echten Überprüfung: Ihr Browser ruft ein Puzzle für eine Ihrer Seiten ab und löst es, und dieser Server überprüft die Lösung wie für Ihr Backend.',
    open: 'Integration testen',
    page: 'Adresse Ihrer Seite',
    pageHelp:
      'Die Adresse der Seite mit dem Widget. Der Test ruft ein Puzzle ab wie ein Besucher dieser Seite.',
    use: 'Diese Adresse verwenden',
    run: 'Test starten',
    again: 'Test noch einmal starten',
    noScript: 'Der Test erfordert JavaScript.',
    uncounted:
      'Der Test verwendet ein echtes Puzzle mit der aktuellen Schwierigkeit, erscheint aber nicht in der Statistik und erhöht die Schwierigkeit nicht.',
    stepsTitle: 'Schritte',
    waiting: 'Nicht gestartet',
    running: 'Läuft …',
    skipped: 'Nicht erreicht',
    steps: {
      fetch: 'Puzzle abrufen',
      fetchMeaning:
        'Das Widget fordert ein Puzzle für den Sitekey an. Der Server prüft, ob die Property aktiviert ist und ob die Seite sie verwenden darf, und signiert das Puzzle.',
      fetchDone: '{{bytes}} Byte in {{ms}} ms empfangen. Die Schwierigkeit ist {{level}}.',
      solve: 'Puzzle im Browser lösen',
      solveMeaning: 'Der Browser sucht Zahlen, die zum Puzzle passen. Dieser Rechenaufwand bremst Bots.',
      solveDone: 'In {{ms}} ms gefunden, {{how}}. Die Lösung hat {{bytes}} Zeichen.',
      wasm: 'mit WebAssembly',
      script: 'ohne WebAssembly',
      send: 'Lösung zur Überprüfung senden',
      sendMeaning:
        'Ihr Formular sendet die Lösung an Ihr Backend, und Ihr Backend sendet sie mit einem API-Schlüssel an diesen Server. Der Test sendet sie direkt.',
      sendDone: '{{sent}} Byte gesendet und die Antwort in {{ms}} ms empfangen.',
      verdict: 'Ergebnis auswerten',
      verdictMeaning:
        'Ihr Backend akzeptiert das Formular, wenn „success“ den Wert true hat und „origin“ der Host Ihrer Seite ist.',
    },
    success: 'Die Lösung wurde akzeptiert. Code {{code}}, origin {{origin}}.',
    rejected: 'Die Lösung wurde mit dem Code {{code}} ({{name}}) abgelehnt. {{advice}}',
    answer: 'Antwort des Servers',
    causes: {
      'property-unknown':
        'Die Property ist deaktiviert oder wurde gelöscht. Wenn sie deaktiviert ist, aktivieren Sie sie in den Einstellungen.',
      'origin-missing': 'Die Adresse der Seite fehlt. Geben Sie die Adresse der Seite mit dem Widget ein.',
      'origin-not-allowed':
        'Die Property lässt diese Seite nicht zu: {{host}} ist nicht {{domain}}. Ändern Sie in den Einstellungen die Domain oder lassen Sie Subdomains oder localhost zu.',
      'origin-without-domain':
        '{{host}} ist ein Hostname ohne Punkt oder eine IP-Adresse und kann nicht die Domain einer Property sein. Öffnen Sie die Seite unter einem vollständigen Hostnamen wie intranet.example.com und legen Sie diesen in den Einstellungen als Domain fest.',
      unavailable:
        'Der Server kann zurzeit nicht auf seine Datenbank zugreifen. Versuchen Sie es noch einmal und prüfen Sie das Server-Log.',
      expired: 'Diese Seite ist zu alt. Laden Sie sie neu und starten Sie den Test noch einmal.',
      'rate-limited':
        'Die Tests dieser Property haben zu viele Puzzles angefordert. Warten Sie eine Minute und starten Sie den Test noch einmal.',
      network:
        'Der Browser konnte den Server nicht erreichen. Möglicherweise blockiert eine Erweiterung oder ein Netzwerkproblem die Anfrage. Auf Ihrer eigenen Seite kann eine Content Security Policy dieselbe Wirkung haben: Lassen Sie diesen Server in connect-src und script-src zu.',
      widget:
        'Das Widget wurde nicht geladen. Möglicherweise blockiert es eine Erweiterung. Auf Ihrer eigenen Seite kann eine Content Security Policy dieselbe Wirkung haben: Lassen Sie diesen Server in script-src zu.',
      solve: 'Der Browser konnte das Puzzle nicht lösen: {{reason}}',
      session:
        'Der Server hat die Anfrage abgelehnt, möglicherweise weil Ihre Sitzung beendet ist. Laden Sie die Seite neu.',
    },
    advice: {
      'error-other':
        'Die Property ist deaktiviert, oder der Server hat ein Problem. Prüfen Sie die Einstellungen der Property und das Server-Log.',
      'puzzle-expired':
        'Das Puzzle ist abgelaufen. Starten Sie den Test noch einmal oder erhöhen Sie die Gültigkeit in den Einstellungen.',
      'solution-verified-before': 'Diese Lösung wurde bereits überprüft. Starten Sie den Test noch einmal.',
      other: 'Starten Sie den Test noch einmal. Wenn er wieder fehlschlägt, prüfen Sie das Server-Log.',
    },
    pageMalformed: 'Geben Sie die Adresse einer Seite ein, zum Beispiel https://example.com/.',
  },
};
