import type { Catalog } from '../catalog.ts';

export const onboarding: Catalog['onboarding'] = {
  title: 'Ihre erste Property schützen',
  steps: {
    name: 'Property benennen',
    code: 'Code einfügen',
    verify: 'Lösung überprüfen',
  },
  noDomain:
    'Wenn Sie noch keine Domain haben, geben Sie <code>example.com</code> ein und testen Sie das Widget auf localhost. Sie können die Domain später ändern.',
  continue: 'Weiter',
  allSettings: 'Alle Einstellungen anzeigen',
  verified: 'Überprüft',
  waiting: 'Warten auf die erste Überprüfung',
  submit: 'Senden Sie Ihr Formular auf {{domain}} einmal ab. Einige Sekunden später wird dieses Feld grün.',
  submitLocalhost:
    'Senden Sie Ihr Formular auf {{domain}} oder localhost einmal ab. Einige Sekunden später wird dieses Feld grün.',
  none: 'Das Widget hat noch kein Puzzle angefordert.',
  issued: 'Das Widget hat ein Puzzle angefordert. Die Seite ist also richtig eingerichtet.',
  failed: 'Eine Überprüfung wurde abgelehnt. Den Grund finden Sie im Dashboard.',
  checkAgain: 'Noch einmal prüfen',
  protected: 'Die Lösung eines Besuchers wurde überprüft. {{name}} ist jetzt geschützt.',
  dashboard: 'Dashboard öffnen',
  trouble: 'Wenn nichts geschieht, <link>testen Sie die Integration</link>: Der Test erklärt jeden Schritt.',
};
