import type { Catalog } from '../catalog.ts';

export const setup: Catalog['setup'] = {
  title: 'Configurar Postern',
  about: 'Cree el primer usuario, que es administrador. Este formulario funciona una sola vez.',
  name: 'Su nombre',
  nameHelp: 'Los demás miembros ven este nombre. Puede cambiarlo más adelante.',
  organization: 'Nombre de su organización',
  organizationHelp:
    'Las propiedades que proteja pertenecen a la organización. Puede cambiar su nombre más adelante.',
  button: 'Crear el primer usuario',
  noUsers:
    'Todavía no hay usuarios. Al iniciarse, el servidor mostró un enlace de configuración en su salida estándar.',
  findLink:
    'La línea empieza por <code>Setup link:</code>. Cada vez que el servidor se inicia, muestra un enlace nuevo e invalida el anterior.',
  command: 'También puede crear el primer usuario en la línea de comandos:',
  copyCommand: 'Copiar comando',
};
