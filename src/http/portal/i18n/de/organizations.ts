import type { Catalog } from '../catalog.ts';

export const organizations: Catalog['organizations'] = {
  name: 'Name',
  ownedByYou: 'Inhaber: Sie',
  ownedBy: 'Inhaber: {{email}}',
  properties_one: '{{count}} Property',
  properties_other: '{{count}} Propertys',
  tabs: {
    properties: 'Propertys',
    apiKeys: 'API-Schlüssel',
    members: 'Mitglieder',
    activity: 'Aktivität',
    settings: 'Einstellungen',
  },
  list: {
    title: 'Organisationen',
    heading: 'Ihre Organisationen',
    caption: 'Ihre Organisationen mit den Zahlen der letzten 24 Stunden',
    organization: 'Organisation',
    properties: 'Propertys',
    members: 'Mitglieder',
    text: 'Name',
    noMatches: 'Keine passende Organisation gefunden.',
  },
  create: {
    button: 'Organisation erstellen',
    explanation:
      'Propertys gehören zu Organisationen. Die Mitglieder einer Organisation verwalten deren Propertys gemeinsam.',
    nameHelp: 'Zum Beispiel der Name Ihres Unternehmens. Sie werden der Inhaber.',
    done: 'Die Organisation „{{name}}“ wurde erstellt.',
  },
  members: {
    title: 'Mitglieder',
    member: 'Mitglied',
    role: 'Rolle',
    since: 'Beigetreten',
    actions: 'Aktionen',
    owner: 'Inhaber',
    you: '(Sie)',
    transfer: 'Zum Inhaber machen',
    transferLabel: 'Zum Inhaber machen: {{name}}',
    remove: 'Mitglied entfernen',
    removeLabel: 'Mitglied entfernen: {{name}}',
    removeTitle: '{{name}} entfernen?',
    removeText:
      '{{name}} verliert den Zugriff auf diese Organisation, auch mit den eigenen API-Schlüsseln. Offene Einladungen, die dieses Mitglied erstellt hat, werden zurückgezogen. Das Konto bleibt bestehen.',
    removed: '{{name}} ist kein Mitglied mehr.',
  },
  invitations: {
    heading: 'Offene Einladungen',
    none: 'Es gibt keine offenen Einladungen.',
    address: 'E-Mail-Adresse',
    expires: 'Läuft ab',
    withdraw: 'Einladung zurückziehen',
    withdrawLabel: 'Einladung zurückziehen: {{email}}',
    withdrawTitle: 'Einladung für {{email}} zurückziehen?',
    withdrawText: 'Der Link, den Sie gesendet haben, funktioniert dann nicht mehr.',
    withdrawn: 'Die Einladung für {{email}} wurde zurückgezogen.',
    invite: 'Mitglied einladen',
    create: 'Einladung erstellen',
    explanation:
      'Ein Mitglied kann die Propertys dieser Organisation und deren Statistik sehen sowie Propertys erstellen, ändern und löschen.',
    emailHelp:
      'Nur ein Benutzer mit dieser Adresse kann die Einladung annehmen. Wenn Sie die Adresse noch einmal einladen, funktioniert der vorherige Link nicht mehr.',
    linkHeading: 'Einladungslink',
    linkText:
      'Senden Sie diesen Link selbst an {{email}}, denn Postern versendet keine E-Mails. Der Link wird nur einmal angezeigt, funktioniert nur einmal und läuft {{time}} ab.',
    copyLink: 'Link kopieren',
    linkSecret: 'Der Link ist geheim: Senden Sie ihn an niemand anderen.',
    sent: 'Ich habe ihn gesendet',
  },
  invitation: {
    title: 'Sie wurden eingeladen',
    text: '{{inviter}} lädt Sie zu „{{organization}}“ ein. Die Mitglieder verwalten die Propertys der Organisation und sehen deren Statistik.',
    validity: 'Die Einladung gilt für {{email}} und läuft {{time}} ab.',
    signedIn: 'Sie sind als {{email}} angemeldet.',
    otherAddress:
      'Sie sind als {{current}} angemeldet, also mit einer anderen Adresse. Melden Sie sich ab und fahren Sie dann als {{email}} fort.',
    accept: 'Einladung annehmen',
    signOut: 'Abmelden',
    signedOut: 'Sie sind abgemeldet.',
    accepted: 'Sie sind jetzt Mitglied von „{{name}}“.',
    signIn: 'Anmelden',
    signInText: 'Wenn es hier ein Konto mit dieser Adresse gibt, melden Sie sich damit an.',
    signInToAccept: 'Zum Annehmen anmelden',
    createAccount: 'Konto erstellen',
    createAccountText:
      'Wenn es hier noch kein Konto mit dieser Adresse gibt, erstellen Sie eines und melden Sie sich dann damit an.',
    yourName: 'Ihr Name',
    yourNameHelp: 'Andere Mitglieder sehen diesen Namen.',
    password: 'Passwort',
    accountCreated:
      'Melden Sie sich als {{email}} an, um die Einladung anzunehmen. Falls Sie bereits ein Konto hatten, wurde dessen Passwort nicht geändert.',
    noLink:
      'Um eine Einladung anzunehmen, öffnen Sie den Link, den Sie vom Inhaber der Organisation erhalten haben.',
    invalidTitle: 'Diese Einladung ist nicht gültig',
    alreadyAccepted: 'Wenn Sie sie bereits angenommen haben, <link>gehen Sie zu Ihren Organisationen</link>.',
  },
  settings: {
    rename: 'Organisation umbenennen',
    renamed: 'Die Organisation wurde umbenannt.',
    ownership: 'Inhaberschaft',
    ownershipText:
      'Sie sind der Inhaber dieser Organisation. Um sie zu übertragen, wählen Sie in der <link>Liste der Mitglieder</link> bei einem anderen Mitglied „Zum Inhaber machen“ aus. Sie bleiben Mitglied und können die Organisation dann verlassen.',
    delete: 'Organisation löschen',
    deleteHeading: 'Gefahrenzone',
    deleteText:
      'Die Organisation und ihre Propertys werden gelöscht, und die Propertys funktionieren ab sofort nicht mehr.',
    details: 'Details',
    owner: 'Inhaber',
    yourRole: 'Ihre Rolle',
    member: 'Mitglied',
    memberSince: 'Mitglied, beigetreten {{time}}',
    ownerOnly:
      'Nur der Inhaber kann die Organisation umbenennen, Mitglieder einladen und die Organisation löschen.',
    leaveHeading: 'Verlassen',
    leaveText:
      'Sie und Ihre API-Schlüssel verlieren den Zugriff auf die Propertys der Organisation. Die Propertys funktionieren weiterhin. Um der Organisation wieder beizutreten, benötigen Sie eine neue Einladung.',
    leave: 'Organisation verlassen',
    leaveTitle: '„{{name}}“ verlassen?',
    left: 'Sie haben „{{name}}“ verlassen.',
    cannotLeave: 'Nicht möglich',
    ownerCannotLeave:
      'Der Inhaber einer Organisation kann sie nicht verlassen. Machen Sie zuerst ein anderes Mitglied zum Inhaber oder löschen Sie die Organisation.',
  },
  delete: {
    title: 'Diese Organisation löschen?',
    button: 'Organisation löschen',
    empty: 'Die Organisation hat keine Propertys. {{rest}}',
    stops_one:
      'Ihre Property funktioniert ab sofort nicht mehr: Widgets erhalten keine Puzzles mehr, und Lösungen werden abgelehnt. {{rest}}',
    stops_other:
      'Ihre {{count}} Propertys funktionieren ab sofort nicht mehr: Widgets erhalten keine Puzzles mehr, und Lösungen werden abgelehnt. {{rest}}',
    rest: 'Mitglieder verlieren den Zugriff, und API-Schlüssel für diese Organisation funktionieren nicht mehr. Das kann nicht rückgängig gemacht werden.',
    done: '„{{name}}“ und die zugehörigen Propertys wurden gelöscht.',
  },
  transfer: {
    title: 'Diese Organisation übertragen?',
    button: 'Organisation übertragen',
    question: '„{{organization}}“ an {{user}} übertragen?',
    consequences: {
      owner:
        'Nur der neue Inhaber kann die Organisation umbenennen, löschen oder übertragen sowie Mitglieder einladen oder entfernen.',
      member:
        'Sie bleiben Mitglied und können die Propertys verwalten. Sie können die Übertragung nicht selbst rückgängig machen.',
      plan: 'Die Organisation und ihre Propertys zählen zum Tarif des neuen Inhabers statt zu Ihrem.',
      rest: 'Propertys und API-Schlüssel ändern sich nicht.',
    },
    done: '{{name}} ist jetzt der Inhaber dieser Organisation.',
    problems: {
      'account-disabled': 'Dieser Benutzer ist deaktiviert und kann nicht Inhaber werden.',
      'organization-name-taken':
        'Dieser Benutzer hat bereits eine Organisation mit diesem Namen. Benennen Sie zuerst eine der beiden um.',
      'organizations-limit': 'Der Tarif dieses Benutzers lässt keine weiteren Organisationen zu.',
      'properties-limit':
        'Der Tarif dieses Benutzers lässt die Propertys dieser Organisation nicht zusätzlich zu den eigenen zu.',
    },
  },
};
