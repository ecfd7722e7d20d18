import type { Catalog } from '../catalog.ts';

export const problems: Catalog['problems'] = {
  'path-unknown': 'Este caminho não existe. Confira se ele está escrito corretamente.',
  'method-not-allowed': 'Este caminho não aceita este método. O cabeçalho Allow lista os métodos aceitos.',
  'request-malformed': 'Não foi possível ler a solicitação. Confira a sintaxe e tente novamente.',
  'body-too-large': 'O corpo da solicitação é maior do que este caminho aceita.',
  'rate-limited':
    'Há muitas solicitações vindas deste endereço. Aguarde o número de segundos indicado no cabeçalho Retry-After.',
  'key-rate-limited':
    'Há muitas solicitações com esta chave de API ou com o conjunto das chaves de API do usuário dela. Aguarde o número de segundos indicado no cabeçalho Retry-After.',
  'internal-error':
    'Ocorreu um erro interno. O log do servidor contém detalhes associados a este ID de solicitação.',
  unavailable: 'O serviço está temporariamente indisponível. Tente novamente em instantes.',
  maintenance: 'O serviço está em modo de manutenção e rejeita alterações. Tente novamente mais tarde.',
  'operation-sunset': 'Esta operação foi descontinuada. A documentação indica a substituta.',

  'key-not-accepted':
    'O cabeçalho X-API-Key precisa conter uma chave de API válida. Esta está ausente ou malformada, é desconhecida, foi revogada ou expirou.',
  'scope-not-enough':
    'Esta chave de API não tem o escopo correto. A Platform API exige uma chave com o escopo portal.',
  'key-read-only': 'Esta chave de API é somente leitura. Use uma chave com acesso de gravação.',
  'key-organization-only':
    'Esta chave de API tem acesso a apenas uma organização. Use uma chave sem essa restrição.',

  'media-type-unsupported':
    'Esta operação exige um corpo JSON, mesmo com DELETE. Envie-o com o cabeçalho Content-Type: application/json.',
  'json-malformed':
    'O corpo precisa ser um JSON codificado em UTF-8 com a estrutura que esta operação espera.',
  'field-unknown': 'O corpo contém um campo que esta operação não aceita. Remova-o.',
  'field-mistyped': 'Um valor no corpo tem o tipo errado.',
  'query-malformed': 'Um parâmetro de consulta tem um valor inválido.',

  'sitekey-malformed': 'A chave do site precisa ter 32 dígitos hexadecimais. Copie-a da propriedade.',
  'origin-missing':
    'A solicitação não tem o cabeçalho Origin. Os puzzles são emitidos somente para páginas da Web.',
  'property-unknown': 'Não há nenhuma propriedade ativa com esta chave do site.',
  'origin-not-allowed':
    'Esta página não pertence ao domínio da propriedade. Confira o domínio e as configurações de subdomínios e localhost.',
  'origin-without-domain':
    'Esta página tem um nome de host sem ponto ou um endereço IP, que nenhuma propriedade pode ter como domínio. Abra a página com um nome de host completo, como intranet.example.com, e use esse nome como domínio da propriedade.',

  'rule-blocked': 'Uma regra do operador ou do site bloqueia esta solicitação.',
  'organization-name-empty': 'A organização precisa de um nome.',
  'organization-name-too-long': 'O nome de uma organização pode ter no máximo 128 caracteres.',
  'organization-name-malformed':
    'O nome da organização contém caracteres não permitidos: caracteres de controle, caracteres de formatação invisíveis (como os de união) ou os sinais < e >.',
  'organization-name-taken': 'O proprietário já tem uma organização com este nome.',
  'organizations-limit':
    'O plano do usuário não permite mais organizações. Exclua uma organização ou peça outro plano ao operador.',
  'organization-unknown': 'A organização solicitada não existe.',
  'organization-not-yours': 'O usuário não é membro desta organização.',
  'organization-not-owned': 'Somente o proprietário da organização pode fazer isso.',
  'organization-id-not-empty':
    'O servidor atribui o ID de uma nova organização. Omita o ID ou envie uma string vazia.',
  'organization-id-empty': 'O ID da organização está ausente.',
  'organization-owner-read-only':
    'Esta operação não pode alterar o proprietário de uma organização. Omita o proprietário ou envie o atual.',
  'organization-id-malformed': 'Este não é um ID de organização válido. Copie o ID da lista de organizações.',

  'batch-malformed': 'O corpo precisa ser uma matriz com pelo menos um item.',
  'batch-too-large': 'Um lote pode ter no máximo 128 itens. Divida-o em vários lotes.',
  'property-name-empty': 'A propriedade precisa de um nome.',
  'property-name-too-long': 'O nome de uma propriedade pode ter no máximo 128 caracteres.',
  'property-name-malformed':
    'O nome da propriedade contém caracteres não permitidos: caracteres de controle, caracteres de formatação invisíveis (como os de união) ou os sinais < e >.',
  'property-name-taken': 'A organização já tem uma propriedade com este nome.',
  'domain-empty': 'A propriedade precisa de um domínio.',
  'domain-localhost':
    'O domínio não pode ser localhost. Use um domínio público e permita localhost nas configurações.',
  'domain-is-address': 'O domínio não pode ser um endereço IP. Use um nome de domínio.',
  'domain-not-valid': 'O domínio não é um nome de domínio válido. Insira um nome como example.com.',
  'domain-single-label':
    'O domínio não contém nenhum ponto. Use o nome completo do host, como intranet.example.com, e abra as páginas com o widget usando esse nome.',
  'domain-is-suffix':
    'O domínio é um sufixo público, sob o qual diferentes proprietários registram nomes. Use o domínio do seu site, como example.co.uk.',
  'domain-unresolved':
    'O domínio não é resolvido no DNS. Confira se ele está escrito corretamente ou publique primeiro um registro DNS.',
  'dns-unanswered':
    'Os servidores DNS não responderam a tempo para este domínio. Tente novamente mais tarde.',
  'domain-malformed':
    'O domínio precisa ser apenas um nome de host, como example.com, sem esquema, porta, caminho, espaço ou caractere curinga.',
  'sitekey-read-only':
    'A chave do site de uma propriedade não pode ser alterada. Omita a chave do site ou envie a atual.',
  'property-id-empty': 'O ID da propriedade está ausente.',
  'property-id-malformed': 'Este não é um ID de propriedade válido. Copie o ID da lista de propriedades.',
  'property-gone': 'Esta propriedade não existe ou foi excluída.',
  'property-id-repeated': 'O lote contém esta propriedade mais de uma vez. Inclua-a apenas uma vez.',
  'property-not-yours': 'Esta propriedade pertence a uma organização à qual a chave de API não tem acesso.',
  'properties-limit':
    'O plano do proprietário da organização não permite mais propriedades. Exclua algumas propriedades ou peça outro plano ao operador.',
  'level-malformed': 'O nível precisa ser um número inteiro de 1 a 255.',
  'growth-unknown': 'O crescimento precisa ser constant, slow, medium ou fast.',
  'challenge-unknown': 'O tipo de trabalho (challenge) precisa ser blake2b ou argon2id.',
  'validity-malformed':
    'A validade (validity_seconds) precisa ser um número inteiro de segundos de 60 a 172800.',
  'allow-subdomains-malformed': 'allow_subdomains precisa ser true ou false.',
  'allow-localhost-malformed': 'allow_localhost precisa ser true ou false.',
  'enabled-malformed': 'enabled precisa ser true ou false.',
  'allowance-malformed':
    'O número de verificações por solução (max_replay_count) precisa ser um número inteiro de 1 a 1000000.',

  'rules-invalid': 'As regras têm erros, portanto nada foi alterado; data.errors os lista com as posições.',
  'rules-changed-meanwhile':
    'As regras foram alteradas nesse meio-tempo. Recarregue a página e repita a alteração.',
  'rule-unknown': 'A lista não tem uma regra com este ID; talvez ela tenha sido excluída.',
  'rules-number-malformed':
    'A revisão das regras (revision) e a posição de uma regra (position) precisam ser números inteiros a partir de 0.',
  'address-malformed': 'O endereço do cliente precisa ser um endereço IPv4 ou IPv6.',
  'page-path-malformed':
    'O caminho de uma página precisa começar com exatamente uma barra e ter no máximo 2048 caracteres.',
  'task-unknown':
    'O usuário não tem nenhuma tarefa com este ID. As tarefas concluídas são mantidas por 7 dias.',
  'task-key-revoked': 'A chave de API que iniciou esta tarefa foi revogada antes da execução da tarefa.',
  'task-account-disabled': 'O usuário que iniciou esta tarefa foi desativado antes da execução da tarefa.',
  'import-not-applied': 'Nada desta importação foi aplicado, porque outra propriedade dela foi rejeitada.',
  'task-queue-full':
    'O usuário tem muitas tarefas em espera. Tente novamente quando algumas forem concluídas.',

  'plan-name-malformed':
    'O nome de um plano precisa ter de 1 a 64 letras minúsculas, dígitos e hifens e começar com uma letra ou um dígito.',
  'plan-unknown': 'Este plano não existe.',

  'email-malformed': 'Este não é um endereço de e-mail válido.',
  'email-domain-malformed':
    'O domínio deste endereço de e-mail não é válido; verifique os caracteres internacionais ou as partes que começam com xn--.',
  'email-taken': 'Já existe um usuário com este endereço de e-mail.',
  'password-too-short': 'Uma senha precisa ter pelo menos 8 caracteres.',
  'password-too-long': 'Uma senha pode ter no máximo 256 caracteres.',
  'password-common':
    'Esta senha é comum ou repete um padrão curto, por isso os invasores a tentam primeiro. Escolha outra.',
  'password-guessable':
    'Esta senha se baseia no nome do produto, na sua organização ou no seu endereço de e-mail e é muito fácil de adivinhar. Escolha outra.',
  'passwords-busy': 'O servidor está verificando muitas senhas no momento. Tente novamente em instantes.',
  'account-name-empty': 'O usuário precisa de um nome.',
  'account-name-too-long': 'O nome de um usuário pode ter no máximo 128 caracteres.',
  'account-name-malformed':
    'O nome do usuário contém caracteres não permitidos: caracteres de controle, caracteres de formatação invisíveis (como os de união) ou os sinais < e >.',
  'account-unknown': 'Este usuário não existe.',
  'account-disabled': 'Este usuário foi desativado.',
  'admin-only': 'Somente um administrador pode fazer isso.',
  'admin-last': 'Este é o último administrador que pode entrar. Torne primeiro outro usuário administrador.',
  'member-is-owner':
    'Este usuário é o proprietário da organização, por isso não pode ser adicionado nem removido como membro.',
  'member-unknown': 'Este usuário não é membro da organização.',

  'member-already': 'O usuário com este endereço de e-mail já é membro da organização.',
  'invitation-unknown': 'Este convite não é válido: ele foi usado, foi cancelado ou expirou. Peça outro.',
  'invitation-not-yours': 'Este convite é para outro endereço de e-mail. Entre com esse endereço.',
  'invitations-limit': 'A organização tem muitos convites pendentes. Cancele alguns deles.',

  'key-name-empty': 'A chave de API precisa de um nome.',
  'key-name-too-long': 'O nome de uma chave de API pode ter no máximo 128 caracteres.',
  'key-name-malformed':
    'O nome da chave de API contém caracteres não permitidos: caracteres de controle, caracteres de formatação invisíveis (como os de união) ou os sinais < e >.',
  'key-malformed':
    'Uma chave de API precisa ter de 32 a 256 caracteres imprimíveis. Uma chave que começa com postern_ precisa estar completa e inalterada.',
  'key-taken': 'Esta chave de API já existe.',
  'keys-limit':
    'Um usuário pode ter no máximo 100 chaves de API ativas. Revogue uma que não seja mais necessária.',
  'key-unknown': 'Esta chave de API não existe.',
  'key-revoked': 'Esta chave de API já foi revogada.',
  'key-expiry-past': 'A data de expiração da chave de API está no passado. Escolha uma data futura.',
  'key-rate-malformed':
    'A taxa de uma chave de API precisa ser um número de solicitações por segundo de 0.001 a 1000000000.',
  'key-burst-malformed':
    'A rajada de uma chave de API precisa ser um número inteiro de solicitações de 1 a 1000000000.',
  'key-rate-too-high':
    'Somente um administrador pode atribuir a uma chave de API uma taxa ou rajada acima do limite configurado.',
  'scope-unknown': 'O escopo de uma chave de API precisa ser portal ou verify.',

  'credentials-wrong': 'Endereço de e-mail ou senha incorretos.',
  'password-wrong': 'Esta não é a sua senha atual.',
  'two-factor-required':
    'Esta instalação exige a autenticação de dois fatores, por isso você não pode desativá-la.',
  'user-disabled': 'Esta conta está desativada. Fale com um administrador desta instalação.',
  'code-wrong': 'Este código está incorreto ou já foi usado.',
  'setup-closed': 'A configuração inicial foi concluída: um usuário já pode entrar.',
  'setup-token-wrong':
    'Este não é o link de configuração mais recente. O log contém o link que o servidor exibiu na última inicialização.',
  'name-not-typed': 'Este não é o nome. Digite-o exatamente como mostrado acima do campo.',
  'password-link-unknown':
    'Este link não é válido: ele foi usado, expirou ou a senha foi alterada desde então. Peça outro a um administrador.',
  'form-sent-before':
    'Este formulário já foi enviado. O resultado não é exibido novamente. Envie-o de novo somente se quiser um novo resultado.',
  'day-malformed': 'Insira uma data, por exemplo, 2027-01-31.',
  'search-too-long': 'Insira no máximo 512 caracteres.',
  'rate-not-a-number': 'Insira um número ou deixe o campo vazio.',
  'maintenance-word': 'Escolha se o modo de manutenção está ativado ou desativado.',
  'repeats-too-few':
    'Para aceitar soluções repetidas, insira um número de 2 a 1000000. Para aceitar cada solução uma única vez, desmarque a caixa de seleção.',
  'state-word': 'Escolha se a propriedade está ativada ou desativada.',
  'quota-malformed': 'Insira um número inteiro de 0 a 1000000000.',
  'validity-out-of-range': 'Insira uma duração em segundos inteiros, de 1 minuto a 48 horas.',
  'level-not-custom': 'Um nível exato foi inserido. Selecione “Personalizada” para usá-lo ou limpe o campo.',
  'import-file-missing': 'Escolha um arquivo CSV ou JSON.',
  'import-empty': 'O arquivo não tem propriedades.',
  'import-too-large': 'O arquivo é maior que 768 KiB. Divida-o em vários arquivos.',
  'import-too-many': 'O arquivo tem mais de 1.000 propriedades. Divida-o em vários arquivos.',
  'import-not-utf8': 'O arquivo não está em UTF-8. Salve-o como UTF-8.',
  'import-csv-malformed': 'Não foi possível ler o arquivo CSV.',
  'import-json-malformed': 'Não foi possível ler o arquivo JSON. Ele precisa ser uma matriz de objetos.',
  'import-column-unknown': 'O arquivo tem uma coluna que não faz parte do formato.',
  'import-column-repeated': 'O arquivo tem uma coluna duas vezes.',
  'import-value-malformed': 'O item não é um objeto.',
  'import-member-unknown': 'O objeto tem um campo que não faz parte do formato.',
  'import-sitekey-unknown': 'Nenhuma propriedade desta organização tem esta chave do site.',
  'import-sitekey-repeated': 'Uma linha anterior tem a mesma chave do site.',
  'key-secret-replaced': 'Este segredo da chave de API foi substituído; use o segredo atual.',
  'key-old-secret-ended': 'Esta chave de API não tem um segredo antigo que ainda seja válido.',
  'keep-old-malformed':
    'Um segredo antigo pode continuar válido por 0, 3600, 86400 ou 604800 segundos (keep_old_seconds).',
  'period-reversed': 'O último dia é anterior ao primeiro. Informe um dia que não seja anterior.',
  'period-future': 'As estatísticas terminam hoje (UTC). Informe dias até hoje.',
  'period-too-old': 'As estatísticas são armazenadas por dois anos. Informe um dia dos últimos 730 dias.',
  'period-too-long':
    'Um intervalo personalizado tem no máximo 366 dias. Informe dias mais próximos entre si.',
  'action-unknown': 'Selecione um dos grupos de ações da lista.',
};
