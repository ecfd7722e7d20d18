import type { Catalog } from '../catalog.ts';

export const problems: Catalog['problems'] = {
  'path-unknown': 'このパスは存在しません。スペルを確認してください。',
  'method-not-allowed':
    'このパスはこのメソッドに対応していません。対応しているメソッドはAllowヘッダーに記載されています。',
  'request-malformed': 'リクエストを読み取れませんでした。構文を確認して、もう一度お試しください。',
  'body-too-large': 'リクエストボディが、このパスで受け付けられるサイズを超えています。',
  'rate-limited':
    'このアドレスからのリクエストが多すぎます。Retry-Afterヘッダーに示された秒数だけ待ってください。',
  'key-rate-limited':
    'このAPIキー、またはそのユーザーのすべてのAPIキーによるリクエストが多すぎます。Retry-Afterヘッダーに示された秒数だけ待ってください。',
  'internal-error': '内部エラーが発生しました。詳細は、このリクエストIDでサーバーログに記録されています。',
  unavailable: 'サービスは一時的に利用できません。しばらくしてからもう一度お試しください。',
  maintenance: 'サービスはメンテナンスモードのため、変更を拒否しています。後でもう一度お試しください。',
  'operation-sunset': 'この操作は廃止されました。代わりの操作についてはドキュメントを参照してください。',

  'key-not-accepted':
    'X-API-Keyヘッダーには有効なAPIキーが必要です。このキーは、指定されていないか、形式が正しくないか、不明であるか、失効済みか、有効期限切れです。',
  'scope-not-enough':
    'このAPIキーのスコープが正しくありません。Platform APIには、portalスコープのキーが必要です。',
  'key-read-only': 'このAPIキーは読み取り専用です。書き込み権限のあるキーを使用してください。',
  'key-organization-only':
    'このAPIキーは1つの組織にしかアクセスできません。この制限のないキーを使用してください。',

  'media-type-unsupported':
    'この操作には、DELETEの場合もJSONのボディが必要です。Content-Type: application/jsonヘッダーを付けて送信してください。',
  'json-malformed': 'ボディは、この操作で想定されている構造のUTF-8のJSONである必要があります。',
  'field-unknown': 'ボディに、この操作では受け付けられないフィールドが含まれています。削除してください。',
  'field-mistyped': 'ボディに型が正しくない値があります。',
  'query-malformed': 'クエリパラメーターに無効な値があります。',

  'sitekey-malformed': 'サイトキーは32桁の16進数である必要があります。プロパティからコピーしてください。',
  'origin-missing': 'リクエストにOriginヘッダーがありません。パズルはウェブページにのみ発行されます。',
  'property-unknown': 'このサイトキーを持つ有効なプロパティはありません。',
  'origin-not-allowed':
    'このページはプロパティのドメイン上にありません。ドメインと、サブドメインおよびlocalhostの設定を確認してください。',
  'origin-without-domain':
    'このページはドットを含まないホスト名またはIPアドレスで開かれており、これらはプロパティのドメインにできません。intranet.example.comのような完全なホスト名でページを開き、その名前をプロパティのドメインに設定してください。',

  'rule-blocked': '運用者またはウェブサイトのルールにより、このリクエストはブロックされました。',
  'organization-name-empty': '組織の名前を指定してください。',
  'organization-name-too-long': '組織の名前は128文字以内で指定してください。',
  'organization-name-malformed':
    '組織の名前に使用できない文字（制御文字、結合子などの見えない書式文字、山かっこ）が含まれています。',
  'organization-name-taken': 'オーナーには、この名前の組織がすでにあります。',
  'organizations-limit':
    'ユーザーのプランでは、これ以上組織を作成できません。組織を削除するか、運営者にプランの変更を依頼してください。',
  'organization-unknown': '指定された組織は存在しません。',
  'organization-not-yours': 'ユーザーはこの組織のメンバーではありません。',
  'organization-not-owned': 'この操作を実行できるのは、組織のオーナーのみです。',
  'organization-id-not-empty':
    '新しい組織のIDはサーバーが割り当てます。IDを省略するか、空の文字列を送信してください。',
  'organization-id-empty': '組織のIDが指定されていません。',
  'organization-owner-read-only':
    'この操作では組織のオーナーを変更できません。オーナーを省略するか、現在のオーナーを送信してください。',
  'organization-id-malformed': '有効な組織IDではありません。組織の一覧からIDをコピーしてください。',

  'batch-malformed': 'ボディは、1件以上の項目を含む配列である必要があります。',
  'batch-too-large': '1つのバッチに含められる項目は128件までです。複数のバッチに分割してください。',
  'property-name-empty': 'プロパティの名前を指定してください。',
  'property-name-too-long': 'プロパティの名前は128文字以内で指定してください。',
  'property-name-malformed':
    'プロパティの名前に使用できない文字（制御文字、結合子などの見えない書式文字、山かっこ）が含まれています。',
  'property-name-taken': 'この組織には、この名前のプロパティがすでにあります。',
  'domain-empty': 'プロパティのドメインを指定してください。',
  'domain-localhost':
    'ドメインにlocalhostは指定できません。公開ドメインを使用し、設定でlocalhostを許可してください。',
  'domain-is-address': 'ドメインにIPアドレスは指定できません。ドメイン名を使用してください。',
  'domain-not-valid': '有効なドメイン名ではありません。example.comのような名前を入力してください。',
  'domain-single-label':
    'ドメインにドットが含まれていません。intranet.example.comのような完全なホスト名を使用し、ウィジェットを設置したページをその名前で開いてください。',
  'domain-is-suffix':
    'このドメインは、さまざまな所有者が名前を登録するパブリックサフィックスです。example.co.ukのような、ご自身のウェブサイトのドメインを使用してください。',
  'domain-unresolved':
    'ドメインをDNSで名前解決できません。スペルを確認するか、先にDNSレコードを公開してください。',
  'dns-unanswered':
    'このドメインについて、DNSサーバーから時間内に応答がありませんでした。後でもう一度お試しください。',
  'domain-malformed':
    'ドメインはexample.comのようなホスト名のみで指定してください。スキーム、ポート、パス、スペース、ワイルドカードは使用できません。',
  'sitekey-read-only':
    'プロパティのサイトキーは変更できません。サイトキーを省略するか、現在のサイトキーを送信してください。',
  'property-id-empty': 'プロパティのIDが指定されていません。',
  'property-id-malformed': '有効なプロパティIDではありません。プロパティの一覧からIDをコピーしてください。',
  'property-gone': 'このプロパティは存在しないか、削除されています。',
  'property-id-repeated': 'バッチにこのプロパティが複数回含まれています。1回だけ含めてください。',
  'property-not-yours': 'このプロパティは、APIキーでアクセスできない組織に属しています。',
  'properties-limit':
    '組織のオーナーのプランでは、これ以上プロパティを作成できません。不要なプロパティを削除するか、運営者にプランの変更を依頼してください。',
  'level-malformed': 'レベルは1から255までの整数で指定してください。',
  'growth-unknown': '増加はconstant、slow、medium、fastのいずれかで指定してください。',
  'challenge-unknown': '計算の種類（challenge）はblake2bまたはargon2idで指定してください。',
  'validity-malformed': '有効期間（validity_seconds）は60から172800までの整数（秒）で指定してください。',
  'allow-subdomains-malformed': 'allow_subdomainsはtrueまたはfalseで指定してください。',
  'allow-localhost-malformed': 'allow_localhostはtrueまたはfalseで指定してください。',
  'enabled-malformed': 'enabledはtrueまたはfalseで指定してください。',
  'allowance-malformed':
    'ソリューションあたりの検証回数（max_replay_count）は1から1000000までの整数で指定してください。',

  'rules-invalid':
    'ルールにエラーがあるため、何も変更されませんでした。data.errorsにエラーとその位置があります。',
  'rules-changed-meanwhile':
    'ルールはその間に変更されました。ページを再読み込みして、変更をやり直してください。',
  'rule-unknown': 'リストにこのIDのルールはありません。削除された可能性があります。',
  'rules-number-malformed':
    'ルールのリビジョン（revision）とルールの位置（position）は、0以上の整数である必要があります。',
  'address-malformed': 'クライアントアドレスは、IPv4またはIPv6のアドレスである必要があります。',
  'page-path-malformed':
    'ページのパスは、1つだけのスラッシュで始まる2048文字以内のテキストである必要があります。',
  'task-unknown': 'このIDのタスクはユーザーにありません。完了したタスクは7日間保持されます。',
  'task-key-revoked': 'このタスクを開始したAPIキーは、タスクの実行前に失効しました。',
  'task-account-disabled': 'このタスクを開始したユーザーは、タスクの実行前に無効になりました。',
  'import-not-applied':
    'このインポートに含まれる別のプロパティが拒否されたため、インポートは一切適用されませんでした。',
  'task-queue-full':
    'ユーザーの待機中のタスクが多すぎます。一部のタスクが完了してから、もう一度お試しください。',

  'plan-name-malformed':
    'プランの名前は、英小文字、数字、ハイフンを使った1～64文字で、先頭は英小文字または数字にしてください。',
  'plan-unknown': 'このプランは存在しません。',

  'email-malformed': '有効なメールアドレスではありません。',
  'email-domain-malformed':
    'このメールアドレスのドメインが正しくありません。国際化文字、または xn-- で始まる部分を確認してください。',
  'email-taken': 'このメールアドレスのユーザーがすでに存在します。',
  'password-too-short': 'パスワードは8文字以上で指定してください。',
  'password-too-long': 'パスワードは256文字以内で指定してください。',
  'password-common':
    'このパスワードは、よく使われているか、短いパターンの繰り返しであるため、攻撃者が最初に試します。別のパスワードを選択してください。',
  'password-guessable':
    'このパスワードは、製品名、組織、またはメールアドレスに基づいているため、簡単に推測されます。別のパスワードを選択してください。',
  'passwords-busy':
    'サーバーは現在、多数のパスワードを確認しています。しばらくしてからもう一度お試しください。',
  'account-name-empty': 'ユーザーの名前を指定してください。',
  'account-name-too-long': 'ユーザーの名前は128文字以内で指定してください。',
  'account-name-malformed':
    'ユーザーの名前に使用できない文字（制御文字、結合子などの見えない書式文字、山かっこ）が含まれています。',
  'account-unknown': 'このユーザーは存在しません。',
  'account-disabled': 'このユーザーは無効になっています。',
  'admin-only': 'この操作を実行できるのは、管理者のみです。',
  'admin-last': 'このユーザーは、ログインできる最後の管理者です。先に別のユーザーを管理者にしてください。',
  'member-is-owner':
    'このユーザーは組織のオーナーであるため、メンバーとして追加または削除することはできません。',
  'member-unknown': 'このユーザーは組織のメンバーではありません。',

  'member-already': 'このメールアドレスのユーザーは、すでに組織のメンバーです。',
  'invitation-unknown':
    'この招待は、使用済みか、取り消されたか、有効期限が切れているため、無効です。新しい招待を依頼してください。',
  'invitation-not-yours': 'この招待は別のメールアドレス宛てです。そのメールアドレスでログインしてください。',
  'invitations-limit': '組織の保留中の招待が多すぎます。一部の招待を取り消してください。',

  'key-name-empty': 'APIキーの名前を指定してください。',
  'key-name-too-long': 'APIキーの名前は128文字以内で指定してください。',
  'key-name-malformed':
    'APIキーの名前に使用できない文字（制御文字、結合子などの見えない書式文字、山かっこ）が含まれています。',
  'key-malformed':
    'APIキーは32～256文字の印字可能な文字である必要があります。postern_で始まるキーは、欠けや変更のない完全なものである必要があります。',
  'key-taken': 'このAPIキーはすでに存在します。',
  'keys-limit': '1人のユーザーが持てる有効なAPIキーは100件までです。不要になったキーを失効させてください。',
  'key-unknown': 'このAPIキーは存在しません。',
  'key-revoked': 'このAPIキーはすでに失効しています。',
  'key-expiry-past': 'APIキーの有効期限が過去の日時です。将来の日時を選択してください。',
  'key-rate-malformed':
    'APIキーのレートは、1秒あたりのリクエスト数を0.001から1000000000までの数値で指定してください。',
  'key-burst-malformed': 'APIキーのバーストは、リクエスト数を1から1000000000までの整数で指定してください。',
  'key-rate-too-high': '設定済みの制限を超えるレートやバーストをAPIキーに設定できるのは、管理者のみです。',
  'scope-unknown': 'APIキーのスコープはportalまたはverifyで指定してください。',

  'credentials-wrong': 'メールアドレスまたはパスワードが正しくありません。',
  'password-wrong': '現在のパスワードと一致しません。',
  'two-factor-required': 'このインストール環境では二要素認証が必須のため、無効にすることはできません。',
  'user-disabled': 'このアカウントは無効になっています。このインストール環境の管理者にお問い合わせください。',
  'code-wrong': 'このコードは正しくないか、すでに使用されています。',
  'setup-closed': '初期設定は完了しています。ログインできるユーザーがすでに存在します。',
  'setup-token-wrong':
    'これは最新の初期設定リンクではありません。サーバーが前回の起動時に出力したリンクがログに記録されています。',
  'name-not-typed': '名前が一致しません。入力欄の上に表示されているとおりに正確に入力してください。',
  'password-link-unknown':
    'このリンクは、使用済みか、有効期限切れか、その後パスワードが変更されたため、無効です。管理者に新しいリンクを依頼してください。',
  'form-sent-before':
    'このフォームはすでに送信されています。その結果は再表示されません。新しい結果が必要な場合のみ、もう一度送信してください。',
  'day-malformed': '日付を入力してください（例：2027-01-31）。',
  'search-too-long': '512文字以内で入力してください。',
  'rate-not-a-number': '数値を入力するか、空欄のままにしてください。',
  'maintenance-word': 'メンテナンスモードを有効にするか無効にするかを選択してください。',
  'repeats-too-few':
    '同じソリューションを繰り返し受け入れるには、2から1000000までの数値を入力してください。各ソリューションを1回だけ受け入れるには、チェックボックスをオフにしてください。',
  'state-word': 'プロパティを有効にするか無効にするかを選択してください。',
  'quota-malformed': '0から1000000000までの整数を入力してください。',
  'validity-out-of-range': '1分から48時間までの時間を、秒単位の整数になるように入力してください。',
  'level-not-custom':
    '正確なレベルが入力されています。使用するには「カスタム」を選択し、使用しない場合は入力欄を空にしてください。',
  'import-file-missing': 'CSVまたはJSONファイルを選択してください。',
  'import-empty': 'ファイルにプロパティがありません。',
  'import-too-large': 'ファイルが768 KiBを超えています。複数のファイルに分割してください。',
  'import-too-many': 'ファイルに1,000件を超えるプロパティがあります。複数のファイルに分割してください。',
  'import-not-utf8': 'ファイルがUTF-8ではありません。UTF-8で保存してください。',
  'import-csv-malformed': 'CSVファイルを読み取れませんでした。',
  'import-json-malformed': 'JSONファイルを読み取れませんでした。オブジェクトの配列である必要があります。',
  'import-column-unknown': 'ファイルに、形式で定義されていない列があります。',
  'import-column-repeated': 'ファイルに同じ列が2つあります。',
  'import-value-malformed': '項目がオブジェクトではありません。',
  'import-member-unknown': 'オブジェクトに、形式で定義されていないフィールドがあります。',
  'import-sitekey-unknown': 'このサイトキーを持つプロパティは、この組織にありません。',
  'import-sitekey-repeated': 'これより前の行に同じサイトキーがあります。',
  'key-secret-replaced':
    'このAPIキーのシークレットは置き換えられました。現在のシークレットを使用してください。',
  'key-old-secret-ended': 'このAPIキーには、有効な古いシークレットがありません。',
  'keep-old-malformed':
    '古いシークレットを有効にしておける時間は、0、3600、86400、604800秒のいずれかです（keep_old_seconds）。',
  'period-reversed': '最終日が開始日より前です。開始日以降の日付を入力してください。',
  'period-future': '統計は今日（UTC）までです。今日までの日付を入力してください。',
  'period-too-old': '統計は2年間保存されます。過去730日以内の日付を入力してください。',
  'period-too-long': 'カスタム期間は最大366日です。より近い日付を入力してください。',
  'action-unknown': 'リストから操作のグループを選択してください。',
};
