import type { Catalog } from '../catalog.ts';

export const account: Catalog['account'] = {
  fields: {
    email: 'E-Mail-Adresse',
    password: 'Passwort',
    currentPassword: 'Aktuelles Passwort',
    newPassword: 'Neues Passwort',
    newPasswordHelp:
      'Mindestens 8 Zeichen. Weit verbreitete Passwörter und Passwörter, die von Ihrer E-Mail-Adresse oder Organisation abgeleitet sind, werden abgelehnt. Gut geeignet sind mehrere zufällige Wörter.',
  },
  signIn: {
    title: 'Anmelden',
    button: 'Anmelden',
    forgot: 'Passwort vergessen?',
    kept: '<strong>Ihre Sitzung ist beendet.</strong> Melden Sie sich an, um fortzufahren: Das gerade gesendete Formular wird anschließend verarbeitet. Sie müssen es nicht noch einmal ausfüllen.',
  },
  forgot: {
    title: 'Passwort vergessen?',
    users: {
      title: 'Einen Administrator fragen',
      text: 'Ein Administrator dieser Installation kann einen Passwort-Link für Sie erstellen. Mit dem Link können Sie einmalig ein neues Passwort wählen. Postern versendet keine E-Mails, daher erhalten Sie den Link vom Administrator.',
    },
    administrators: {
      title: 'Für Administratoren',
      portal:
        'Melden Sie sich an, öffnen Sie <link>Benutzer</link>, wählen Sie den Benutzer aus und erstellen Sie einen Passwort-Link.',
      command:
        'Wenn sich kein Administrator anmelden kann, führen Sie auf dem Server diesen Befehl aus. Er fragt nach einem neuen Passwort und meldet den Benutzer überall ab:',
      copy: 'Befehl kopieren',
    },
    back: 'Zurück zur Anmeldung',
  },
  code: {
    title: 'Code eingeben',
    label: 'Code',
    help: 'Die sechs Ziffern aus Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.',
    button: 'Anmelden',
    lost: {
      summary: 'Smartphone und Wiederherstellungscodes verloren?',
      text: 'Ein Administrator kann die Zwei-Faktor-Authentifizierung für Sie auf der Seite Ihres Benutzerkontos deaktivieren. Wenn sich kein Administrator anmelden kann, kann der Betreiber dieses Servers diesen Befehl ausführen:',
    },
  },
  signedOut: 'Sie sind abgemeldet.',
  confirm: {
    title: 'Passwort bestätigen',
    reason:
      'Diese Seite erfordert Ihr Passwort. In den nächsten 15 Minuten werden Sie nicht noch einmal danach gefragt.',
    reasonForm:
      'Diese Aktion erfordert Ihr Passwort. Sie wird fortgesetzt, sobald Sie es eingegeben haben. In den nächsten 15 Minuten werden Sie nicht noch einmal danach gefragt.',
    button: 'Weiter',
    sessionOver:
      'Ihre Sitzung wurde gerade beendet. Klicken Sie noch einmal auf „Weiter“ und melden Sie sich dann an.',
  },
  profile: {
    title: 'Profil',
    details: 'Konto',
    email: 'E-Mail-Adresse',
    role: 'Rolle',
    roles: { administrator: 'Administrator', user: 'Benutzer' },
    name: 'Name',
    nameHelp: 'Die anderen Mitglieder Ihrer Organisationen sehen diesen Namen.',
    save: 'Namen speichern',
    saved: 'Ihr Name wurde geändert.',
  },
  security: {
    title: 'Sicherheit',
    password: {
      title: 'Passwort',
      text: 'Wenn Sie Ihr Passwort ändern, werden Sie in allen anderen Browsern abgemeldet.',
      change: 'Passwort ändern',
    },
    twoFactor: {
      title: 'Zwei-Faktor-Authentifizierung',
      on: 'Aktiviert',
      off: 'Deaktiviert',
      onText_one:
        'Bei der Anmeldung geben Sie zusätzlich einen Code ein. Sie haben noch {{count}} Wiederherstellungscode.',
      onText_other:
        'Bei der Anmeldung geben Sie zusätzlich einen Code ein. Sie haben noch {{count}} Wiederherstellungscodes.',
      offText:
        'Zur Anmeldung genügt Ihr Passwort. Ein zweiter Faktor schützt Ihr Konto, falls das Passwort gestohlen wird.',
      manage: 'Zwei-Faktor-Authentifizierung verwalten',
      setUp: 'Zwei-Faktor-Authentifizierung einrichten',
    },
    sessions: {
      title: 'Sitzungen',
      caption: 'Browser, in denen Sie angemeldet sind',
      browser: 'Browser',
      address: 'Adresse',
      lastUsed: 'Zuletzt verwendet',
      signedIn: 'Angemeldet',
      action: 'Aktion',
      current: 'Dieser Browser',
      none: 'Es gibt keine Sitzungen.',
      end: 'Sitzung beenden',
      endNamed: 'Sitzung beenden: {{browser}}, {{address}}',
      endTitle: 'Diese Sitzung beenden?',
      endText:
        '{{browser}} mit der Adresse {{address}} wird sofort abgemeldet. Eingaben in dort geöffneten Formularen bleiben erhalten, bis sich der Benutzer wieder anmeldet.',
      ended: 'Die Sitzung wurde beendet.',
      endOthers: 'Alle anderen Sitzungen beenden',
      endOthersTitle: 'Alle anderen Sitzungen beenden?',
      endOthersText_one:
        '{{count}} anderer Browser wird sofort abgemeldet. Dieser Browser bleibt angemeldet.',
      endOthersText_other:
        '{{count}} andere Browser werden sofort abgemeldet. Dieser Browser bleibt angemeldet.',
      othersEnded: 'Alle anderen Sitzungen wurden beendet.',
    },
    unknownBrowser: 'Unbekannter Browser',
    browserOn: '{{browser}} unter {{system}}',
  },
  passwordChange: {
    title: 'Passwort ändern',
    button: 'Passwort ändern',
    others: 'Dadurch werden Sie in allen anderen Browsern abgemeldet.',
    changed: 'Ihr Passwort wurde geändert. Alle anderen Sitzungen wurden beendet.',
  },
  passwordLink: {
    title: 'Passwort wählen',
    signInAs: 'Mit diesem Passwort melden Sie sich als <strong>{{email}}</strong> an.',
    button: 'Passwort festlegen',
    set: 'Ihr Passwort wurde festgelegt. Melden Sie sich damit an.',
    noLink: 'Um ein Passwort zu wählen, öffnen Sie den Link, den Sie von einem Administrator erhalten haben.',
    toSignIn: 'Zur Anmeldeseite',
    created: {
      title: 'Passwort-Link',
      send: 'Senden Sie diesen Link auf einem vertraulichen Weg an <strong>{{email}}</strong>: Jeder, der den Link hat, kann das Passwort dieses Benutzers wählen.',
      limits:
        'Der Link funktioniert nur einmal. Er läuft nach drei Tagen ab oder sobald das Passwort auf anderem Weg geändert wird. Er wird nicht noch einmal angezeigt.',
      copy: 'Link kopieren',
      toUser: 'Zum Benutzer',
    },
  },
  openLink: {
    title: 'Link öffnen',
    field: 'Link',
    help: 'Fügen Sie den ganzen Link oder den Teil nach „token=“ ein.',
    button: 'Link öffnen',
    invalid:
      'Das ist kein Link und kein Token dieses Servers. Kopieren Sie den ganzen Link und fügen Sie ihn hier ein.',
  },
  twoFactor: {
    title: 'Zwei-Faktor-Authentifizierung',
    required:
      'Diese Installation erfordert die Zwei-Faktor-Authentifizierung. Richten Sie sie ein, um fortzufahren.',
    about:
      'Nach dem Passwort geben Sie zusätzlich einen Code aus einer Authenticator-App auf Ihrem Smartphone ein, sodass Ihr Passwort allein nicht zur Anmeldung genügt. Sie können jede Authenticator-App (TOTP) verwenden.',
    start: 'Einrichtung starten',
    scan: 'Scannen Sie diesen QR-Code mit Ihrer Authenticator-App oder geben Sie den geheimen Schlüssel in der App ein.',
    qrCode: 'QR-Code des geheimen Schlüssels',
    copySecret: 'Geheimen Schlüssel kopieren',
    code: 'Code aus der App',
    codeHelp: 'Die sechs Ziffern, die die App gerade anzeigt.',
    turnOn: 'Zwei-Faktor-Authentifizierung aktivieren',
    turnedOn: 'Die Zwei-Faktor-Authentifizierung wurde aktiviert.',
    turnedOff: 'Die Zwei-Faktor-Authentifizierung wurde deaktiviert.',
    turnOffTitle: 'Deaktivieren',
    turnOffText:
      'Danach genügt Ihr Passwort zur Anmeldung. Ihre Wiederherstellungscodes funktionieren nicht mehr.',
    turnOff: 'Zwei-Faktor-Authentifizierung deaktivieren',
    recovery: {
      title: 'Wiederherstellungscodes',
      left_one: 'Sie haben noch {{count}} Wiederherstellungscode. Jeder Code funktioniert nur einmal.',
      left_other: 'Sie haben noch {{count}} Wiederherstellungscodes. Jeder Code funktioniert nur einmal.',
      renew: 'Neue Wiederherstellungscodes erstellen',
      renewTitle: 'Neue Wiederherstellungscodes erstellen?',
      renewText:
        'Ihre aktuellen Wiederherstellungscodes funktionieren ab sofort nicht mehr, auch nicht die, die Sie ausgedruckt oder gespeichert haben.',
      renewed: 'Ihre bisherigen Wiederherstellungscodes funktionieren nicht mehr.',
      about:
        'Wenn Sie Ihr Smartphone verlieren, melden Sie sich mit einem Wiederherstellungscode statt mit einem Code aus der App an. Jeder Wiederherstellungscode funktioniert nur einmal. Die Codes werden nicht noch einmal angezeigt: Drucken Sie sie aus oder speichern Sie sie in Ihrem Passwortmanager.',
      copy: 'Wiederherstellungscodes kopieren',
      saved: 'Ich habe die Codes gespeichert',
    },
    others: {
      title: 'Andere Sitzungen',
      text_one:
        '{{count}} anderer Browser ist ohne Code bei diesem Konto angemeldet. Speichern Sie zuerst die Wiederherstellungscodes, denn beim Beenden der Sitzung verlassen Sie diese Seite.',
      text_other:
        '{{count}} andere Browser sind ohne Code bei diesem Konto angemeldet. Speichern Sie zuerst die Wiederherstellungscodes, denn beim Beenden der Sitzungen verlassen Sie diese Seite.',
    },
  },
  shortcuts: {
    title: 'Tastenkombinationen',
    text: 'Tastenkombinationen funktionieren auf jeder Seite, solange kein Feld den Fokus hat. Sie erfordern JavaScript.',
    caption: 'Tasten und ihre Funktion',
    keys: 'Tasten',
    action: 'Aktion',
    thenKey: 'dann',
    search: 'Suchen',
    list: 'Diese Liste anzeigen',
    goTo: 'Seite öffnen: {{page}}',
    use: 'Tastenkombinationen in diesem Browser verwenden',
    useHelp:
      'Deaktivieren Sie die Tastenkombinationen, wenn sie die Spracheingabe oder ein anderes Hilfsmittel stören.',
  },
};
