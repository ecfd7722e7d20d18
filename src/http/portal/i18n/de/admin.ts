import type { Catalog } from '../catalog.ts';

export const admin: Catalog['admin'] = {
  system: 'System',
  tabs: {
    overview: 'Übersicht',
    users: 'Benutzer',
    plans: 'Tarife',
    statistics: 'Statistik',
    settings: 'Einstellungen',
  },
  overview: {
    installation: 'Installation',
    version: 'Version',
    schema: 'Datenbankschema',
    time: 'Serverzeit',
    address: 'Ihre Adresse',
    storage: 'Speicher',
    rows: {
      accounts: 'Benutzer',
      organizations: 'Organisationen',
      properties: 'Propertys',
      apiKeys: 'API-Schlüssel',
      invitations: 'Offene Einladungen',
      unfinishedTasks: 'Nicht abgeschlossene Aufgaben',
      finishedTasks: 'Abgeschlossene Aufgaben',
      auditEntries: 'Einträge im Audit-Log',
    },
    files: {
      caption: 'Dateien der Datenbank',
      file: 'Datei',
      size: 'Größe',
      none: 'Es gibt keine Dateien.',
    },
  },
  maintenance: {
    title: 'Wartungsmodus',
    on: 'Aktiviert',
    off: 'Deaktiviert',
    offText: 'Der Server nimmt Änderungen an.',
    onText: 'Der Server lehnt Änderungen ab. Besucher können weiterhin Puzzles lösen.',
    turnOn: 'Wartungsmodus aktivieren',
    turnOff: 'Wartungsmodus deaktivieren',
    turnOnTitle: 'Wartungsmodus aktivieren?',
    whileOn: 'Solange der Wartungsmodus aktiviert ist:',
    effects: {
      codes:
        'Puzzles werden wie gewohnt ausgegeben und Lösungen wie gewohnt überprüft. Eine akzeptierte Lösung erhält <code>success: true</code> mit dem Code 9 statt 0.',
      backends:
        'Backends, die <code>success</code> prüfen, zum Beispiel mit dem Code aus diesem Portal, akzeptieren Formulare weiterhin. <strong>Backends, die den Code 0 verlangen, lehnen alle Formulare ab</strong>, bis der Wartungsmodus deaktiviert wird.',
      changes:
        'Änderungen im Portal und über die Platform API werden mit dem Status 503 abgelehnt. Aufgaben warten.',
      banner: 'Auf jeder Seite des Portals erscheint ein Hinweis.',
    },
    turnedOn: 'Der Wartungsmodus wurde aktiviert.',
    turnedOff: 'Der Wartungsmodus wurde deaktiviert.',
    staysOn:
      'Der Wartungsmodus wurde hier deaktiviert, bleibt aber wirksam: Entweder ist er in der Konfiguration aktiviert, oder der Server kann nicht in die Datenbank schreiben.',
  },
  settings: {
    title: 'Geltende Einstellungen',
    caption: 'Geheime Werte sind maskiert. Der Server liest seine Einstellungen beim Start.',
    variable: 'Variable',
    value: 'Wert',
    source: 'Quelle',
    meaning: 'Bedeutung',
    none: 'Die Einstellungen dieses Servers sind nicht bekannt.',
    sources: {
      flag: 'Befehlszeile',
      environment: 'Umgebung',
      file: 'Datei',
      default: 'Standardwert',
    },
  },
  plans: {
    title: 'Tarife',
    caption: 'Jeder Benutzer hat einen Tarif, der die Anzahl der Organisationen und Propertys begrenzt',
    plan: 'Tarif',
    organizations: 'Organisationen',
    properties: 'Propertys insgesamt',
    action: 'Aktion',
    none: 'Es gibt keine Tarife.',
    change: 'Tarif ändern',
    changeNamed: 'Tarif ändern: {{name}}',
    form: 'Tarif erstellen oder ändern',
    name: 'Name',
    nameHelp:
      'Um einen Tarif zu ändern, geben Sie seinen Namen ein. Verwenden Sie für einen neuen Tarif Kleinbuchstaben, Ziffern und Bindestriche.',
    effect:
      'Die Limits gelten sofort. Benutzer, die bereits mehr haben, behalten ihre Organisationen und Propertys.',
    save: 'Tarif speichern',
    saved: 'Der Tarif {{name}} wurde gespeichert.',
  },
  users: {
    title: 'Benutzer',
    create: 'Benutzer erstellen',
    search: 'Benutzer suchen',
    searchField: 'E-Mail-Adresse oder Name',
    caption: 'Älteste zuerst',
    user: 'Benutzer',
    status: 'Status',
    plan: 'Tarif',
    owns: 'Inhaber von',
    created: 'Erstellt',
    none: 'Es gibt keine Benutzer.',
    noMatch: 'Bei keinem Benutzer enthält die E-Mail-Adresse oder der Name diesen Text.',
    organizations_one: '{{count}} Organisation',
    organizations_other: '{{count}} Organisationen',
    statuses: {
      active: 'Aktiv',
      administrator: 'Administrator',
      disabled: 'Deaktiviert',
      noPassword: 'Noch kein Passwort',
    },
    endAll: {
      title: 'Sitzungen',
      text: 'Wenn Sie vermuten, dass Sitzungen gestohlen wurden, melden Sie alle Benutzer ab. API-Schlüssel funktionieren weiterhin.',
      button: 'Alle Sitzungen aller Benutzer beenden',
      question: 'Alle Sitzungen aller Benutzer beenden?',
      consequence:
        'Alle Benutzer werden sofort in allen Browsern abgemeldet und müssen sich neu anmelden. Nur Ihre Sitzung in diesem Browser bleibt bestehen. API-Schlüssel funktionieren weiterhin.',
      ended_one: '{{count}} Sitzung wurde beendet.',
      ended_other: '{{count}} Sitzungen wurden beendet.',
    },
  },
  newUser: {
    title: 'Benutzer erstellen',
    intro:
      'Auf der nächsten Seite erscheint ein Link. Senden Sie ihn dem Benutzer, der damit ein Passwort wählen kann.',
    name: 'Name',
    nameHelp: 'Standardwert: die E-Mail-Adresse. Der Benutzer kann den Namen ändern.',
    administrator: 'Administrator',
    administratorHelp:
      'Administratoren können in dieser Installation alles sehen und ändern, auch Benutzer und deren Passwörter.',
    button: 'Benutzer erstellen',
    created: 'Der Benutzer wurde erstellt',
  },
  user: {
    about: 'Übersicht',
    name: 'Name',
    status: 'Status',
    owns: 'Inhaber von',
    apiKeys: 'API-Schlüssel',
    signedIn: 'Angemeldet',
    browsers_one: 'in {{count}} Browser',
    browsers_other: 'in {{count}} Browsern',
    twoFactor: 'Zwei-Faktor-Authentifizierung',
    on: 'Aktiviert',
    off: 'Deaktiviert',
    created: 'Erstellt',
    plan: {
      title: 'Tarif',
      label: 'Tarif und Kontingente',
      option: '{{name}}: bis zu {{organizations}} Organisationen und {{properties}} Propertys',
      save: 'Tarif speichern',
      saved: 'Der Tarif wurde geändert.',
    },
    signIn: {
      title: 'Anmeldung',
      forgot:
        'Wenn der Benutzer das Passwort vergessen hat, erstellen Sie einen Link, mit dem er ein neues wählen kann.',
      noPassword:
        'Der Benutzer hat noch kein Passwort. Erstellen Sie einen Link, mit dem er eines wählen kann.',
      linkLimits: 'Der Link funktioniert nur einmal und läuft nach drei Tagen ab.',
      createLink: 'Passwort-Link erstellen',
      sessions:
        'Beenden Sie alle Sitzungen, wenn der Benutzer ein Gerät verloren hat oder in einem Browser angemeldet geblieben ist.',
      endSessions: 'Alle Sitzungen beenden',
      endSessionsTitle: 'Alle Sitzungen dieses Benutzers beenden?',
      endSessionsText:
        '{{email}} wird sofort in allen Browsern abgemeldet. API-Schlüssel funktionieren weiterhin.',
      sessionsEnded: 'Alle Sitzungen des Benutzers wurden beendet.',
      lostPhone:
        'Wenn der Benutzer das Smartphone und die Wiederherstellungscodes verloren hat, deaktivieren Sie die Zwei-Faktor-Authentifizierung.',
      resetTwoFactor: 'Zwei-Faktor-Authentifizierung deaktivieren',
      resetTwoFactorTitle: 'Zwei-Faktor-Authentifizierung dieses Benutzers deaktivieren?',
      resetTwoFactorText:
        'Danach genügt das Passwort von {{email}} zur Anmeldung. Alle Sitzungen des Benutzers werden beendet. Vergewissern Sie sich, dass die Bitte wirklich von diesem Benutzer stammt.',
      wasReset:
        'Die Zwei-Faktor-Authentifizierung wurde deaktiviert. Alle Sitzungen des Benutzers wurden beendet.',
      wasOff:
        'Die Zwei-Faktor-Authentifizierung war bereits deaktiviert. Alle Sitzungen des Benutzers wurden beendet.',
    },
    role: {
      title: 'Administrator',
      isAdmin: 'Dieser Benutzer ist Administrator und kann in dieser Installation alles sehen und ändern.',
      isNotAdmin:
        'Administratoren können in dieser Installation alles sehen und ändern, auch Benutzer und deren Passwörter.',
      grant: 'Zum Administrator machen',
      grantTitle: 'Diesen Benutzer zum Administrator machen?',
      grantText:
        '{{email}} kann dann in dieser Installation alles sehen und ändern, auch alle Benutzer, deren Passwörter und Ihr eigenes Konto.',
      granted: 'Der Benutzer ist jetzt Administrator.',
      remove: 'Administratorrolle entziehen',
      removeTitle: 'Administratorrolle entziehen?',
      removeText:
        '{{email}} verliert sofort den Zugriff auf die Systemseiten. Die Organisationen und API-Schlüssel des Benutzers bleiben erhalten.',
      removed: 'Der Benutzer ist kein Administrator mehr.',
    },
    disable: {
      title: 'Gefahrenzone',
      text: 'Ein deaktivierter Benutzer kann sich nicht anmelden. Sie können den Benutzer später wieder aktivieren.',
      button: 'Benutzer deaktivieren',
      question: 'Diesen Benutzer deaktivieren?',
      consequence:
        '{{email}} kann sich nicht mehr anmelden, und alle API-Schlüssel des Benutzers werden abgelehnt, auch die, mit denen Backends Lösungen überprüfen. Die Organisationen und Propertys des Benutzers funktionieren weiterhin.',
      disabled: 'Der Benutzer wurde deaktiviert.',
      since: 'Der Benutzer wurde {{time}} deaktiviert.',
      enable: 'Benutzer aktivieren',
      enabled: 'Der Benutzer wurde aktiviert.',
    },
  },
};
