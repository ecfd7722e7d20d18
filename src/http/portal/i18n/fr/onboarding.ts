import type { Catalog } from '../catalog.ts';

export const onboarding: Catalog['onboarding'] = {
  title: 'Protéger votre première propriété',
  steps: {
    name: 'Nommer la propriété',
    code: 'Ajouter le code',
    verify: 'Vérifier une solution',
  },
  noDomain:
    'Si vous n’avez pas encore de domaine, saisissez <code>example.com</code> et essayez le widget sur localhost. Vous pourrez modifier le domaine plus tard.',
  continue: 'Continuer',
  allSettings: 'Afficher tous les paramètres',
  verified: 'Vérifiée',
  waiting: 'En attente de la première vérification',
  submit:
    'Envoyez votre formulaire une fois sur {{domain}}. Quelques secondes plus tard, ce cadre devient vert.',
  submitLocalhost:
    'Envoyez votre formulaire une fois sur {{domain}} ou localhost. Quelques secondes plus tard, ce cadre devient vert.',
  none: 'Le widget n’a pas encore demandé de puzzle.',
  issued: 'Le widget a demandé un puzzle : la page est donc correctement configurée.',
  failed: 'Une vérification a été rejetée. Le tableau de bord en indique la raison.',
  checkAgain: 'Vérifier à nouveau',
  protected: 'La solution d’un visiteur a été vérifiée : {{name}} est donc protégée.',
  dashboard: 'Ouvrir le tableau de bord',
  trouble: 'Si rien ne se passe, <link>testez l’intégration</link> : le test explique chaque étape.',
};
