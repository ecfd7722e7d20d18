import type { Catalog } from '../catalog.ts';

export const kit: Catalog['kit'] = {
  skip: 'Zum Inhalt springen',
  errorTitle: 'Fehler: {{title}}',
  errors: 'Es ist ein Problem aufgetreten',
  menu: 'Menü',
  navigation: {
    label: 'Portal',
    home: 'Startseite',
    organizations: 'Organisationen',
    activity: 'Aktivität',
    account: 'Konto',
    profile: 'Profil',
    security: 'Sicherheit',
    apiKeys: 'API-Schlüssel',
    administration: 'Administration',
    system: 'System',
    users: 'Benutzer',
    help: 'Hilfe',
    docs: 'Dokumentation',
    apiReference: 'API-Referenz',
    demo: 'Demo',
    shortcuts: 'Tastenkombinationen',
    signOut: 'Abmelden',
  },
  help: {
    link: 'Hilfe',
    label: 'Hilfe zu dieser Seite (öffnet einen neuen Tab)',
  },
  search: {
    label: 'Organisationen, Propertys, Sitekeys und Benutzer suchen',
    placeholder: 'Suchen',
  },
  preferences: {
    title: 'Sprache und Design',
    language: 'Sprache',
    theme: 'Design',
    themes: { auto: 'Wie im System', light: 'Hell', dark: 'Dunkel' },
    save: 'Einstellungen speichern',
    unknown: 'Wählen Sie eine der Sprachen und eines der Designs im Formular aus.',
  },
  maintenance: {
    banner:
      '<strong>Der Wartungsmodus ist aktiviert.</strong> Sie können Seiten ansehen, Änderungen werden jedoch abgelehnt. Lösungen von Besuchern werden weiterhin überprüft.',
    switch: 'Zum Schalter für den Wartungsmodus',
    later: 'Versuchen Sie es später noch einmal.',
  },
  keyWarnings: {
    expires_one: 'Der API-Schlüssel {{key}} läuft innerhalb eines Tages ab, am {{time}}.',
    expires_other: 'Der API-Schlüssel {{key}} läuft innerhalb von {{count}} Tagen ab, am {{time}}.',
    more_one: '{{count}} weiterer Schlüssel läuft innerhalb von zwei Wochen ab.',
    more_other: '{{count}} weitere Schlüssel laufen innerhalb von zwei Wochen ab.',
    advice: 'Erstellen Sie einen neuen Schlüssel und ersetzen Sie den alten, bevor er abläuft.',
  },
  exportLimit: {
    title: 'Zu viele Exporte',
    text: 'Es können höchstens {{count}} Ihrer Exporte und {{total}} Exporte aller Benutzer gleichzeitig laufen. Warten Sie, bis einer von ihnen beendet ist, und versuchen Sie es erneut.',
  },
  notFound: {
    title: 'Seite nicht gefunden',
    text: 'Diese Seite existiert nicht, oder Sie haben keinen Zugriff darauf.',
  },
  notAllowed: {
    title: 'Zugriff verweigert',
    administrators: 'Diese Seite ist Administratoren dieser Installation vorbehalten.',
  },
  startPage: 'Zur Startseite',
  throttled: {
    seconds_one:
      'Es gab zu viele fehlgeschlagene Versuche. Warten Sie {{count}} Sekunde und versuchen Sie es dann noch einmal. Dieser Versuch wurde nicht geprüft.',
    seconds_other:
      'Es gab zu viele fehlgeschlagene Versuche. Warten Sie {{count}} Sekunden und versuchen Sie es dann noch einmal. Dieser Versuch wurde nicht geprüft.',
    minutes_one:
      'Es gab zu viele fehlgeschlagene Versuche. Warten Sie {{count}} Minute und versuchen Sie es dann noch einmal. Dieser Versuch wurde nicht geprüft.',
    minutes_other:
      'Es gab zu viele fehlgeschlagene Versuche. Warten Sie {{count}} Minuten und versuchen Sie es dann noch einmal. Dieser Versuch wurde nicht geprüft.',
  },
  failure: {
    failed: { title: 'Ein Fehler ist aufgetreten', text: 'Einzelheiten stehen im Log des Servers.' },
    invalid: {
      title: 'Ungültige Anfrage',
      text: 'Die Anfrage konnte nicht gelesen werden. Öffnen Sie die Seite noch einmal.',
    },
    unavailable: {
      title: 'Nicht verfügbar',
      text: 'Der Server ist vorübergehend nicht verfügbar. Versuchen Sie es in Kürze noch einmal.',
    },
    tooMany: {
      title: 'Zu viele Anfragen',
      text: 'Sie oder andere Personen mit derselben Netzwerkadresse haben in kurzer Zeit viele Seiten aufgerufen. Warten Sie einige Sekunden und laden Sie die Seite dann neu.',
    },
    wrongHost: {
      title: 'Falscher Hostname',
      text: 'Das Portal ist unter diesem Hostnamen nicht verfügbar. Öffnen Sie {{url}}. Damit auch dieser Name funktioniert, kann der Betreiber dieses Servers POSTERN_BASE_URL setzen oder den Namen zu POSTERN_ALLOWED_HOSTS hinzufügen.',
    },
  },
  checks: {
    notAccepted: 'Nicht akzeptiert',
    otherOrigin:
      'Dieses Formular wurde von der Seite eines anderen Servers gesendet. Öffnen Sie die Seite auf diesem Server und versuchen Sie es noch einmal.',
    invalidToken:
      'Dieses Formular gehört zu einer anderen Sitzung. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es noch einmal.',
    notAForm: 'Die Anfrage ist kein Formular dieses Servers oder zu groß.',
    tooSlow:
      'Die Übertragung des Formulars hat zu lange gedauert. Gehen Sie zurück und senden Sie es noch einmal.',
    busy: 'Der Server ist ausgelastet. Gehen Sie zurück und senden Sie das Formular in Kürze noch einmal.',
    enrollFirst:
      'Diese Installation erfordert die Zwei-Faktor-Authentifizierung. Richten Sie sie zuerst ein und versuchen Sie es dann noch einmal. Es wurde nichts geändert.',
  },
  interrupted: {
    signInNotKept:
      'Ihre Sitzung war beendet, daher wurde nichts geändert. Das Formular enthält ein Passwort, einen Code oder eine Datei oder ist zu groß und wurde daher nicht aufbewahrt. Melden Sie sich an und füllen Sie es noch einmal aus.',
    passwordNotKept:
      'Es wurde noch nichts geändert. Das Formular enthält ein Passwort, einen Code oder eine Datei oder ist zu groß und wurde daher nicht aufbewahrt. Bestätigen Sie Ihr Passwort und füllen Sie es noch einmal aus.',
    expired:
      'Sie haben Ihr Passwort mehr als 15 Minuten nach dem Senden des Formulars bestätigt. Es wurde nichts geändert. Senden Sie das Formular noch einmal.',
    otherUser:
      'Das Formular wurde von einem anderen Benutzer ausgefüllt und daher verworfen. Es wurde nichts geändert.',
    repeated: 'Dieses Formular wurde bereits verarbeitet und daher nicht noch einmal verarbeitet.',
  },
  kept: {
    maintenance: {
      title: 'Wartungsmodus',
      reason: 'Im Wartungsmodus lehnt der Server Änderungen ab, daher wurde nichts geändert.',
      advice: 'Ihre Eingaben bleiben auf dieser Seite erhalten. Senden Sie sie nach der Wartung noch einmal.',
    },
    restarted: {
      title: 'Formular prüfen',
      reason:
        'Der Server wurde neu gestartet, während Sie Ihr Passwort eingegeben haben. Daher ist nicht bekannt, ob er dieses Formular verarbeitet hat.',
      advice:
        'Prüfen Sie, ob die Änderung vorgenommen wurde. Falls nicht, senden Sie das Formular noch einmal.',
    },
    earlierSession: {
      title: 'Formular prüfen',
      reason:
        'Sie haben sich neu angemeldet, seit Sie dieses Formular geöffnet haben. Daher wurde es noch nicht verarbeitet.',
      advice: 'Prüfen Sie Ihre Eingaben und senden Sie das Formular dann noch einmal.',
    },
    send: 'Formular senden',
    sendAgain: 'Noch einmal senden',
    file: 'Die Datei wurde nicht aufbewahrt. Gehen Sie zurück und senden Sie das Formular noch einmal.',
  },
};
