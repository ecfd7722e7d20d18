import type { Catalog } from '../catalog.ts';

export const problems: Catalog['problems'] = {
  'path-unknown': 'Ce chemin n’existe pas. Vérifiez son orthographe.',
  'method-not-allowed':
    'Ce chemin n’accepte pas cette méthode. L’en-tête Allow énumère les méthodes acceptées.',
  'request-malformed': 'La requête n’a pas pu être lue. Vérifiez sa syntaxe et réessayez.',
  'body-too-large': 'Le corps de la requête dépasse la taille acceptée par ce chemin.',
  'rate-limited':
    'Trop de requêtes proviennent de cette adresse. Attendez le nombre de secondes indiqué dans l’en-tête Retry-After.',
  'key-rate-limited':
    'Trop de requêtes ont été envoyées avec cette clé d’API ou avec l’ensemble des clés d’API de son utilisateur. Attendez le nombre de secondes indiqué dans l’en-tête Retry-After.',
  'internal-error':
    'Une erreur interne s’est produite. Le journal du serveur contient plus de détails sous cet identifiant de requête.',
  unavailable: 'Le service est temporairement indisponible. Réessayez dans quelques instants.',
  maintenance: 'Le service est en mode maintenance et rejette les modifications. Réessayez plus tard.',
  'operation-sunset': 'Cette opération a été retirée. La documentation indique ce qui la remplace.',

  'key-not-accepted':
    'L’en-tête X-API-Key doit contenir une clé d’API valide. Celle-ci est absente, mal formée, inconnue, révoquée ou expirée.',
  'scope-not-enough':
    'Cette clé d’API n’a pas la bonne portée. La Platform API exige une clé avec la portée portal.',
  'key-read-only': 'Cette clé d’API est en lecture seule. Utilisez une clé avec un accès en écriture.',
  'key-organization-only':
    'Cette clé d’API n’a accès qu’à une seule organisation. Utilisez une clé sans cette restriction.',

  'media-type-unsupported':
    'Cette opération exige un corps JSON, même avec DELETE. Envoyez-le avec l’en-tête Content-Type: application/json.',
  'json-malformed':
    'Le corps doit être du JSON encodé en UTF-8, avec la structure attendue par cette opération.',
  'field-unknown': 'Le corps contient un champ que cette opération n’accepte pas. Supprimez-le.',
  'field-mistyped': 'Une valeur du corps n’a pas le bon type.',
  'query-malformed': 'Un paramètre de requête a une valeur non valide.',

  'sitekey-malformed':
    'La clé de site doit se composer de 32 chiffres hexadécimaux. Copiez-la depuis la propriété.',
  'origin-missing':
    'La requête ne contient pas d’en-tête Origin. Les puzzles ne sont fournis qu’à des pages web.',
  'property-unknown': 'Aucune propriété active n’a cette clé de site.',
  'origin-not-allowed':
    'Cette page ne fait pas partie du domaine de la propriété. Vérifiez le domaine ainsi que les paramètres relatifs aux sous-domaines et à localhost.',
  'origin-without-domain':
    'Cette page a un nom d’hôte sans point ou une adresse IP, qu’aucune propriété ne peut avoir pour domaine. Ouvrez la page sous un nom d’hôte complet, par exemple intranet.example.com, et utilisez ce nom comme domaine de la propriété.',

  'rule-blocked': 'Une règle de l’opérateur ou du site web bloque cette requête.',
  'organization-name-empty': 'L’organisation doit avoir un nom.',
  'organization-name-too-long': 'Le nom d’une organisation ne peut pas dépasser 128 caractères.',
  'organization-name-malformed':
    'Le nom de l’organisation contient des caractères non autorisés : caractères de contrôle, caractères de mise en forme invisibles (comme les liants) ou chevrons.',
  'organization-name-taken': 'Le propriétaire a déjà une organisation portant ce nom.',
  'organizations-limit':
    'La formule de l’utilisateur ne permet pas d’avoir plus d’organisations. Supprimez une organisation ou demandez une autre formule à l’exploitant.',
  'organization-unknown': 'L’organisation demandée n’existe pas.',
  'organization-not-yours': 'L’utilisateur n’est pas membre de cette organisation.',
  'organization-not-owned': 'Seul le propriétaire de l’organisation peut effectuer cette action.',
  'organization-id-not-empty':
    'L’identifiant d’une nouvelle organisation est attribué par le serveur. Omettez l’identifiant ou envoyez une chaîne vide.',
  'organization-id-empty': 'L’identifiant de l’organisation est absent.',
  'organization-owner-read-only':
    'Cette opération ne permet pas de changer le propriétaire d’une organisation. Omettez le propriétaire ou envoyez le propriétaire actuel.',
  'organization-id-malformed':
    'Cet identifiant d’organisation n’est pas valide. Copiez l’identifiant depuis la liste des organisations.',

  'batch-malformed': 'Le corps doit être un tableau contenant au moins un élément.',
  'batch-too-large': 'Un lot ne peut pas contenir plus de 128 éléments. Répartissez-le en plusieurs lots.',
  'property-name-empty': 'La propriété doit avoir un nom.',
  'property-name-too-long': 'Le nom d’une propriété ne peut pas dépasser 128 caractères.',
  'property-name-malformed':
    'Le nom de la propriété contient des caractères non autorisés : caractères de contrôle, caractères de mise en forme invisibles (comme les liants) ou chevrons.',
  'property-name-taken': 'L’organisation a déjà une propriété portant ce nom.',
  'domain-empty': 'La propriété doit avoir un domaine.',
  'domain-localhost':
    'Le domaine ne peut pas être localhost. Utilisez un domaine public et autorisez localhost dans les paramètres.',
  'domain-is-address': 'Le domaine ne peut pas être une adresse IP. Utilisez un nom de domaine.',
  'domain-not-valid': 'Le domaine n’est pas un nom de domaine valide. Saisissez un nom tel que example.com.',
  'domain-single-label':
    'Le domaine ne contient aucun point. Utilisez le nom complet de l’hôte, par exemple intranet.example.com, et ouvrez sous ce nom les pages qui contiennent le widget.',
  'domain-is-suffix':
    'Le domaine est un suffixe public, sous lequel différents propriétaires enregistrent des noms. Utilisez le domaine de votre site web, par exemple example.co.uk.',
  'domain-unresolved':
    'Le domaine ne peut pas être résolu par le DNS. Vérifiez son orthographe ou publiez d’abord un enregistrement DNS.',
  'dns-unanswered': 'Les serveurs DNS n’ont pas répondu à temps pour ce domaine. Réessayez plus tard.',
  'domain-malformed':
    'Le domaine doit être uniquement un nom d’hôte, tel que example.com, sans schéma, port, chemin, espace ni caractère générique.',
  'sitekey-read-only':
    'La clé de site d’une propriété ne peut pas être modifiée. Omettez la clé de site ou envoyez la clé actuelle.',
  'property-id-empty': 'L’identifiant de la propriété est absent.',
  'property-id-malformed':
    'Cet identifiant de propriété n’est pas valide. Copiez l’identifiant depuis la liste des propriétés.',
  'property-gone': 'Cette propriété n’existe pas ou a été supprimée.',
  'property-id-repeated': 'Le lot contient cette propriété plusieurs fois. Ne l’incluez qu’une fois.',
  'property-not-yours':
    'Cette propriété appartient à une organisation à laquelle la clé d’API n’a pas accès.',
  'properties-limit':
    'La formule du propriétaire de l’organisation ne permet pas d’avoir plus de propriétés. Supprimez des propriétés ou demandez une autre formule à l’exploitant.',
  'level-malformed': 'Le niveau doit être un nombre entier compris entre 1 et 255.',
  'growth-unknown': 'La croissance doit être constant, slow, medium ou fast.',
  'challenge-unknown': 'Le type de travail (challenge) doit être blake2b ou argon2id.',
  'validity-malformed':
    'La validité (validity_seconds) doit être un nombre entier de secondes compris entre 60 et 172800.',
  'allow-subdomains-malformed': 'allow_subdomains doit être true ou false.',
  'allow-localhost-malformed': 'allow_localhost doit être true ou false.',
  'enabled-malformed': 'enabled doit être true ou false.',
  'allowance-malformed':
    'Le nombre de vérifications par solution (max_replay_count) doit être un nombre entier compris entre 1 et 1000000.',

  'rules-invalid':
    'Les règles contiennent des erreurs, donc rien n’a été modifié ; data.errors les indique avec leurs positions.',
  'rules-changed-meanwhile':
    'Les règles ont été modifiées entre-temps. Rechargez la page et recommencez la modification.',
  'rule-unknown': 'La liste n’a aucune règle avec cet identifiant ; elle a peut-être été supprimée.',
  'rules-number-malformed':
    'La révision des règles (revision) et la position d’une règle (position) doivent être des nombres entiers à partir de 0.',
  'address-malformed': 'L’adresse client doit être une adresse IPv4 ou IPv6.',
  'page-path-malformed':
    'Le chemin d’une page doit commencer par une seule barre oblique et comporter au maximum 2048 caractères.',
  'task-unknown':
    'L’utilisateur n’a aucune tâche portant cet identifiant. Les tâches terminées sont conservées pendant 7 jours.',
  'task-key-revoked': 'La clé d’API qui a lancé cette tâche a été révoquée avant l’exécution de celle-ci.',
  'task-account-disabled':
    'L’utilisateur qui a lancé cette tâche a été désactivé avant l’exécution de celle-ci.',
  'import-not-applied':
    'Aucune modification de cette importation n’a été appliquée, car une autre propriété qu’elle contient a été rejetée.',
  'task-queue-full':
    'L’utilisateur a trop de tâches en attente. Réessayez lorsque certaines seront terminées.',

  'plan-name-malformed':
    'Le nom d’une formule doit se composer de 1 à 64 lettres minuscules, chiffres et tirets, et commencer par une lettre ou un chiffre.',
  'plan-unknown': 'Cette formule n’existe pas.',

  'email-malformed': 'Cette adresse e-mail n’est pas valide.',
  'email-domain-malformed':
    'Le domaine de cette adresse e-mail n’est pas valide ; vérifiez ses caractères internationaux ou ses éléments qui commencent par xn--.',
  'email-taken': 'Un utilisateur possède déjà cette adresse e-mail.',
  'password-too-short': 'Un mot de passe doit contenir au moins 8 caractères.',
  'password-too-long': 'Un mot de passe ne peut pas dépasser 256 caractères.',
  'password-common':
    'Ce mot de passe est courant ou répète un motif court, si bien que les attaquants l’essaient en premier. Choisissez-en un autre.',
  'password-guessable':
    'Ce mot de passe est basé sur le nom du produit, sur votre organisation ou sur votre adresse e-mail et il est trop facile à deviner. Choisissez-en un autre.',
  'passwords-busy':
    'Le serveur vérifie trop de mots de passe en ce moment. Réessayez dans quelques instants.',
  'account-name-empty': 'L’utilisateur doit avoir un nom.',
  'account-name-too-long': 'Le nom d’un utilisateur ne peut pas dépasser 128 caractères.',
  'account-name-malformed':
    'Le nom de l’utilisateur contient des caractères non autorisés : caractères de contrôle, caractères de mise en forme invisibles (comme les liants) ou chevrons.',
  'account-unknown': 'Cet utilisateur n’existe pas.',
  'account-disabled': 'Cet utilisateur a été désactivé.',
  'admin-only': 'Seul un administrateur peut effectuer cette action.',
  'admin-last':
    'Il s’agit du dernier administrateur qui peut se connecter. Nommez d’abord un autre utilisateur administrateur.',
  'member-is-owner':
    'Cet utilisateur est le propriétaire de l’organisation : il ne peut être ni ajouté ni retiré en tant que membre.',
  'member-unknown': 'Cet utilisateur n’est pas membre de l’organisation.',

  'member-already': 'L’utilisateur qui possède cette adresse e-mail est déjà membre de l’organisation.',
  'invitation-unknown':
    'Cette invitation n’est pas valide : elle a été utilisée, a été annulée ou a expiré. Demandez-en une autre.',
  'invitation-not-yours':
    'Cette invitation est destinée à une autre adresse e-mail. Connectez-vous avec cette autre adresse.',
  'invitations-limit': 'L’organisation a trop d’invitations en cours. Annulez-en certaines.',

  'key-name-empty': 'La clé d’API doit avoir un nom.',
  'key-name-too-long': 'Le nom d’une clé d’API ne peut pas dépasser 128 caractères.',
  'key-name-malformed':
    'Le nom de la clé d’API contient des caractères non autorisés : caractères de contrôle, caractères de mise en forme invisibles (comme les liants) ou chevrons.',
  'key-malformed':
    'Une clé d’API doit se composer de 32 à 256 caractères imprimables. Une clé qui commence par postern_ doit être complète et inchangée.',
  'key-taken': 'Cette clé d’API existe déjà.',
  'keys-limit':
    'Un utilisateur ne peut pas avoir plus de 100 clés d’API actives. Révoquez-en une qui n’est plus nécessaire.',
  'key-unknown': 'Cette clé d’API n’existe pas.',
  'key-revoked': 'Cette clé d’API a déjà été révoquée.',
  'key-expiry-past': 'L’expiration de la clé d’API se situe dans le passé. Choisissez une date ultérieure.',
  'key-rate-malformed':
    'Le débit d’une clé d’API doit être un nombre de requêtes par seconde compris entre 0.001 et 1000000000.',
  'key-burst-malformed':
    'La rafale d’une clé d’API doit être un nombre entier de requêtes compris entre 1 et 1000000000.',
  'key-rate-too-high':
    'Seul un administrateur peut attribuer à une clé d’API un débit ou une rafale supérieurs à la limite configurée.',
  'scope-unknown': 'La portée d’une clé d’API doit être portal ou verify.',

  'credentials-wrong': 'L’adresse e-mail ou le mot de passe est incorrect.',
  'password-wrong': 'Ce n’est pas votre mot de passe actuel.',
  'two-factor-required':
    'Cette installation exige l’authentification à deux facteurs : vous ne pouvez donc pas la désactiver.',
  'user-disabled': 'Ce compte est désactivé. Contactez un administrateur de cette installation.',
  'code-wrong': 'Ce code est incorrect ou a déjà été utilisé.',
  'setup-closed': 'La configuration initiale est terminée : un utilisateur peut déjà se connecter.',
  'setup-token-wrong':
    'Ce n’est pas le lien de configuration le plus récent. Le journal contient le lien que le serveur a affiché lors de son dernier démarrage.',
  'name-not-typed': 'Ce n’est pas le nom attendu. Saisissez-le exactement comme indiqué au-dessus du champ.',
  'password-link-unknown':
    'Ce lien n’est pas valide : il a été utilisé, il a expiré ou le mot de passe a été modifié entre-temps. Demandez-en un autre à un administrateur.',
  'form-sent-before':
    'Ce formulaire a déjà été envoyé. Son résultat n’est pas affiché une nouvelle fois. Ne le renvoyez que si vous souhaitez obtenir un nouveau résultat.',
  'day-malformed': 'Saisissez une date, par exemple 2027-01-31.',
  'search-too-long': 'Saisissez 512 caractères au maximum.',
  'rate-not-a-number':
    'Saisissez un nombre, avec un point devant les décimales (par exemple 0.5), ou laissez le champ vide.',
  'maintenance-word': 'Indiquez si le mode maintenance est activé ou désactivé.',
  'repeats-too-few':
    'Pour accepter les solutions répétées, saisissez un nombre compris entre 2 et 1000000. Pour n’accepter chaque solution qu’une fois, décochez la case.',
  'state-word': 'Indiquez si la propriété est activée ou désactivée.',
  'quota-malformed': 'Saisissez un nombre entier compris entre 0 et 1000000000.',
  'validity-out-of-range': 'Saisissez une durée en secondes entières, comprise entre 1 minute et 48 heures.',
  'level-not-custom':
    'Un niveau précis est saisi. Sélectionnez « Personnalisée » pour l’utiliser ou videz le champ.',
  'import-file-missing': 'Choisissez un fichier CSV ou JSON.',
  'import-empty': 'Le fichier ne contient aucune propriété.',
  'import-too-large': 'Le fichier dépasse 768 Kio. Répartissez-le en plusieurs fichiers.',
  'import-too-many': 'Le fichier contient plus de 1 000 propriétés. Répartissez-le en plusieurs fichiers.',
  'import-not-utf8': 'Le fichier n’est pas en UTF-8. Enregistrez-le en UTF-8.',
  'import-csv-malformed': 'Le fichier CSV n’a pas pu être lu.',
  'import-json-malformed': 'Le fichier JSON n’a pas pu être lu. Il doit contenir un tableau d’objets.',
  'import-column-unknown': 'Le fichier contient une colonne qui ne fait pas partie du format.',
  'import-column-repeated': 'Le fichier contient deux fois la même colonne.',
  'import-value-malformed': 'L’élément n’est pas un objet.',
  'import-member-unknown': 'L’objet contient un champ qui ne fait pas partie du format.',
  'import-sitekey-unknown': 'Aucune propriété de cette organisation n’a cette clé de site.',
  'import-sitekey-repeated': 'Une ligne précédente contient la même clé de site.',
  'key-secret-replaced': 'Ce secret de la clé d’API a été remplacé ; utilisez le secret actuel.',
  'key-old-secret-ended': 'Cette clé d’API n’a plus d’ancien secret valide.',
  'keep-old-malformed':
    'Un ancien secret peut rester valide pendant 0, 3600, 86400 ou 604800 secondes (keep_old_seconds).',
  'period-reversed': 'Le dernier jour précède le premier. Saisissez un jour qui n’est pas antérieur.',
  'period-future':
    'Les statistiques s’arrêtent à aujourd’hui (UTC). Saisissez des jours jusqu’à aujourd’hui.',
  'period-too-old':
    'Les statistiques sont conservées pendant deux ans. Saisissez un jour des 730 derniers jours.',
  'period-too-long':
    'Une période personnalisée compte au plus 366 jours. Saisissez des jours plus rapprochés.',
  'action-unknown': 'Choisissez l’un des groupes d’actions de la liste.',
};
