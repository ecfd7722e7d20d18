import type { Catalog } from '../catalog.ts';

export const organizations: Catalog['organizations'] = {
  name: '名前',
  ownedByYou: 'オーナー：自分',
  ownedBy: 'オーナー：{{email}}',
  properties_one: '{{count}}件のプロパティ',
  properties_other: '{{count}}件のプロパティ',
  tabs: { properties: 'プロパティ', apiKeys: 'APIキー', members: 'メンバー', activity: 'アクティビティ', settings: '設定' },
  list: {
    title: '組織',
    heading: '所属する組織',
    caption: '所属する組織と過去24時間の件数',
    organization: '組織',
    properties: 'プロパティ',
    members: 'メンバー',
    text: '名前',
    noMatches: '一致する組織はありません。',
  },
  create: {
    button: '組織を作成',
    explanation: 'プロパティは組織に属します。組織のメンバーは、そのプロパティを共同で管理します。',
    nameHelp: '会社名などを入力してください。作成したユーザーがオーナーになります。',
    done: '組織「{{name}}」を作成しました。',
  },
  members: {
    title: 'メンバー',
    member: 'メンバー',
    role: '役割',
    since: '参加日',
    actions: '操作',
    owner: 'オーナー',
    you: '（自分）',
    transfer: 'オーナーにする',
    transferLabel: 'オーナーにする：{{name}}',
    remove: 'メンバーを削除',
    removeLabel: 'メンバーを削除：{{name}}',
    removeTitle: '{{name}}を削除しますか？',
    removeText:
      '{{name}}は、自身のAPIキーによるものも含め、この組織にアクセスできなくなります。作成した保留中の招待は取り消されます。アカウントは維持されます。',
    removed: '{{name}}をメンバーから削除しました。',
  },
  invitations: {
    heading: '保留中の招待',
    none: '保留中の招待はありません。',
    address: 'メールアドレス',
    expires: '有効期限',
    withdraw: '招待を取り消す',
    withdrawLabel: '招待を取り消す：{{email}}',
    withdrawTitle: '{{email}}への招待を取り消しますか？',
    withdrawText: '送信したリンクは使用できなくなります。',
    withdrawn: '{{email}}への招待を取り消しました。',
    invite: 'メンバーを招待',
    create: '招待を作成',
    explanation: 'メンバーは、この組織のプロパティとその統計を表示し、プロパティを作成、変更、削除できます。',
    emailHelp:
      '招待を承諾できるのは、このメールアドレスのユーザーのみです。同じメールアドレスを再度招待すると、以前のリンクは使用できなくなります。',
    linkHeading: '招待リンク',
    linkText:
      'Posternはメールを送信しないため、このリンクをご自身で{{email}}に送信してください。リンクは1回だけ表示され、1回だけ使用できます。有効期限：{{time}}。',
    copyLink: 'リンクをコピー',
    linkSecret: 'このリンクは機密情報です。ほかの人には送信しないでください。',
    sent: '送信しました',
  },
  invitation: {
    title: '招待が届いています',
    text: '{{inviter}}から「{{organization}}」に招待されています。メンバーは、組織のプロパティを管理し、その統計を表示できます。',
    validity: 'この招待は{{email}}宛てです。有効期限：{{time}}。',
    signedIn: '{{email}}としてログインしています。',
    otherAddress:
      '別のメールアドレスである{{current}}としてログインしています。ログアウトしてから、{{email}}として続行してください。',
    accept: '招待を承諾',
    signOut: 'ログアウト',
    signedOut: 'ログアウトしました。',
    accepted: '「{{name}}」のメンバーになりました。',
    signIn: 'ログイン',
    signInText: 'このメールアドレスのアカウントがここにある場合は、そのアカウントでログインしてください。',
    signInToAccept: 'ログインして承諾',
    createAccount: 'アカウントを作成',
    createAccountText:
      'このメールアドレスのアカウントがここにまだない場合は、作成してからログインしてください。',
    yourName: '名前',
    yourNameHelp: 'この名前は、ほかのメンバーに表示されます。',
    password: 'パスワード',
    accountCreated:
      '招待を承諾するには、{{email}}としてログインしてください。すでにアカウントがあった場合、パスワードは変更されていません。',
    noLink: '招待を承諾するには、組織のオーナーから受け取ったリンクを開いてください。',
    invalidTitle: 'この招待は無効です',
    alreadyAccepted: 'すでに承諾済みの場合は、<link>所属する組織に移動</link>してください。',
  },
  settings: {
    rename: '組織の名前を変更',
    renamed: '組織の名前を変更しました。',
    ownership: '所有権',
    ownershipText:
      'あなたはこの組織のオーナーです。組織を譲渡するには、<link>メンバーの一覧</link>で、ほかのメンバーの「オーナーにする」を選択してください。譲渡後もメンバーとして残り、組織から退出できるようになります。',
    delete: '組織を削除',
    deleteHeading: '危険な操作',
    deleteText: '組織とそのプロパティが削除され、プロパティはただちに停止します。',
    details: '詳細',
    owner: 'オーナー',
    yourRole: '自分の役割',
    member: 'メンバー',
    memberSince: 'メンバー（参加：{{time}}）',
    ownerOnly: '組織の名前の変更、メンバーの招待、組織の削除を行えるのは、オーナーのみです。',
    leaveHeading: '退出',
    leaveText:
      '退出すると、ご自身とAPIキーは、組織のプロパティにアクセスできなくなります。プロパティは引き続き動作します。組織に再び参加するには、新しい招待が必要です。',
    leave: '組織から退出',
    leaveTitle: '「{{name}}」から退出しますか？',
    left: '「{{name}}」から退出しました。',
    cannotLeave: '実行できません',
    ownerCannotLeave:
      '組織のオーナーは退出できません。先にほかのメンバーをオーナーにするか、組織を削除してください。',
  },
  delete: {
    title: 'この組織を削除しますか？',
    button: '組織を削除',
    empty: '組織にはプロパティがありません。{{rest}}',
    stops_one:
      '{{count}}件のプロパティがただちに停止します。ウィジェットはパズルを取得できなくなり、ソリューションは拒否されます。{{rest}}',
    stops_other:
      '{{count}}件のプロパティがただちに停止します。ウィジェットはパズルを取得できなくなり、ソリューションは拒否されます。{{rest}}',
    rest: 'メンバーはアクセスできなくなり、この組織のAPIキーは使用できなくなります。この操作は元に戻せません。',
    done: '「{{name}}」とそのプロパティを削除しました。',
  },
  transfer: {
    title: 'この組織を譲渡しますか？',
    button: '組織を譲渡',
    question: '「{{organization}}」を{{user}}に譲渡しますか？',
    consequences: {
      owner:
        '組織の名前の変更、削除、譲渡、およびメンバーの招待と削除を行えるのは、新しいオーナーのみになります。',
      member:
        '譲渡後もメンバーとして残り、プロパティを管理できます。譲渡をご自身で元に戻すことはできません。',
      plan: '組織とそのプロパティは、現在のオーナーのプランではなく、新しいオーナーのプランに計上されます。',
      rest: 'プロパティとAPIキーは変わりません。',
    },
    done: '{{name}}がこの組織のオーナーになりました。',
    problems: {
      'account-disabled': 'このユーザーは無効であるため、オーナーになれません。',
      'organization-name-taken':
        'このユーザーは、同じ名前の組織をすでに所有しています。先に一方の名前を変更してください。',
      'organizations-limit': 'このユーザーのプランでは、これ以上組織を所有できません。',
      'properties-limit':
        'このユーザーのプランでは、自身のプロパティに加えて、この組織のプロパティを所有することはできません。',
    },
  },
};
