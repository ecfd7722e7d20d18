import type { Property } from '../../model/property.ts';

/** The values in the code for a property. All are plain ASCII without quotes, so they need no escaping. */
export type SnippetFacts = {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly property: Pick<Property, 'domain' | 'allowsSubdomains' | 'allowsLocalhost'> & {
    readonly sitekey: string;
  };
  /** An API key, or its placeholder. */
  readonly key: string;
};

const FIELD = 'postern-captcha-solution';

/** The hosts that are accepted by exact comparison. Together with `suffixesOf`, the rule of `isAllowedHost` in captcha/origin.ts. */
function hostsOf({ domain, allowsLocalhost }: SnippetFacts['property']): readonly string[] {
  return allowsLocalhost ? [domain, 'localhost', '127.0.0.1', '[::1]'] : [domain];
}

/** The suffixes of all other accepted hosts. */
function suffixesOf({
  domain,
  allowsSubdomains,
  allowsLocalhost,
}: SnippetFacts['property']): readonly string[] {
  return [...(allowsSubdomains ? [`.${domain}`] : []), ...(allowsLocalhost ? ['.localhost'] : [])];
}

/** The comment lines above the decision in each snippet. */
function decisionNote(comment: string, indent = ''): string {
  return `${indent}${comment} success is also true for permitted repeats (code 8) and during maintenance (code 9).
${indent}${comment} To reject those, require code 0 as well.`;
}

function quoted(hosts: readonly string[], quote: string): string {
  return hosts.map((host) => `${quote}${host}${quote}`).join(', ');
}

function truths(hosts: readonly string[]): string {
  return hosts.map((host) => `"${host}": true`).join(', ');
}

export function curl({ baseUrl, property, key }: SnippetFacts): string {
  const escaped = (text: string) => text.replaceAll(/[.[\]]/g, '\\$&');
  const hosts = [
    ...hostsOf(property).map(escaped),
    ...suffixesOf(property).map((suffix) => `[^"]+${escaped(suffix)}`),
  ];
  return `# verify_captcha SOLUTION: checks the value of the form field ${FIELD}.
verify_captcha() {
  answer=$(curl -sS --max-time 10 '${baseUrl}/verify' \\
    -H 'X-API-Key: ${key}' \\
    -H 'X-PC-Sitekey: ${property.sitekey}' \\
    -H 'Content-Type: text/plain' \\
    --data-raw "$1") || return 1
${decisionNote('#', '  ')}
  printf '%s' "$answer" | grep -Eq '"success": ?true' &&
    printf '%s' "$answer" | grep -Eq '"origin": ?"(${hosts.join('|')})"'
}`;
}

export function javascript({ baseUrl, property, key }: SnippetFacts): string {
  const suffixes = suffixesOf(property).map((suffix) => ` ||\n    answer.origin.endsWith('${suffix}')`);
  return `const HOSTS = [${quoted(hostsOf(property), "'")}];

// Verifies a form. form: its fields, as FormData or URLSearchParams.
async function verifyCaptcha(form) {
  const response = await fetch('${baseUrl}/verify', {
    method: 'POST',
    headers: {
      'X-API-Key': '${key}',
      'X-PC-Sitekey': '${property.sitekey}',
      'Content-Type': 'text/plain',
    },
    body: form.get('${FIELD}') ?? '',
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await response.json();
  const isOurPage = HOSTS.includes(answer.origin)${suffixes.join('')};
${decisionNote('//', '  ')}
  return answer.success === true && isOurPage;
}`;
}

export function python({ baseUrl, property, key }: SnippetFacts): string {
  const suffixes = suffixesOf(property).map((suffix) => `"${suffix}"`);
  const subdomain = suffixes.length === 0 ? '' : ` or answer["origin"].endswith((${suffixes.join(', ')},))`;
  return `import json
import urllib.error
import urllib.request

HOSTS = [${quoted(hostsOf(property), '"')}]


def verify_captcha(form):
    """Verifies a form. form: its fields, as a mapping."""
    request = urllib.request.Request(
        "${baseUrl}/verify",
        data=form.get("${FIELD}", "").encode(),
        headers={
            "X-API-Key": "${key}",
            "X-PC-Sitekey": "${property.sitekey}",
            "Content-Type": "text/plain",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            answer = json.load(response)
    except urllib.error.HTTPError:
        return False
    is_our_page = answer["origin"] in HOSTS${subdomain}
${decisionNote('#', '    ')}
    return answer["success"] is True and is_our_page`;
}

export function php({ baseUrl, property, key }: SnippetFacts): string {
  const suffixes = suffixesOf(property).map(
    (suffix) => `\n        || str_ends_with($answer['origin'], '${suffix}')`,
  );
  return `<?php
const CAPTCHA_HOSTS = [${quoted(hostsOf(property), "'")}];

// Verifies a form. $form: its fields, such as $_POST.
function verify_captcha(array $form): bool
{
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'X-API-Key: ${key}',
            'X-PC-Sitekey: ${property.sitekey}',
            'Content-Type: text/plain',
        ],
        'content' => $form['${FIELD}'] ?? '',
        'timeout' => 10,
        'ignore_errors' => true,
    ]]);
    $body = file_get_contents('${baseUrl}/verify', false, $context);
    $answer = json_decode($body === false ? '' : $body, true);
    if (!is_array($answer)) {
        return false;
    }
    $isOurPage = in_array($answer['origin'], CAPTCHA_HOSTS, true)${suffixes.join('')};
${decisionNote('//', '    ')}
    return $answer['success'] === true && $isOurPage;
}`;
}

export function go({ baseUrl, property, key }: SnippetFacts): string {
  const suffixes = suffixesOf(property).map(
    (suffix) => ` ||\n\t\tstrings.HasSuffix(answer.Origin, "${suffix}")`,
  );
  return `package main

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

var captchaHosts = map[string]bool{${truths(hostsOf(property))}}

// VerifyCaptcha verifies a form. The argument contains its fields, such as r.PostForm.
func VerifyCaptcha(form url.Values) (bool, error) {
	solution := strings.NewReader(form.Get("${FIELD}"))
	request, err := http.NewRequest("POST", "${baseUrl}/verify", solution)
	if err != nil {
		return false, err
	}
	request.Header.Set("X-API-Key", "${key}")
	request.Header.Set("X-PC-Sitekey", "${property.sitekey}")
	request.Header.Set("Content-Type", "text/plain")
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	var answer struct {
		Success bool
		Origin  string
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return false, err
	}
	isOurPage := captchaHosts[answer.Origin]${suffixes.join('')}
${decisionNote('//', '	')}
	return answer.Success && isOurPage, nil
}`;
}

export function java({ baseUrl, property, key }: SnippetFacts): string {
  const suffixes = suffixesOf(property).map(
    (suffix) => `\n            || origin.group(1).endsWith("${suffix}")`,
  );
  return `import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

final class Captcha {
    private static final Set<String> HOSTS = Set.of(${quoted(hostsOf(property), '"')});
    private static final Pattern SUCCESS = Pattern.compile("\\"success\\": ?true");
    private static final Pattern ORIGIN = Pattern.compile("\\"origin\\": ?\\"([^\\"]*)\\"");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    /** Verifies a form. form: its fields. */
    static boolean verify(Map<String, String> form) throws IOException, InterruptedException {
        var solution = form.getOrDefault("${FIELD}", "");
        var request = HttpRequest.newBuilder(URI.create("${baseUrl}/verify"))
            .version(HttpClient.Version.HTTP_1_1)
            .timeout(Duration.ofSeconds(10))
            .header("X-API-Key", "${key}")
            .header("X-PC-Sitekey", "${property.sitekey}")
            .header("Content-Type", "text/plain")
            .POST(HttpRequest.BodyPublishers.ofString(solution))
            .build();
        var answer = CLIENT.send(request, BodyHandlers.ofString()).body();
        var origin = ORIGIN.matcher(answer);
        var isOurPage = origin.find() && (HOSTS.contains(origin.group(1))${suffixes.join('')});
${decisionNote('//', '        ')}
        return SUCCESS.matcher(answer).find() && isOurPage;
    }
}`;
}

export function ruby({ baseUrl, property, key }: SnippetFacts): string {
  const suffixes = suffixesOf(property).map((suffix) => `"${suffix}"`);
  const subdomain = suffixes.length === 0 ? '' : ` || answer["origin"].end_with?(${suffixes.join(', ')})`;
  return `require "json"
require "net/http"

CAPTCHA_HOSTS = [${quoted(hostsOf(property), '"')}].freeze

# Verifies a form. form: its fields, such as params in Rails.
def verify_captcha(form)
  uri = URI("${baseUrl}/verify")
  request = Net::HTTP::Post.new(
    uri,
    "X-API-Key" => "${key}",
    "X-PC-Sitekey" => "${property.sitekey}",
    "Content-Type" => "text/plain"
  )
  request.body = form["${FIELD}"].to_s
  options = { use_ssl: uri.scheme == "https", open_timeout: 10, read_timeout: 10 }
  response = Net::HTTP.start(uri.host, uri.port, **options) { |http| http.request(request) }
  answer = JSON.parse(response.body)
  is_our_page = CAPTCHA_HOSTS.include?(answer["origin"])${subdomain}
${decisionNote('#', '  ')}
  answer["success"] == true && is_our_page
end`;
}
