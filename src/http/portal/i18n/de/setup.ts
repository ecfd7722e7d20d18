import type { Catalog } from '../catalog.ts';

export const setup: Catalog['setup'] = {
  title: 'Postern einrichten',
  about: 'Erstellen Sie den ersten Benutzer. Er ist Administrator. Dieses Formular funktioniert nur einmal.',
  name: 'Ihr Name',
  nameHelp: 'Andere Mitglieder sehen diesen Namen. Sie können ihn später ändern.',
  organization: 'Name Ihrer Organisation',
  organizationHelp:
    'Zur Organisation gehören die Propertys, die Sie schützen. Sie können den Namen später ändern.',
  button: 'Ersten Benutzer erstellen',
  noUsers:
    'Es gibt noch keine Benutzer. Der Server hat beim Start einen Einrichtungslink auf der Standardausgabe ausgegeben.',
  findLink:
    'Die Zeile beginnt mit <code>Setup link:</code>. Bei jedem Start gibt der Server einen neuen Link aus, und der vorherige wird ungültig.',
  command: 'Sie können den ersten Benutzer auch auf der Befehlszeile erstellen:',
  copyCommand: 'Befehl kopieren',
};
