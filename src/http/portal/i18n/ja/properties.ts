import type { Catalog } from '../catalog.ts';

export const properties: Catalog['properties'] = {
  tabs: {
    dashboard: 'ダッシュボード',
    integration: '組み込み',
    playground: 'プレイグラウンド',
    rules: 'ルール',
    settings: '設定',
  },
  notAccepted: '受け付けられませんでした',
  disabled:
    'このプロパティは無効です。パズルを発行せず、そのソリューションは拒否されます。<link>設定で有効にする</link>',
  waiting:
    '通常より時間がかかっています。DNSの応答が遅い可能性があります。変更はバックグラウンドで続行され、結果はタスクの一覧に表示されます。',
  form: {
    general: '全般',
    domainHelp:
      'ページのホスト名です（例：example.com）。ページのアドレスを貼り付けることもできます。DNSで名前解決できる必要があります。',
    reduced: 'ドメインにスキーム、ポート、パスは含められないため、「{{url}}」はホストのみに短縮されました。',
    difficulty: '難易度',
    levelLabel: 'パズルの難しさ',
    presets: {
      low: '低',
      normal: '標準',
      high: '高',
      very_high: '最高',
      custom: 'カスタム',
    },
    purposes: {
      low: 'ボットがほとんど使用しないフォーム向け。',
      normal: 'ほとんどのフォーム向け。',
      high: 'ボットが頻繁に送信するフォーム向け。',
      very_high: '攻撃を受けている場合。古いデバイスでは時間がかかります。',
      custom: '以下に入力する正確なレベル。',
    },
    presetCost: 'ノートパソコンで約{{laptop}}、低速なスマートフォンで約{{phone}}。',
    exact: '正確なレベルと増加',
    customLevel: '正確なレベル',
    customLevelHelp:
      '{{min}}から{{max}}まで。8増やすと計算量が2倍になります。「カスタム」の場合にのみ使用されます。',
    challenges: {
      blake2b: 'BLAKE2b：すべてのウィジェット',
      argon2id: 'argon2id：メモリが必要',
    },
    growths: {
      constant: '一定：難易度は上がりません',
      slow: '低速',
      medium: '中速',
      fast: '高速',
    },
    costs: 'ほかのレベルの計算量',
    solutions: 'ソリューション',
    validity: '有効期間',
    validityHelp:
      'パズルとそのソリューションが有効な時間です（1分から48時間まで）。期限切れのパズルはウィジェットが置き換えます。',
    validityUnit: '有効期間の単位',
    units: { seconds: '秒', minutes: '分', hours: '時間' },
    acceptRepeated: '同じソリューションを繰り返し受け入れる',
    acceptRepeatedHelp:
      'バックエンドが同じフォームを複数回検証する場合にのみ、オンにしてください。オフの場合、各ソリューションは1回だけ受け入れられます。',
    repeatsHelp:
      '1つのソリューションが有効期間中に受け入れられる回数です（{{min}}から{{max}}まで）。同じソリューションを繰り返し受け入れる場合にのみ使用されます。',
  },
  cost: {
    underMillisecond: '{{duration}}未満',
    caption: '1つのパズルの平均計算量（レベルを8上げると2倍）',
    level: 'レベル',
    ofLevel: 'レベル{{level}}のパズル1つの平均コスト',
    device: 'デバイス',
    time: '時間（{{kind}}）',
    price: '100万件の料金（{{kind}}）',
    tooLow:
      'argon2idはレベル{{level}}から使用されます。それより低いレベルでは、すべてのパズルがBLAKE2bになります。',
    hashes: 'ハッシュ数',
    hashesOf: '{{kind}} {{hashes}}回',
    solvers: {
      slowPhone: '低速なスマートフォン',
      phone: 'スマートフォン',
      laptop: 'ノートパソコン',
      serverCore: 'サーバーの1コア',
      gpu: 'GPU',
    },
    source:
      '時間は平均値です。ノートパソコンとサーバーの1コアは実測値、GPU（NVIDIA RTX 4090）は公開されているベンチマークに基づく値、スマートフォンは推定値です。料金は、ハードウェアを借りて100万件のパズルを解く場合のものです。盗用された計算時間には費用がかかりません。<link>出典と助言</link>',
  },
  create: {
    title: 'プロパティを作成',
    button: 'プロパティを作成',
    anyway: 'このまま作成',
    done: '「{{name}}」を作成しました。以下のコードをページとバックエンドに追加してください。',
  },
  duplicate: {
    link: 'プロパティを複製',
    title: 'プロパティを複製',
    text: 'コピーには、以下の設定と独自のサイトキーが割り当てられます。「{{name}}」は変更されません。',
    name: '{{name}}（コピー）',
    button: 'コピーを作成',
    done: '「{{name}}」を作成しました。ページとバックエンドには、独自のサイトキーが必要です。',
  },
  settings: {
    save: '設定を保存',
    saveAnyway: 'このまま保存',
    saved: '設定を保存しました。',
    unchanged: '変更された設定はありません。',
    sitekey: 'サイトキー',
    sitekeyHelp: 'サイトキーはページに含まれるため、公開情報です。変更されることはありません。',
    copySitekey: 'サイトキーをコピー',
  },
  dangerZone: '危険な操作',
  state: {
    enabled: '有効',
    disabled: '無効',
    isEnabled: 'プロパティは有効です',
    isDisabled: 'プロパティは無効です',
    enabledHelp: 'パズルを発行し、バックエンドはそのソリューションを検証できます。',
    disabledHelp:
      'パズルを発行せず、そのソリューションは拒否されます。設定、サイトキー、統計は維持されます。',
    disable: 'プロパティを無効にする',
    enable: 'プロパティを有効にする',
    disableTitle: '「{{name}}」を無効にしますか？',
    consequence:
      '{{domain}}のウィジェットがただちに停止します。ウィジェットはパズルを取得できなくなり、バックエンドはソリューションを拒否します。訪問者は、ソリューションを必要とするフォームを送信できません。プロパティはいつでも再度有効にできます。',
    nowEnabled: 'プロパティは有効です。',
    nowDisabled: 'プロパティは無効です。',
  },
  delete: {
    heading: 'このプロパティを削除',
    help: 'ウィジェットと検証がただちに停止し、統計が削除されます。この操作は元に戻せません。',
    button: 'プロパティを削除',
    title: 'このプロパティを削除しますか？',
    warning:
      '{{domain}}のウィジェットがただちに停止します。ウィジェットはパズルを取得できなくなり、ソリューションは拒否されます。プロパティの統計は削除されます。この操作は元に戻せません。',
    done: '「{{name}}」を削除しました。',
  },
  dns: {
    title: 'このドメインは名前解決できません',
    unanswered: 'Posternが使用するDNSサーバーから、<code></code>について時間内に応答がありませんでした。',
    unresolved: 'Posternが使用するDNSサーバーには、<code></code>のアドレスがありません。',
    advice:
      '閉じたネットワークなどで、名前のスペルが正しく、訪問者が名前解決できる場合は、確認を行わずに続行してください。監査ログに記録されます。',
    reserved:
      '<code></code>で終わる名前は予約されており、公開DNSでは名前解決できません（RFC 2606、RFC 6761）。インターネット上での試用には、名前解決できる<example></example>を使用してください。',
    example:
      'インターネット上での試用には、名前解決できる<example></example>を使用してください。<test></test>、<reserved></reserved>、<invalid></invalid>で終わる名前は予約されており、公開DNSでは名前解決できません（RFC 2606、RFC 6761）。',
    settings:
      'すべてのドメインで確認を無効にするには、このサーバーの運営者が<check></check>を設定します。<servers></servers>では、ほかのDNSサーバーを選択できます。',
    skip: '{{button}}（DNSの確認なし）。',
  },
  playground: {
    title: 'レベルを試す',
    level: 'レベル',
    levelHelp: 'このプロパティのレベルは{{level}}です。ほかのレベルを試しても変更されません。',
    show: 'このレベルを試す',
    text: 'チェックボックスをオンにしてください。訪問者のブラウザーと同じように、お使いのブラウザーがレベル{{level}}のパズルを1つ解きます。このパズルは試用専用です。統計に含まれず、バックエンドにも受け入れられません。',
    noScript: 'ウィジェットにはJavaScriptが必要です。',
    solving: '計算中…',
    measuredWasm:
      'お使いのブラウザーは、WebAssemblyを使用し、{{elapsed}}ミリ秒で少なくとも{{attempts}}回試行しました。1秒あたり約{{rate}}×100万回です。',
    measuredScript:
      'お使いのブラウザーは、WebAssemblyを使用せず、{{elapsed}}ミリ秒で少なくとも{{attempts}}回試行しました。1秒あたり約{{rate}}×100万回です。',
    measuredArgon2id:
      'お使いのブラウザーは、{{elapsed}}ミリ秒で少なくとも{{attempts}}回のargon2idハッシュを計算しました。1秒あたり約{{rate}}回です。',
    failed: 'パズルを解けませんでした：{{reason}}',
    costTitle: 'このレベルの計算量',
    cost: 'レベル{{level}}のパズルには、平均で約{{attempts}}回の試行が必要です。回数は偶然に左右され、半分で済む訪問者もいれば、2倍かかる訪問者もいます。所要時間は、ノートパソコンで{{laptop}}、低速なスマートフォンで{{phone}}です。ボットは、送信するフォームごとに、プロセッサーの1コアを{{bot}}使用します。',
    testIntegration: '実際の検証の各ステップを確認するには、<link>組み込みをテスト</link>してください。',
  },
  transfer: {
    link: 'インポートとエクスポート',
    title: 'プロパティのインポートとエクスポート',
    exportTitle: 'エクスポート',
    exportText:
      'この組織のすべてのプロパティとその設定を、Platform APIの名前で含むファイルです。ファイルを変更して、再度インポートできます。',
    exportCsv: 'CSVをエクスポート',
    exportJson: 'JSONをエクスポート',
    importTitle: 'インポート',
    importText:
      '既存のプロパティのサイトキーがあるプロパティは、既存のプロパティを変更します。サイトキーのないプロパティは作成されます。ファイルで省略された設定は、現在の値を維持するか、デフォルトになります。変更が適用される前に、すべての変更を確認できます。',
    file: 'CSVまたはJSONファイル',
    fileHelp: 'プロパティ{{count}}件、{{size}}まで。',
    createsUnknown: 'サイトキーがこの組織にないプロパティを作成する',
    createsUnknownHelp:
      '新しいサイトキーが割り当てられます。ほかの組織またはサーバーからプロパティをコピーする場合に使用してください。',
    preview: 'インポートをプレビュー',
    previewTitle: 'インポートのプレビュー',
    nothing: 'このファイルによる変更はありません。すべてのプロパティがすでに同じ設定です。',
    summary: {
      create_one: '{{count}}件のプロパティが作成されます。',
      create_other: '{{count}}件のプロパティが作成されます。',
      update_one: '{{count}}件のプロパティが変更されます。',
      update_other: '{{count}}件のプロパティが変更されます。',
      keep_one: '{{count}}件のプロパティは変更されません。',
      keep_other: '{{count}}件のプロパティは変更されません。',
      reject_one: '{{count}}件のプロパティに問題があります。ファイルを修正して、再度インポートしてください。',
      reject_other:
        '{{count}}件のプロパティに問題があります。ファイルを修正して、再度インポートしてください。',
    },
    all: '変更は、すべて適用されるか、まったく適用されないかのいずれかです。新規および変更されるプロパティのドメインは、先にDNSで確認されます。',
    skipDns: 'DNSの確認を行わずにインポート',
    skipDnsHelp: 'ご自身のネットワークでのみ名前解決できるドメイン向けです。監査ログに記録されます。',
    apply_one: '{{count}}件のプロパティをインポート',
    apply_other: '{{count}}件のプロパティをインポート',
    another: '別のファイルを選択',
    problems: '問題',
    changes: '変更',
    line: '行',
    position: '番号',
    property: 'プロパティ',
    column: '列',
    problem: '問題',
    change: '変更',
    created: '{{domain}}の新しいプロパティ',
    createdNewSitekey: '{{domain}}の新しいプロパティ（新しいサイトキー）',
    fromTo: '<name></name>：{{before}} → {{after}}',
    more_one: 'ほかに{{count}}件あります（表示されません）。',
    more_other: 'ほかに{{count}}件あります（表示されません）。',
    done_one: '{{count}}件のプロパティをインポートしました。',
    done_other: '{{count}}件のプロパティをインポートしました。',
    notApplied: '以下の問題があるため、何もインポートされませんでした。',
    yes: 'はい',
    no: 'いいえ',
  },
};
