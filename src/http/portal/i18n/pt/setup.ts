import type { Catalog } from '../catalog.ts';

export const setup: Catalog['setup'] = {
  title: 'Configurar o Postern',
  about: 'Crie o primeiro usuário, que é administrador. Este formulário funciona uma única vez.',
  name: 'Seu nome',
  nameHelp: 'Os outros membros veem este nome. Você pode alterá-lo depois.',
  organization: 'Nome da sua organização',
  organizationHelp:
    'As propriedades que você protege pertencem à organização. Você pode alterar o nome dela depois.',
  button: 'Criar primeiro usuário',
  noUsers:
    'Ainda não há usuários. O servidor exibiu um link de configuração na saída padrão ao ser inicializado.',
  findLink:
    'A linha começa com <code>Setup link:</code>. A cada inicialização, o servidor exibe um novo link e invalida o anterior.',
  command: 'Você também pode criar o primeiro usuário na linha de comando:',
  copyCommand: 'Copiar comando',
};
