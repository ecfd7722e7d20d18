import type { Catalog } from '../catalog.ts';

export const home: Catalog['home'] = {
  title: 'Startseite',
  createProperty: 'Property erstellen',
  chooseOrganization: 'Zu welcher Organisation gehört die Property?',
  firstOrganization: {
    title: 'Ihre erste Organisation erstellen',
    text: 'Propertys gehören zu Organisationen, deren Mitglieder sie gemeinsam verwalten. Erstellen Sie eine Organisation oder bitten Sie den Inhaber einer Organisation um eine Einladung.',
  },
  firstProperty: {
    title: 'Ihr erstes Formular schützen',
    text: 'Eine Property ist eine Website mit Formularen, die geschützt werden sollen. Erstellen Sie eine Property, fügen Sie zwei Zeilen in Ihre Seite ein und senden Sie eine Anfrage aus Ihrem Backend. Das dauert etwa fünf Minuten.',
    action: 'Erste Property schützen',
  },
  list: {
    heading: 'Propertys',
    caption: 'Propertys mit den Zahlen der letzten 24 Stunden',
    property: 'Property',
    sitekey: 'Sitekey',
    difficulty: 'Schwierigkeit',
    level: 'Stufe {{level}}',
    disabled: 'Deaktiviert',
    text: 'Name, Domain oder Sitekey',
    state: 'Anzeigen',
    states: {
      all: 'Alle Propertys',
      disabled: 'Deaktiviert',
      unverified: 'Noch keine Lösung überprüft',
      spike: 'Mehr Zugriffe als üblich',
    },
    order: 'Sortieren nach',
    orders: {
      use: 'Meiste Puzzles',
      nameUp: 'Name, A bis Z',
      nameDown: 'Name, Z bis A',
      newest: 'Neueste zuerst',
      oldest: 'Älteste zuerst',
    },
    filter: 'Anwenden',
    noMatches: 'Keine passende Property gefunden.',
    cut: 'Die Liste enthält nur die 1.000 neuesten Treffer. Geben Sie einen längeren Text ein, um andere zu finden.',
  },
  attention: {
    heading: 'Erfordert Ihre Aufmerksamkeit',
    none: 'Nichts erfordert Ihre Aufmerksamkeit.',
    spike_one: 'Diese Property hat wesentlich mehr Zugriffe als üblich:',
    spike_other: 'Diese Propertys haben wesentlich mehr Zugriffe als üblich:',
    difficulty_one: 'Viele Zugriffe haben die Schwierigkeit dieser Property erhöht:',
    difficulty_other: 'Viele Zugriffe haben die Schwierigkeit dieser Propertys erhöht:',
    difficultyOf: '{{property}} (Schwierigkeit {{difficulty}}, Stufe {{level}})',
    keys_one: 'Dieser API-Schlüssel läuft bald ab:',
    keys_other: 'Diese API-Schlüssel laufen bald ab:',
    keyExpires: '{{key}} ({{time}})',
    showKeys: 'API-Schlüssel anzeigen',
    tasks:
      'Einige Änderungen, die in den letzten sieben Tagen mit Ihren API-Schlüsseln angefordert wurden, wurden abgelehnt:',
    showTasks: 'Aufgaben anzeigen',
    twoFactor:
      'Sie sind Administrator ohne Zwei-Faktor-Authentifizierung. Aktivieren Sie sie, um die Installation zu schützen, falls Ihr Passwort gestohlen wird.',
    setUpTwoFactor: 'Zwei-Faktor-Authentifizierung einrichten',
    unverified_one:
      'Für diese Property wurde noch nie eine Lösung überprüft. Prüfen Sie die Integration in ihr Backend:',
    unverified_other:
      'Für diese Propertys wurde noch nie eine Lösung überprüft. Prüfen Sie die Integration in ihre Backends:',
    disabled_one: 'Diese Property ist deaktiviert und gibt keine Puzzles aus:',
    disabled_other: 'Diese Propertys sind deaktiviert und geben keine Puzzles aus:',
    showAll: 'Alle anzeigen',
  },
  installation: {
    heading: 'Diese Installation in den letzten 24 Stunden',
    statistics: 'Systemstatistik',
    issued: 'Ausgegebene Puzzles',
    verified: 'Überprüfte Lösungen',
    accepted: 'Akzeptiert',
    properties: 'Propertys',
    organizations: 'Organisationen',
    users: 'Benutzer',
  },
  search: {
    title: 'Suche',
    for: 'Ergebnisse für „{{text}}“',
    properties: 'Propertys',
    organizations: 'Organisationen',
    users: 'Benutzer',
    more: 'Alle Ergebnisse in der Liste anzeigen',
    start: 'Wonach suchen Sie?',
    none: 'Keine Ergebnisse für „{{text}}“',
    scope:
      'Die Suche findet Organisationen nach Namen und Propertys nach Namen, Domain und Sitekey. Von einem Sitekey genügen die ersten sechs Ziffern.',
    scopeOfAdministrator:
      'Die Suche findet Organisationen nach Namen, Propertys nach Namen, Domain und Sitekey sowie Benutzer nach Namen und E-Mail-Adresse. Von einem Sitekey genügen die ersten sechs Ziffern. Propertys werden nur in Ihren Organisationen gefunden.',
  },
};
