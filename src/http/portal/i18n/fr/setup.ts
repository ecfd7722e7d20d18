import type { Catalog } from '../catalog.ts';

export const setup: Catalog['setup'] = {
  title: 'Configurer Postern',
  about:
    'Créez le premier utilisateur, qui est administrateur. Ce formulaire ne fonctionne qu’une seule fois.',
  name: 'Votre nom',
  nameHelp: 'Les autres membres voient ce nom. Vous pourrez le modifier plus tard.',
  organization: 'Nom de votre organisation',
  organizationHelp:
    'Les propriétés que vous protégez appartiennent à l’organisation. Vous pourrez modifier son nom plus tard.',
  button: 'Créer le premier utilisateur',
  noUsers:
    'Il n’y a encore aucun utilisateur. Au démarrage, le serveur a affiché un lien de configuration sur sa sortie standard.',
  findLink:
    'La ligne commence par <code>Setup link:</code>. À chaque démarrage, le serveur affiche un nouveau lien et invalide le précédent.',
  command: 'Vous pouvez également créer le premier utilisateur avec la ligne de commande :',
  copyCommand: 'Copier la commande',
};
