import type { Catalog } from '../catalog.ts';

export const integration: Catalog['integration'] = {
  values: {
    title: 'Valeurs',
    text: 'Tout ce dont votre page et votre backend ont besoin.',
    sitekey: 'Clé de site',
    script: 'URL du script',
    endpoint: 'URL de vérification',
    pinned: 'URL du script de cette version',
    integrity: 'Hachage d’intégrité de cette version',
    copy: 'Copier la valeur de « {{name}} »',
  },
  page: {
    title: 'Ajouter le widget à votre page',
    text: 'Le widget est un élément de votre formulaire. Il envoie sa solution dans le champ <code>postern-captcha-solution</code>.',
    tabs: 'Framework',
    html: 'HTML',
    shared: 'Tous les composants utilisent ce module :',
    component: 'Le composant :',
    more: '<link>En savoir plus sur les frameworks</link>, par exemple sur le rendu côté serveur et les événements.',
    pinned: 'Figer la version du script',
    pinnedText:
      'Les navigateurs contrôlent l’intégrité de ce script et le conservent définitivement en cache. Mettez votre page à jour lorsque vous mettez Postern à niveau.',
    codeName: 'le code pour {{name}}',
    fileName: 'le fichier {{name}}',
    pinnedName: 'le script de cette version',
  },
  backend: {
    title: 'Vérifier la solution dans votre backend',
    text: 'Avant de traiter le formulaire, votre backend vérifie la solution. Chacune de ces fonctions la vérifie et contrôle qu’elle provient de votre page.',
    tabs: 'Langage',
    requires: {
      javascript: 'Nécessite Node 18 ou version ultérieure, Deno ou Bun.',
      python: 'Nécessite Python 3, sans aucun paquet.',
      php: 'Nécessite PHP 8 avec allow_url_fopen activé, ce qui est le cas par défaut.',
      ruby: 'Nécessite Ruby 2.7 ou version ultérieure, sans aucune gem.',
      java: 'Nécessite Java 11 ou version ultérieure, sans aucune bibliothèque.',
      go: 'Nécessite uniquement la bibliothèque standard.',
      curl: 'Nécessite un shell avec curl et grep.',
    },
  },
  key: {
    text: 'Votre backend a besoin d’une clé d’API à la place de <code></code>. Créez-en une ici pour qu’elle figure dans le code ci-dessous. Elle peut uniquement vérifier les solutions de cette organisation.',
    other:
      'Si vous avez déjà une clé avec la portée « Vérification de captchas », utilisez-la. <link>Afficher les clés d’API</link>',
    button: 'Créer une clé d’API',
    shown:
      '<strong>Le code ci-dessous contient la nouvelle clé d’API, qui n’est affichée qu’une seule fois.</strong> Copiez le code avant de quitter cette page et conservez la clé sur votre serveur, jamais dans une page. Si vous la perdez, créez-en une nouvelle.',
    label: 'Clé d’API',
    copy: 'Copier la clé d’API',
  },
  vendors: {
    title: 'Remplacer un autre CAPTCHA',
    text: 'Si votre page et votre backend ont été écrits pour un autre fournisseur, modifiez uniquement le nom d’hôte, la clé de site et la clé secrète. Comme clé secrète, utilisez une clé d’API avec la portée « Vérification de captchas ».',
    tabs: 'Fournisseur',
    page: 'Utilisez ce code dans la page. Le formulaire envoie le champ <code></code> :',
    endpoint: 'Utilisez cette URL de vérification dans le backend :',
    pageName: 'le code de la page pour {{name}}',
    endpointName: 'l’URL de vérification pour {{name}}',
    guide: '<link>Lire le guide de migration</link>',
  },
  test: {
    title: 'Tester l’intégration',
    text: 'Suivez chaque étape d’une véritable vérification : votre navigateur récupère un puzzle pour l’une de vos pages et le résout, puis ce serveur vérifie la solution comme il le fait pour votre backend.',
    open: 'Tester l’intégration',
    page: 'Adresse de votre page',
    pageHelp:
      'L’adresse de la page qui contient le widget. Le test récupère un puzzle comme le fait un visiteur de cette page.',
    use: 'Utiliser cette adresse',
    run: 'Lancer le test',
    again: 'Relancer le test',
    noScript: 'Le test nécessite JavaScript.',
    uncounted:
      'Le test utilise un véritable puzzle avec la difficulté actuelle, mais il n’apparaît pas dans les statistiques et n’augmente pas la difficulté.',
    stepsTitle: 'Étapes',
    waiting: 'Non commencée',
    running: 'En cours…',
    skipped: 'Non atteinte',
    steps: {
      fetch: 'Récupérer un puzzle',
      fetchMeaning:
        'Le widget demande un puzzle pour la clé de site. Le serveur vérifie que la propriété est activée et que la page peut l’utiliser, puis il signe le puzzle.',
      fetchDone: '{{bytes}} octets reçus en {{ms}} ms. La difficulté est de {{level}}.',
      solve: 'Le résoudre dans le navigateur',
      solveMeaning:
        'Le navigateur cherche des nombres qui correspondent au puzzle. C’est ce travail qui ralentit les bots.',
      solveDone: 'Trouvée en {{ms}} ms, {{how}}. La solution compte {{bytes}} caractères.',
      wasm: 'avec WebAssembly',
      script: 'sans WebAssembly',
      send: 'Envoyer la solution pour vérification',
      sendMeaning:
        'Votre formulaire envoie la solution à votre backend, qui l’envoie à ce serveur avec une clé d’API. Le test l’envoie directement.',
      sendDone: '{{sent}} octets envoyés et réponse reçue en {{ms}} ms.',
      verdict: 'Lire le verdict',
      verdictMeaning:
        'Votre backend accepte le formulaire si « success » vaut true et si « origin » est l’hôte de votre page.',
    },
    success: 'La solution a été acceptée. Code {{code}}, origin {{origin}}.',
    rejected: 'La solution a été rejetée avec le code {{code}} ({{name}}). {{advice}}',
    answer: 'Réponse du serveur',
    causes: {
      'property-unknown':
        'La propriété est désactivée ou a été supprimée. Si elle est désactivée, activez-la dans les paramètres.',
      'origin-missing':
        'L’adresse de la page est absente. Saisissez l’adresse de la page qui contient le widget.',
      'origin-not-allowed':
        'La propriété n’autorise pas cette page : {{host}} n’est pas {{domain}}. Dans les paramètres, modifiez le domaine ou autorisez les sous-domaines ou localhost.',
      'origin-without-domain':
        '{{host}} est un nom d’hôte sans point ou une adresse IP et ne peut pas être le domaine d’une propriété. Ouvrez la page sous un nom d’hôte complet, par exemple intranet.example.com, et définissez ce nom comme domaine dans les paramètres.',
      unavailable:
        'Le serveur ne peut pas lire sa base de données pour le moment. Réessayez et consultez son journal.',
      expired: 'Cette page est trop ancienne. Rechargez-la et relancez le test.',
      'rate-limited':
        'Les tests de cette propriété ont demandé trop de puzzles. Attendez une minute et relancez le test.',
      network:
        'Le navigateur n’a pas pu joindre le serveur. Une extension ou un problème de réseau bloque peut-être la requête. Sur votre propre page, une règle Content Security Policy peut avoir le même effet : autorisez ce serveur dans connect-src et script-src.',
      widget:
        'Le widget n’a pas été chargé. Une extension le bloque peut-être. Sur votre propre page, une règle Content Security Policy peut avoir le même effet : autorisez ce serveur dans script-src.',
      solve: 'Le navigateur n’a pas pu résoudre le puzzle : {{reason}}',
      session:
        'Le serveur a rejeté la requête, peut-être parce que votre session a pris fin. Rechargez la page.',
    },
    advice: {
      'error-other':
        'La propriété est désactivée ou le serveur rencontre un problème. Vérifiez les paramètres de la propriété et le journal du serveur.',
      'puzzle-expired': 'Le puzzle a expiré. Relancez le test ou augmentez la validité dans les paramètres.',
      'solution-verified-before': 'Cette solution a déjà été vérifiée. Relancez le test.',
      other: 'Relancez le test. S’il échoue à nouveau, consultez le journal du serveur.',
    },
    pageMalformed: 'Saisissez l’adresse d’une page, par exemple www.example.com/login.',
  },
};
