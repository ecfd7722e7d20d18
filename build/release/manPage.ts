import { type Command, helpOfOptions } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { SETTINGS } from '../../src/settings.ts';

/**
 * Returns the manual page postern(1) in the format of man(7), created from the tables of commands and settings.
 *
 * @param epoch the time of the release, in seconds
 */
export function toManPage(version: string, epoch: number): string {
  const date = new Date(epoch * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return [
    `.TH POSTERN 1 ${date} "postern ${version}"`,
    ...section('NAME', ['postern \\- a self\\-hosted CAPTCHA server']),
    ...section('SYNOPSIS', ['.B postern', '[\\fIcommand\\fR] [\\fIoption\\fR ...]']),
    ...section('DESCRIPTION', paragraph(DESCRIPTION)),
    ...section('COMMANDS', COMMANDS.flatMap(commandEntry)),
    ...section('OPTIONS', optionEntries()),
    ...section('ENVIRONMENT', paragraph(ENVIRONMENT)),
    ...section(
      'FILES',
      FILES.flatMap(([path, text]) => entry(path, '', text)),
    ),
    ...section(
      'EXIT STATUS',
      EXIT_STATUS.flatMap(([code, text]) => entry(code, '', text)),
    ),
    ...section('EXAMPLES', EXAMPLES.flatMap(([text, command]) => example(text, command)).slice(1)),
    ...section('SEE ALSO', ['.BR systemctl (1),', '.BR journalctl (1)']),
    '',
  ].join('\n');
}

const DESCRIPTION = `Postern issues proof-of-work puzzles to web pages, verifies the solutions for their backends, and manages
properties in a portal. Without a command, it runs the server. The other commands work on the data folder, whether or not a
server is using it. Run them as the user that runs the server. The command \`postern help keys create\` prints the usage of one
command.`;

const ENVIRONMENT = `Each setting is also an environment variable: the option \`--data-dir\` is \`POSTERN_DATA_DIR\`. Options
override the environment. The variable of a secret, such as \`POSTERN_ADMIN_PASSWORD\`, has a variant with the suffix \`_FILE\`,
which names a file that contains the value.`;

const FILES: readonly (readonly [string, string])[] = [
  ['/etc/postern/postern.env', 'Settings of the systemd service, one variable per line.'],
  [
    '/var/lib/postern',
    'The data folder of the systemd service. It contains all persistent data and secrets.',
  ],
  ['/var/cache/postern', 'A file of the systemd service that shows how new the data is.'],
  ['./data', 'The data folder, if `POSTERN_DATA_DIR` is not set.'],
];

const EXIT_STATUS: readonly (readonly [string, string])[] = [
  ['0', 'Success.'],
  ['1', 'Failure: rejected, not found, unreachable, or unusable.'],
  ['2', 'Incorrect usage or configuration.'],
];

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['Run the server with its data in `/srv/postern`:', 'postern serve --data-dir /srv/postern'],
  [
    'List the API keys of the systemd service:',
    'sudo -u postern postern keys list --data-dir /var/lib/postern',
  ],
];

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`.SH ${title}`, ...lines];
}

/** A command with its options, indented, and its example. */
function commandEntry(command: Command): readonly string[] {
  const { name, usage, summary, example: line } = command;
  const options = helpOfOptions(command).flatMap(({ flag, value = '', meaning }) =>
    entry(flag, value, meaning),
  );
  const indented = options.length === 0 ? [] : ['.RS', ...options, '.RE'];
  return [...entry(name, usage, summary), ...indented, '.IP', ...paragraph(`Example: \`${line}\``)];
}

function optionEntries(): readonly string[] {
  return [
    ...entry('--json', '', 'Prints one JSON document. Every command that prints data accepts this option.'),
    ...entry('-h, --help', '', 'Prints the usage of the command.'),
    ...SETTINGS.flatMap(({ flag, default: value, allowed, meaning }) => [
      ...entry(`--${flag}`, 'VALUE', meaning),
      ...paragraph(`Allowed: ${allowed}.${value === undefined ? '' : ` Default: \`${value}\`.`}`),
    ]),
  ];
}

function entry(name: string, usage: string, text: string): readonly string[] {
  const title = `\\fB${escapeRoff(name)}\\fR${usage === '' ? '' : ` ${escapeRoff(usage)}`}`;
  return ['.TP', title, ...paragraph(text)];
}

/** One sentence in each line, as manual pages are written. Code between backticks is bold. */
function paragraph(text: string): readonly string[] {
  return text
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.:]) (?=[A-Z])/)
    .map((sentence) => protect(escapeRoff(sentence).replaceAll(/`([^`]+)`/g, '\\fB$1\\fR')));
}

function example(text: string, command: string): readonly string[] {
  return ['.PP', ...paragraph(text), '.PP', '.RS 4', '.nf', escapeRoff(command), '.fi', '.RE'];
}

function escapeRoff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
}

/** A line that begins with a period or a quote would be a request. */
function protect(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}
