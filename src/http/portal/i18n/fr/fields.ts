import type { Catalog } from '../catalog.ts';

export const fields: Catalog['fields'] = {
  apiKey: {
    name: {
      label: 'Nom',
      help: 'Indique où la clé est utilisée. 128 caractères maximum.',
    },
    scope: {
      label: 'Portée',
      help: 'Un backend a besoin d’une clé pour la vérification de captchas. Les programmes qui gèrent des organisations et des propriétés ont besoin d’une clé pour les opérations du portail.',
    },
    rate: {
      label: 'Requêtes par seconde',
      help: 'Limite de débit propre à la clé. Sans valeur, la limite configurée s’applique.',
    },
    burst: {
      label: 'Rafale',
      help: 'Nombre de requêtes que la clé peut envoyer en une fois. Sans valeur, la limite configurée s’applique.',
    },
  },
  plan: {
    name: {
      label: 'Nom',
      help: '64 caractères maximum : lettres minuscules, chiffres et tirets.',
    },
    organizations: {
      label: 'Organisations',
      help: 'Nombre d’organisations dont un utilisateur peut être propriétaire.',
    },
    properties: {
      label: 'Propriétés',
      help: 'Nombre total de propriétés que peuvent compter les organisations dont un utilisateur est propriétaire.',
    },
  },
  property: {
    name: {
      label: 'Nom',
      help: '128 caractères maximum, sans caractères de contrôle ni chevrons. Les visiteurs ne le voient pas.',
    },
    domain: {
      label: 'Domaine',
      help: 'Nom d’hôte des pages qui contiennent le widget, par exemple example.com, sans schéma, port ni chemin. Il doit pouvoir être résolu par le DNS.',
    },
    level: {
      label: 'Niveau',
      help: 'Difficulté de base des puzzles. Une augmentation de 8 double le travail nécessaire.',
    },
    growth: {
      label: 'Croissance',
      help: 'Vitesse à laquelle la difficulté augmente pour un visiteur qui demande de nombreux puzzles et, légèrement, pour tous les visiteurs en cas de forte charge.',
    },
    challenge: {
      label: 'Type de travail',
      help: 'Ce que calcule le navigateur. argon2id nécessite de la mémoire, ce qui réduit l’avantage des cartes graphiques. Il s’applique à partir de la difficulté 152, aux widgets capables de le résoudre ; tous les autres puzzles utilisent BLAKE2b.',
    },
    validitySeconds: {
      label: 'Validité en secondes',
      help: 'Durée pendant laquelle un puzzle et sa solution sont valides. Le widget remplace les puzzles expirés.',
    },
    allowsSubdomains: {
      label: 'Autoriser les sous-domaines',
      help: 'Indique si le widget fonctionne aussi sur les sous-domaines, par exemple www.example.com pour le domaine example.com.',
    },
    allowsLocalhost: {
      label: 'Autoriser localhost',
      help: 'Indique si le widget fonctionne aussi sur localhost, *.localhost, 127.0.0.1 et [::1], pour le développement.',
    },
    allowance: {
      label: 'Vérifications par solution',
      help: 'Nombre de fois qu’une solution est acceptée tant qu’elle est valide.',
    },
    isEnabled: {
      label: 'Activée',
      help: 'Indique si la propriété est activée. Une propriété désactivée ne fournit aucun puzzle et ses solutions sont rejetées.',
    },
  },
};
