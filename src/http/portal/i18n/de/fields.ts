import type { Catalog } from '../catalog.ts';

export const fields: Catalog['fields'] = {
  apiKey: {
    name: {
      label: 'Name',
      help: 'Beschreibt, wo der Schlüssel verwendet wird. Bis zu 128 Zeichen.',
    },
    scope: {
      label: 'Berechtigung',
      help: 'Ein Backend benötigt einen Schlüssel für Captcha-Überprüfung. Programme, die Organisationen und Propertys verwalten, benötigen einen Schlüssel für Portal-Vorgänge.',
    },
    rate: {
      label: 'Anfragen pro Sekunde',
      help: 'Eigenes Ratenlimit des Schlüssels. Ohne Angabe gilt das konfigurierte Limit.',
    },
    burst: {
      label: 'Burst',
      help: 'Wie viele Anfragen der Schlüssel auf einmal senden kann. Ohne Angabe gilt das konfigurierte Limit.',
    },
  },
  plan: {
    name: {
      label: 'Name',
      help: 'Bis zu 64 Kleinbuchstaben, Ziffern und Bindestriche.',
    },
    organizations: {
      label: 'Organisationen',
      help: 'Wie viele Organisationen ein Benutzer als Inhaber haben kann.',
    },
    properties: {
      label: 'Propertys',
      help: 'Wie viele Propertys die Organisationen, deren Inhaber ein Benutzer ist, insgesamt haben können.',
    },
  },
  property: {
    name: {
      label: 'Name',
      help: 'Bis zu 128 Zeichen, ohne Steuerzeichen und spitze Klammern. Für Besucher nicht sichtbar.',
    },
    domain: {
      label: 'Domain',
      help: 'Hostname der Seiten mit dem Widget, zum Beispiel example.com, ohne Schema, Port oder Pfad. Er muss im DNS auflösbar sein.',
    },
    level: {
      label: 'Stufe',
      help: 'Grundschwierigkeit der Puzzles. Eine Erhöhung um 8 verdoppelt den Rechenaufwand.',
    },
    growth: {
      label: 'Anstieg',
      help: 'Wie schnell die Schwierigkeit für einen Besucher steigt, der viele Puzzles anfordert, und in geringem Maße unter Last für alle Besucher.',
    },
    challenge: {
      label: 'Art des Rechenaufwands',
      help: 'Was der Browser berechnet. argon2id benötigt Arbeitsspeicher, sodass der Vorteil von Grafikkarten geringer ist. Es gilt ab Schwierigkeit 152 und für Widgets, die es lösen können; alle anderen Puzzles verwenden BLAKE2b.',
    },
    validitySeconds: {
      label: 'Gültigkeit in Sekunden',
      help: 'Wie lange ein Puzzle und seine Lösung gültig sind. Das Widget ersetzt ein abgelaufenes Puzzle.',
    },
    allowsSubdomains: {
      label: 'Subdomains zulassen',
      help: 'Ob das Widget auch auf Subdomains funktioniert, zum Beispiel auf www.example.com bei der Domain example.com.',
    },
    allowsLocalhost: {
      label: 'localhost zulassen',
      help: 'Ob das Widget für die Entwicklung auch auf localhost, *.localhost, 127.0.0.1 und [::1] funktioniert.',
    },
    allowance: {
      label: 'Überprüfungen pro Lösung',
      help: 'Wie oft eine Lösung innerhalb ihrer Gültigkeit akzeptiert wird.',
    },
    isEnabled: {
      label: 'Aktiviert',
      help: 'Ob die Property aktiviert ist. Eine deaktivierte Property gibt keine Puzzles aus, und ihre Lösungen werden abgelehnt.',
    },
  },
};
