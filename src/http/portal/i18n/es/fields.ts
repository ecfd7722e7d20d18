import type { Catalog } from '../catalog.ts';

export const fields: Catalog['fields'] = {
  apiKey: {
    name: {
      label: 'Nombre',
      help: 'Describe dónde se utiliza la clave. Hasta 128 caracteres.',
    },
    scope: {
      label: 'Ámbito',
      help: 'Un backend necesita una clave para la verificación de captchas. Los programas que gestionan organizaciones y propiedades necesitan una clave para las operaciones del portal.',
    },
    rate: {
      label: 'Solicitudes por segundo',
      help: 'Límite de frecuencia propio de la clave. Sin un valor, se aplica el límite configurado.',
    },
    burst: {
      label: 'Ráfaga',
      help: 'Cuántas solicitudes puede enviar la clave de una vez. Sin un valor, se aplica el límite configurado.',
    },
  },
  plan: {
    name: {
      label: 'Nombre',
      help: 'Hasta 64 letras minúsculas, dígitos y guiones.',
    },
    organizations: {
      label: 'Organizaciones',
      help: 'De cuántas organizaciones puede ser propietario un usuario.',
    },
    properties: {
      label: 'Propiedades',
      help: 'Cuántas propiedades pueden tener en total las organizaciones de las que un usuario es propietario.',
    },
  },
  property: {
    name: {
      label: 'Nombre',
      help: 'Hasta 128 caracteres, sin caracteres de control ni paréntesis angulares. Los visitantes no lo ven.',
    },
    domain: {
      label: 'Dominio',
      help: 'Nombre de host de las páginas que contienen el widget, por ejemplo, example.com, sin esquema, puerto ni ruta. Debe poder resolverse en el DNS.',
    },
    level: {
      label: 'Nivel',
      help: 'Dificultad base de los puzles. Un aumento de 8 duplica el trabajo necesario.',
    },
    growth: {
      label: 'Crecimiento',
      help: 'Con qué rapidez aumenta la dificultad para un visitante que solicita muchos puzles y, ligeramente, para todos los visitantes cuando hay mucha carga.',
    },
    challenge: {
      label: 'Tipo de trabajo',
      help: 'Lo que calcula el navegador. argon2id necesita memoria, por lo que la ventaja de las tarjetas gráficas es menor. Se aplica a partir de la dificultad 152, a los widgets que pueden resolverlo; todos los demás puzles usan BLAKE2b.',
    },
    validitySeconds: {
      label: 'Validez en segundos',
      help: 'Durante cuánto tiempo son válidos un puzle y su solución. El widget sustituye los puzles caducados.',
    },
    allowsSubdomains: {
      label: 'Permitir subdominios',
      help: 'Si el widget funciona también en subdominios, por ejemplo, en www.example.com para el dominio example.com.',
    },
    allowsLocalhost: {
      label: 'Permitir localhost',
      help: 'Si el widget funciona también en localhost, *.localhost, 127.0.0.1 y [::1], para desarrollo.',
    },
    allowance: {
      label: 'Verificaciones por solución',
      help: 'Cuántas veces se acepta una solución mientras es válida.',
    },
    isEnabled: {
      label: 'Activada',
      help: 'Si la propiedad está activada. Una propiedad desactivada no emite puzles y sus soluciones se rechazan.',
    },
  },
};
