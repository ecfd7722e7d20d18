import type { Catalog } from '../catalog.ts';

export const onboarding: Catalog['onboarding'] = {
  title: 'Proteja su primera propiedad',
  steps: {
    name: 'Asignar un nombre a la propiedad',
    code: 'Añadir el código',
    verify: 'Verificar una solución',
  },
  noDomain:
    'Si aún no tiene un dominio, introduzca <code>example.com</code> y pruebe el widget en localhost. Puede cambiar el dominio más adelante.',
  continue: 'Continuar',
  allSettings: 'Mostrar toda la configuración',
  verified: 'Verificada',
  waiting: 'A la espera de la primera verificación',
  submit: 'Envíe su formulario una vez en {{domain}}. Unos segundos después, este cuadro se pondrá verde.',
  submitLocalhost:
    'Envíe su formulario una vez en {{domain}} o en localhost. Unos segundos después, este cuadro se pondrá verde.',
  none: 'El widget todavía no ha solicitado ningún puzle.',
  issued: 'El widget ha solicitado un puzle, por lo que la página está configurada correctamente.',
  failed: 'Se ha rechazado una verificación. El panel muestra el motivo.',
  checkAgain: 'Comprobar de nuevo',
  protected: 'Se ha verificado la solución de un visitante, por lo que {{name}} está protegida.',
  dashboard: 'Abrir el panel',
  trouble: 'Si no ocurre nada, <link>pruebe la integración</link>: la prueba explica cada paso.',
};
