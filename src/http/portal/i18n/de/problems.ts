import type { Catalog } from '../catalog.ts';

export const problems: Catalog['problems'] = {
  'path-unknown': 'Dieser Pfad existiert nicht. Prüfen Sie die Schreibweise.',
  'method-not-allowed':
    'Dieser Pfad unterstützt diese Methode nicht. Der Header Allow enthält die unterstützten Methoden.',
  'request-malformed':
    'Die Anfrage konnte nicht gelesen werden. Prüfen Sie die Syntax und versuchen Sie es noch einmal.',
  'body-too-large': 'Der Body der Anfrage ist größer, als dieser Pfad zulässt.',
  'rate-limited':
    'Von dieser Adresse kamen zu viele Anfragen. Warten Sie so viele Sekunden, wie der Header Retry-After angibt.',
  'key-rate-limited':
    'Mit diesem API-Schlüssel oder mit allen API-Schlüsseln seines Benutzers wurden zu viele Anfragen gesendet. Warten Sie so viele Sekunden, wie der Header Retry-After angibt.',
  'internal-error':
    'Ein interner Fehler ist aufgetreten. Das Server-Log enthält unter dieser Anfrage-ID weitere Details.',
  unavailable: 'Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es in Kürze noch einmal.',
  maintenance:
    'Der Dienst befindet sich im Wartungsmodus und lehnt Änderungen ab. Versuchen Sie es später noch einmal.',
  'operation-sunset': 'Dieser Vorgang wurde eingestellt. Die Dokumentation nennt den Ersatz.',

  'key-not-accepted':
    'Der Header X-API-Key muss einen gültigen API-Schlüssel enthalten. Dieser fehlt oder ist fehlerhaft, unbekannt, widerrufen oder abgelaufen.',
  'scope-not-enough':
    'Dieser API-Schlüssel hat die falsche Berechtigung. Die Platform API erfordert einen Schlüssel mit der Berechtigung portal.',
  'key-read-only':
    'Dieser API-Schlüssel erlaubt nur Lesezugriff. Verwenden Sie einen Schlüssel mit Schreibzugriff.',
  'key-organization-only':
    'Dieser API-Schlüssel hat nur auf eine Organisation Zugriff. Verwenden Sie einen Schlüssel ohne diese Einschränkung.',

  'media-type-unsupported':
    'Dieser Vorgang erfordert einen JSON-Body, auch bei DELETE. Senden Sie ihn mit dem Header Content-Type: application/json.',
  'json-malformed': 'Der Body muss UTF-8-codiertes JSON in der Struktur sein, die dieser Vorgang erwartet.',
  'field-unknown': 'Der Body enthält ein Feld, das dieser Vorgang nicht akzeptiert. Entfernen Sie es.',
  'field-mistyped': 'Ein Wert im Body hat den falschen Typ.',
  'query-malformed': 'Ein Abfrageparameter hat einen ungültigen Wert.',

  'sitekey-malformed':
    'Der Sitekey muss aus 32 Hexadezimalziffern bestehen. Kopieren Sie ihn aus der Property.',
  'origin-missing': 'Die Anfrage hat keinen Header Origin. Puzzles werden nur an Webseiten ausgegeben.',
  'property-unknown': 'Es gibt keine aktive Property mit diesem Sitekey.',
  'origin-not-allowed':
    'Diese Seite gehört nicht zur Domain der Property. Prüfen Sie die Domain und die Einstellungen für Subdomains und localhost.',
  'origin-without-domain':
    'Diese Seite hat einen Hostnamen ohne Punkt oder eine IP-Adresse, die keine Property als Domain haben kann. Öffnen Sie die Seite unter einem vollständigen Hostnamen wie intranet.example.com und legen Sie diesen als Domain der Property fest.',

  'rule-blocked': 'Eine Regel des Betreibers oder der Website blockiert diese Anfrage.',
  'organization-name-empty': 'Die Organisation benötigt einen Namen.',
  'organization-name-too-long': 'Der Name einer Organisation darf höchstens 128 Zeichen lang sein.',
  'organization-name-malformed':
    'Der Name der Organisation enthält unzulässige Zeichen: Steuerzeichen, unsichtbare Formatzeichen wie Verbindungszeichen oder spitze Klammern.',
  'organization-name-taken': 'Der Inhaber hat bereits eine Organisation mit diesem Namen.',
  'organizations-limit':
    'Der Tarif des Benutzers lässt keine weiteren Organisationen zu. Löschen Sie eine Organisation oder bitten Sie den Betreiber um einen anderen Tarif.',
  'organization-unknown': 'Die angeforderte Organisation existiert nicht.',
  'organization-not-yours': 'Der Benutzer ist kein Mitglied dieser Organisation.',
  'organization-not-owned': 'Das kann nur der Inhaber der Organisation tun.',
  'organization-id-not-empty':
    'Die ID einer neuen Organisation vergibt der Server. Lassen Sie die ID weg oder senden Sie eine leere Zeichenfolge.',
  'organization-id-empty': 'Die ID der Organisation fehlt.',
  'organization-owner-read-only':
    'Dieser Vorgang kann den Inhaber einer Organisation nicht ändern. Lassen Sie den Inhaber weg oder senden Sie den aktuellen.',
  'organization-id-malformed':
    'Das ist keine gültige Organisations-ID. Kopieren Sie die ID aus der Liste der Organisationen.',

  'batch-malformed': 'Der Body muss ein Array mit mindestens einem Eintrag sein.',
  'batch-too-large':
    'Ein Batch darf höchstens 128 Einträge enthalten. Teilen Sie ihn in mehrere Batches auf.',
  'property-name-empty': 'Die Property benötigt einen Namen.',
  'property-name-too-long': 'Der Name einer Property darf höchstens 128 Zeichen lang sein.',
  'property-name-malformed':
    'Der Name der Property enthält unzulässige Zeichen: Steuerzeichen, unsichtbare Formatzeichen wie Verbindungszeichen oder spitze Klammern.',
  'property-name-taken': 'Die Organisation hat bereits eine Property mit diesem Namen.',
  'domain-empty': 'Die Property benötigt eine Domain.',
  'domain-localhost':
    'Die Domain darf nicht localhost sein. Verwenden Sie eine öffentliche Domain und lassen Sie localhost in den Einstellungen zu.',
  'domain-is-address': 'Die Domain darf keine IP-Adresse sein. Verwenden Sie einen Domainnamen.',
  'domain-not-valid': 'Die Domain ist kein gültiger Domainname. Geben Sie einen Namen wie example.com ein.',
  'domain-single-label':
    'Die Domain enthält keinen Punkt. Verwenden Sie den vollständigen Namen des Hosts, zum Beispiel intranet.example.com, und öffnen Sie die Seiten mit dem Widget unter diesem Namen.',
  'domain-is-suffix':
    'Die Domain ist ein öffentliches Suffix, unter dem verschiedene Inhaber Namen registrieren. Verwenden Sie die Domain Ihrer Website, zum Beispiel example.co.uk.',
  'domain-unresolved':
    'Die Domain lässt sich im DNS nicht auflösen. Prüfen Sie die Schreibweise oder veröffentlichen Sie zuerst einen DNS-Eintrag.',
  'dns-unanswered':
    'Die DNS-Server haben für diese Domain nicht rechtzeitig geantwortet. Versuchen Sie es später noch einmal.',
  'domain-malformed':
    'Die Domain darf nur aus einem Hostnamen wie example.com bestehen, ohne Schema, Port, Pfad, Leerzeichen oder Platzhalter.',
  'sitekey-read-only':
    'Der Sitekey einer Property kann nicht geändert werden. Lassen Sie den Sitekey weg oder senden Sie den aktuellen.',
  'property-id-empty': 'Die ID der Property fehlt.',
  'property-id-malformed':
    'Das ist keine gültige Property-ID. Kopieren Sie die ID aus der Liste der Propertys.',
  'property-gone': 'Diese Property existiert nicht oder wurde gelöscht.',
  'property-id-repeated': 'Der Batch enthält diese Property mehr als einmal. Nehmen Sie sie nur einmal auf.',
  'property-not-yours':
    'Diese Property gehört zu einer Organisation, auf die der API-Schlüssel keinen Zugriff hat.',
  'properties-limit':
    'Der Tarif des Inhabers der Organisation lässt keine weiteren Propertys zu. Löschen Sie einige Propertys oder bitten Sie den Betreiber um einen anderen Tarif.',
  'level-malformed': 'Die Stufe muss eine ganze Zahl von 1 bis 255 sein.',
  'growth-unknown': 'Der Anstieg muss constant, slow, medium oder fast sein.',
  'challenge-unknown': 'Die Art des Rechenaufwands (challenge) muss blake2b oder argon2id sein.',
  'validity-malformed':
    'Die Gültigkeit (validity_seconds) muss eine ganze Zahl von 60 bis 172800 Sekunden sein.',
  'allow-subdomains-malformed': 'allow_subdomains muss true oder false sein.',
  'allow-localhost-malformed': 'allow_localhost muss true oder false sein.',
  'enabled-malformed': 'enabled muss true oder false sein.',
  'allowance-malformed':
    'Die Anzahl der Überprüfungen pro Lösung (max_replay_count) muss eine ganze Zahl von 1 bis 1000000 sein.',

  'rules-invalid':
    'Die Regeln haben Fehler, daher wurde nichts geändert. data.errors nennt sie mit ihren Positionen.',
  'rules-changed-meanwhile':
    'Die Regeln wurden inzwischen geändert. Laden Sie die Seite neu und wiederholen Sie die Änderung.',
  'rule-unknown': 'Die Liste enthält keine Regel mit dieser ID. Möglicherweise wurde sie gelöscht.',
  'rules-number-malformed':
    'Die Revision der Regeln (revision) und die Position einer Regel (position) müssen ganze Zahlen ab 0 sein.',
  'address-malformed': 'Die Client-Adresse muss eine IPv4- oder IPv6-Adresse sein.',
  'page-path-malformed':
    'Der Pfad einer Seite muss mit genau einem Schrägstrich beginnen und darf höchstens 2048 Zeichen haben.',
  'task-unknown':
    'Der Benutzer hat keine Aufgabe mit dieser ID. Abgeschlossene Aufgaben werden 7 Tage lang aufbewahrt.',
  'task-key-revoked':
    'Der API-Schlüssel, mit dem diese Aufgabe gestartet wurde, wurde vor ihrer Ausführung widerrufen.',
  'task-account-disabled':
    'Der Benutzer, der diese Aufgabe gestartet hat, wurde vor ihrer Ausführung deaktiviert.',
  'import-not-applied':
    'Von diesem Import wurde nichts übernommen, weil eine andere Property darin abgelehnt wurde.',
  'task-queue-full':
    'Für den Benutzer warten zu viele Aufgaben. Versuchen Sie es noch einmal, wenn einige davon abgeschlossen sind.',

  'plan-name-malformed':
    'Der Name eines Tarifs muss aus 1 bis 64 Kleinbuchstaben, Ziffern und Bindestrichen bestehen und mit einem Buchstaben oder einer Ziffer beginnen.',
  'plan-unknown': 'Dieser Tarif existiert nicht.',

  'email-malformed': 'Das ist keine gültige E-Mail-Adresse.',
  'email-domain-malformed':
    'Die Domain dieser E-Mail-Adresse ist nicht gültig. Prüfen Sie ihre Sonderzeichen oder die Teile, die mit xn-- beginnen.',
  'email-taken': 'Es gibt bereits einen Benutzer mit dieser E-Mail-Adresse.',
  'password-too-short': 'Ein Passwort muss mindestens 8 Zeichen lang sein.',
  'password-too-long': 'Ein Passwort darf höchstens 256 Zeichen lang sein.',
  'password-common':
    'Dieses Passwort ist weit verbreitet oder wiederholt ein kurzes Muster, sodass Angreifer es zuerst ausprobieren. Wählen Sie ein anderes.',
  'password-guessable':
    'Dieses Passwort ist vom Namen des Produkts, von Ihrer Organisation oder von Ihrer E-Mail-Adresse abgeleitet und zu leicht zu erraten. Wählen Sie ein anderes.',
  'passwords-busy': 'Der Server prüft im Moment zu viele Passwörter. Versuchen Sie es in Kürze noch einmal.',
  'account-name-empty': 'Der Benutzer benötigt einen Namen.',
  'account-name-too-long': 'Der Name eines Benutzers darf höchstens 128 Zeichen lang sein.',
  'account-name-malformed':
    'Der Name des Benutzers enthält unzulässige Zeichen: Steuerzeichen, unsichtbare Formatzeichen wie Verbindungszeichen oder spitze Klammern.',
  'account-unknown': 'Dieser Benutzer existiert nicht.',
  'account-disabled': 'Dieser Benutzer wurde deaktiviert.',
  'admin-only': 'Das kann nur ein Administrator tun.',
  'admin-last':
    'Das ist der letzte Administrator, der sich anmelden kann. Machen Sie zuerst einen anderen Benutzer zum Administrator.',
  'member-is-owner':
    'Dieser Benutzer ist der Inhaber der Organisation und kann daher nicht als Mitglied hinzugefügt oder entfernt werden.',
  'member-unknown': 'Dieser Benutzer ist kein Mitglied der Organisation.',

  'member-already': 'Der Benutzer mit dieser E-Mail-Adresse ist bereits Mitglied der Organisation.',
  'invitation-unknown':
    'Diese Einladung ist nicht gültig: Sie wurde verwendet oder zurückgezogen oder ist abgelaufen. Bitten Sie um eine neue.',
  'invitation-not-yours':
    'Diese Einladung gilt für eine andere E-Mail-Adresse. Melden Sie sich mit jener Adresse an.',
  'invitations-limit': 'Die Organisation hat zu viele offene Einladungen. Ziehen Sie einige davon zurück.',

  'key-name-empty': 'Der API-Schlüssel benötigt einen Namen.',
  'key-name-too-long': 'Der Name eines API-Schlüssels darf höchstens 128 Zeichen lang sein.',
  'key-name-malformed':
    'Der Name des API-Schlüssels enthält unzulässige Zeichen: Steuerzeichen, unsichtbare Formatzeichen wie Verbindungszeichen oder spitze Klammern.',
  'key-malformed':
    'Ein API-Schlüssel muss aus 32 bis 256 druckbaren Zeichen bestehen. Ein Schlüssel, der mit postern_ beginnt, muss vollständig und unverändert sein.',
  'key-taken': 'Dieser API-Schlüssel existiert bereits.',
  'keys-limit':
    'Ein Benutzer kann höchstens 100 aktive API-Schlüssel haben. Widerrufen Sie einen, der nicht mehr benötigt wird.',
  'key-unknown': 'Dieser API-Schlüssel existiert nicht.',
  'key-revoked': 'Dieser API-Schlüssel wurde bereits widerrufen.',
  'key-expiry-past':
    'Das Ablaufdatum des API-Schlüssels liegt in der Vergangenheit. Wählen Sie einen Zeitpunkt in der Zukunft.',
  'key-rate-malformed':
    'Die Rate eines API-Schlüssels muss eine Anzahl von Anfragen pro Sekunde von 0.001 bis 1000000000 sein.',
  'key-burst-malformed':
    'Der Burst eines API-Schlüssels muss eine ganze Anzahl von Anfragen von 1 bis 1000000000 sein.',
  'key-rate-too-high':
    'Nur ein Administrator kann einem API-Schlüssel eine Rate oder einen Burst über dem konfigurierten Limit geben.',
  'scope-unknown': 'Die Berechtigung eines API-Schlüssels muss portal oder verify sein.',

  'credentials-wrong': 'Die E-Mail-Adresse oder das Passwort ist falsch.',
  'password-wrong': 'Das ist nicht Ihr aktuelles Passwort.',
  'two-factor-required':
    'Diese Installation erfordert die Zwei-Faktor-Authentifizierung. Sie können sie daher nicht deaktivieren.',
  'user-disabled':
    'Dieses Konto ist deaktiviert. Wenden Sie sich an einen Administrator dieser Installation.',
  'code-wrong': 'Dieser Code ist falsch oder wurde bereits verwendet.',
  'setup-closed': 'Die Einrichtung ist abgeschlossen: Ein Benutzer kann sich bereits anmelden.',
  'setup-token-wrong':
    'Das ist nicht der neueste Einrichtungslink. Das Log enthält den Link, den der Server beim letzten Start ausgegeben hat.',
  'name-not-typed': 'Das ist nicht der Name. Geben Sie ihn genau so ein, wie er über dem Feld steht.',
  'password-link-unknown':
    'Dieser Link ist nicht gültig: Er wurde verwendet oder ist abgelaufen, oder das Passwort wurde inzwischen geändert. Bitten Sie einen Administrator um einen neuen.',
  'form-sent-before':
    'Dieses Formular wurde bereits gesendet. Das Ergebnis wird nicht noch einmal angezeigt. Senden Sie es nur dann erneut, wenn Sie ein neues Ergebnis möchten.',
  'day-malformed': 'Geben Sie einen Tag ein, zum Beispiel 2027-01-31.',
  'search-too-long': 'Geben Sie höchstens 512 Zeichen ein.',
  'rate-not-a-number':
    'Geben Sie eine Zahl ein, mit einem Punkt vor den Dezimalstellen (zum Beispiel 0.5), oder lassen Sie das Feld leer.',
  'maintenance-word': 'Wählen Sie aus, ob der Wartungsmodus aktiviert oder deaktiviert ist.',
  'repeats-too-few':
    'Um wiederholte Lösungen zu akzeptieren, geben Sie eine Zahl von 2 bis 1000000 ein. Um jede Lösung nur einmal zu akzeptieren, deaktivieren Sie das Kontrollkästchen.',
  'state-word': 'Wählen Sie aus, ob die Property aktiviert oder deaktiviert ist.',
  'quota-malformed': 'Geben Sie eine ganze Zahl von 0 bis 1000000000 ein.',
  'key-secret-replaced': 'Dieses Secret des API-Schlüssels wurde ersetzt; verwenden Sie das aktuelle Secret.',
  'key-old-secret-ended': 'Dieser API-Schlüssel hat kein altes Secret, das noch gültig ist.',
  'keep-old-malformed':
    'Ein altes Secret kann 0, 3600, 86400 oder 604800 Sekunden lang gültig bleiben (keep_old_seconds).',
  'period-reversed':
    'Der letzte Tag liegt vor dem ersten Tag. Geben Sie einen Tag ein, der nicht früher ist.',
  'period-future': 'Die Statistik endet heute (UTC). Geben Sie Tage bis heute ein.',
  'period-too-old':
    'Die Statistik wird zwei Jahre lang gespeichert. Geben Sie einen Tag der letzten 730 Tage ein.',
  'period-too-long':
    'Ein eigener Zeitraum hat höchstens 366 Tage. Geben Sie Tage ein, die näher beieinander liegen.',
  'action-unknown': 'Wählen Sie eine der Gruppen von Aktionen aus der Liste.',
  'validity-out-of-range': 'Geben Sie eine Dauer in ganzen Sekunden ein, von 1 Minute bis 48 Stunden.',
  'level-not-custom':
    'Es ist eine genaue Stufe eingegeben. Wählen Sie „Benutzerdefiniert“, um sie zu verwenden, oder leeren Sie das Feld.',
  'import-file-missing': 'Wählen Sie eine CSV- oder JSON-Datei.',
  'import-empty': 'Die Datei enthält keine Propertys.',
  'import-too-large': 'Die Datei ist größer als 768 KiB. Teilen Sie sie in mehrere Dateien auf.',
  'import-too-many': 'Die Datei enthält mehr als 1.000 Propertys. Teilen Sie sie in mehrere Dateien auf.',
  'import-not-utf8': 'Die Datei ist nicht in UTF-8. Speichern Sie sie in UTF-8.',
  'import-csv-malformed': 'Die CSV-Datei konnte nicht gelesen werden.',
  'import-json-malformed':
    'Die JSON-Datei konnte nicht gelesen werden. Sie muss ein Array von Objekten sein.',
  'import-column-unknown': 'Die Datei enthält eine Spalte, die nicht zum Format gehört.',
  'import-column-repeated': 'Die Datei enthält eine Spalte zweimal.',
  'import-value-malformed': 'Das Element ist kein Objekt.',
  'import-member-unknown': 'Das Objekt hat ein Element, das nicht zum Format gehört.',
  'import-sitekey-unknown': 'Keine Property dieser Organisation hat diesen Sitekey.',
  'import-sitekey-repeated': 'Eine frühere Zeile hat denselben Sitekey.',
};
