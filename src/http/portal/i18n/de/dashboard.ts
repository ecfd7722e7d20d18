import type { Catalog } from '../catalog.ts';

export const dashboard: Catalog['dashboard'] = {
  title: 'Dashboard',
  ranges: {
    label: 'Zeitraum',
    '24h': '24 Stunden',
    '7d': '7 Tage',
    '30d': '30 Tage',
    '1y': '1 Jahr',
    custom: 'Eigener Zeitraum',
    from: 'Erster Tag',
    to: 'Letzter Tag',
    help: 'Tage sind in UTC. Zeiträume von bis zu 7 Tagen innerhalb der letzten 30 Tage werden stundenweise angezeigt.',
    show: 'Zeitraum anzeigen',
  },
  unknownRange: {
    title: 'Unbekannter Zeitraum',
    text: 'Wählen Sie einen dieser Zeiträume: 24 Stunden, 7 Tage, 30 Tage, 1 Jahr oder einen eigenen Zeitraum.',
  },
  compare: {
    on: 'Mit dem vorherigen Zeitraum vergleichen',
    off: 'Vorherigen Zeitraum ausblenden',
  },
  download: {
    csv: 'CSV',
    json: 'JSON',
    csvLabel: 'Als CSV herunterladen',
    jsonLabel: 'Als JSON herunterladen',
  },
  live: {
    on: 'Live',
    offline: 'Verbindung wird wiederhergestellt …',
    ended:
      'Die Zahlen werden nicht mehr aktualisiert, weil Ihre Sitzung beendet ist. <link>Neu anmelden</link>',
  },
  figures: {
    label: 'Kennzahlen',
    issued: 'Ausgegeben',
    verified: 'Überprüft',
    repeated: 'Wiederholt',
    failed: 'Fehlgeschlagen',
    accepted: 'Akzeptanzrate',
    solveTime: 'Lösungszeit (Median)',
    difficulty: 'Schwierigkeit',
    notes: {
      issued: 'Puzzles, die Browser angefordert haben.',
      verified: 'Akzeptierte Lösungen, jede nur einmal gezählt.',
      repeated: 'Akzeptierte wiederholte Überprüfungen.',
      failed: 'Abgelehnte Überprüfungen.',
      accepted: 'Anteil der akzeptierten an allen Überprüfungen.',
      solveTime: 'Nach Angaben der Browser von Besuchern.',
      difficulty: 'Aktuelle Schwierigkeit eines Puzzles für einen neuen Besucher.',
      deletedProperties: 'Puzzles gelöschter Propertys.',
    },
  },
  change: {
    previous: 'zuvor {{value}}',
    more: '{{change}} mehr als im vorherigen Zeitraum ({{previous}})',
    less: '{{change}} weniger als im vorherigen Zeitraum ({{previous}})',
    same: 'unverändert gegenüber dem vorherigen Zeitraum ({{previous}})',
    points: '{{value}} Prozentpunkte',
    noteHour:
      'Änderungen vergleichen die abgeschlossenen Stunden dieses Zeitraums mit denselben Stunden davor.',
    noteDay:
      'Änderungen vergleichen die abgeschlossenen Tage dieses Zeitraums mit ebenso vielen Tagen davor.',
  },
  difficulty: {
    constant:
      'Die Schwierigkeit ist {{level}}, die Stufe dieser Property: Sie ändert sich nie, weil der Anstieg auf „Konstant“ eingestellt ist.',
    level:
      'Die Schwierigkeit ist {{level}}, die Stufe dieser Property, weil es nicht mehr Zugriffe als üblich gibt.',
    raised:
      'Die Schwierigkeit ist {{difficulty}}: Puzzles erfordern {{factor}}-mal so viel Rechenaufwand wie bei Stufe {{level}}, weil Besucher zuletzt mehr als viermal so viele Puzzles wie üblich angefordert haben.',
    disabled: 'Die Property ist deaktiviert und gibt daher keine Puzzles aus. Ihre Stufe ist {{level}}.',
  },
  chart: {
    title: 'Zeitlicher Verlauf',
    issued: 'Ausgegeben',
    verified: 'Überprüft',
    failed: 'Fehlgeschlagen',
    previous: 'Im vorherigen Zeitraum ausgegeben',
    zone: 'Uhrzeiten sind in Ihrer Zeitzone, {{zone}}.',
    hours: 'Uhrzeiten sind in UTC.',
    days: 'Jeder Tag ist ein Tag in UTC.',
    unfinishedHour: 'Der gestrichelte Teil ist die laufende Stunde.',
    unfinishedDay: 'Der gestrichelte Teil ist der heutige Tag, der noch nicht vorbei ist.',
  },
  numbers: {
    title: 'Zahlen',
    hours_one: '{{count}} Stunde',
    hours_other: '{{count}} Stunden',
    days_one: '{{count}} Tag',
    days_other: '{{count}} Tage',
    captionHour: 'Nach Stunden, in UTC, älteste zuerst',
    captionDay: 'Nach Tagen, in UTC, älteste zuerst',
    from: 'Ab',
    unfinished: '(noch nicht vorbei)',
  },
  solveTimes: {
    title: 'Lösungszeiten',
    none: 'Noch kein Widget hat eine Lösungszeit gemeldet.',
    share: '{{percent}} innerhalb von',
    wasm: 'Mit WebAssembly',
    help_one:
      'Aus {{count}} akzeptierten Lösung, nach Angabe des Browsers des Besuchers, die der Server nicht überprüfen kann. Auf 12,5 % genau.',
    help_other:
      'Aus {{count}} akzeptierten Lösungen, nach Angaben der Browser von Besuchern, die der Server nicht überprüfen kann. Auf 12,5 % genau.',
    few: 'Es gibt weniger als {{minimum}} Lösungszeiten, daher sind die hohen Prozentwerte noch nicht zuverlässig.',
  },
  advice: {
    fast: 'Auf Stufe {{level}} warten 95 % der Besucher weniger als {{time}}. Auf Stufe {{other}} wären es höchstens {{otherTime}}. Wenn Sie Missbrauch bemerken, ist also eine höhere Stufe möglich.',
    fits: 'Auf Stufe {{level}} warten 95 % der Besucher weniger als {{time}}. Auf Stufe {{other}} wären es höchstens {{otherTime}}. Die Stufe passt also zu diesen Besuchern.',
    slow: 'Auf Stufe {{level}} warten 95 % der Besucher weniger als {{time}}, aber das ist lang. Auf Stufe {{other}} wären es etwa {{otherTime}}.',
    wait: 'Auf Stufe {{level}} warten 95 % der Besucher weniger als {{time}}.',
    slowest: 'Auf Stufe {{level}} warten 95 % der Besucher weniger als {{time}}, aber das ist lang.',
    notEnough:
      'Für eine Empfehlung zur Stufe reichen die Daten noch nicht: {{samples}} von {{minimum}} Lösungszeiten auf Stufe {{level}} in den letzten {{days}} Tagen.',
    source:
      'Aus {{samples}} Lösungszeiten der letzten {{days}} Tage, alle mit dieser Stufe und Art des Rechenaufwands. Die Browser melden die Zeiten, Clients können sie also fälschen.',
  },
  empty: {
    title: 'Noch keine Besucher',
    text: 'Diese Seite zeigt Puzzles, Überprüfungen und Lösungszeiten. Bisher hat noch kein Browser ein Puzzle für diese Property angefordert. Die Zahlen erscheinen einige Sekunden nach dem ersten Besucher.',
    action: 'Widget in Ihre Seite einfügen',
    rangeTitle: 'Keine Besucher in diesem Zeitraum',
    rangeText:
      'Diese Property hatte in diesem Zeitraum keine Besucher. Wählen Sie einen längeren Zeitraum, um frühere Besucher zu sehen.',
    showYear: '1 Jahr anzeigen',
  },
  rejections: {
    title: 'Fehlgeschlagene Überprüfungen',
    none: 'Keine Überprüfung ist fehlgeschlagen.',
    other: 'Sonstige',
    reasons: {
      'error-other': {
        title: 'Property deaktiviert oder Serverfehler',
        advice:
          'Prüfen Sie, ob die Property deaktiviert ist. Wenn sie aktiviert ist, finden Sie den Grund im Server-Log.',
      },
      'solution-duplicates': {
        title: 'Doppelte Lösungen',
        advice: 'Das Widget sendet so etwas nie. Ein Programm versucht zu raten.',
      },
      'solution-invalid': {
        title: 'Falsche Lösung',
        advice:
          'Ein Programm umgeht den Rechenaufwand. Wenn echte Besucher davon berichten, prüfen Sie, ob die Seite das Widget von diesem Server lädt.',
      },
      'solution-bad-format': {
        title: 'Keine Lösung',
        advice:
          'Das Feld ist leer oder wurde von einem anderen Produkt ausgefüllt. Prüfen Sie, ob das Formular auf das Widget wartet und ob das Backend das Feld unverändert sendet.',
      },
      'puzzle-expired': {
        title: 'Puzzle abgelaufen',
        advice:
          'Das Formular war länger geöffnet, als das Puzzle gültig ist, oder das Backend überprüft die Lösung zu spät. Sie können die Gültigkeit in den Einstellungen der Property erhöhen.',
      },
      'property-invalid': {
        title: 'Falsche Property',
        advice:
          'Das Backend erwartet einen anderen Sitekey als den auf der Seite, oder die Property wurde gelöscht.',
      },
      'property-owner-mismatch': {
        title: 'API-Schlüssel eines anderen Benutzers',
        advice:
          'Der Benutzer des API-Schlüssels ist kein Mitglied der Organisation. Verwenden Sie den Schlüssel eines Mitglieds.',
      },
      'solution-verified-before': {
        title: 'Bereits überprüft',
        advice:
          'Ein Formular wurde zweimal gesendet, oder eine Lösung wurde wiederverwendet. Wenn Ihr Backend absichtlich mehrmals überprüft, akzeptieren Sie wiederholte Lösungen in den Einstellungen der Property.',
      },
      'integrity-error': {
        title: 'Ungültige Signatur',
        advice:
          'Das Puzzle wurde von einem anderen Server ausgegeben oder verändert. Prüfen Sie, ob die Seite und das Backend denselben Server verwenden.',
      },
      'org-scope-error': {
        title: 'API-Schlüssel einer anderen Organisation',
        advice:
          'Der API-Schlüssel ist auf eine andere Organisation beschränkt. Verwenden Sie einen Schlüssel für diese Organisation oder für alle Organisationen.',
      },
    },
  },
  system: {
    intro:
      'Diese Statistik zählt Anfragen, die zu keiner Property gehören: Formulare ohne Lösung, Puzzles von anderen Servern und Anfragen für gelöschte Propertys. Die Statistik einer Property finden Sie in ihrem Dashboard.',
    emptyTitle: 'Keine Anfragen in diesem Zeitraum',
    emptyText:
      'In diesem Zeitraum gab es keine Anfragen ohne Property. Wenn Backends ungültige Lösungen senden, erscheinen diese hier mit dem Grund.',
  },
};
