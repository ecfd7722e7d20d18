import ts from 'typescript';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { filesAt, textOf } from '../../architecture/tree.ts';

/** Collects the commands that pages, messages, and documents print. */

export type Printed = {
  /** The file, for the message of a failed test. */
  readonly file: string;
  readonly script: string;
  /**
   * `script`: a block of shell commands. `whole`: a text that is only the command, such as one that a page offers to copy. `mention`:
   * a command in a sentence, which may leave out what the reader knows.
   */
  readonly kind: 'script' | 'whole' | 'mention';
};

/** Programs whose commands are recognized in the code of sentences. */
const PROGRAMS =
  /^(?:sudo (?:-\S+ \S+ )?|POSTERN_\w+=\S+ )*(?:(?:\.\/dist\/|\/usr\/local\/bin\/)?postern|npm|npx|bun|docker|kubectl|systemctl|journalctl|apt-get|apt|dnf|curl|psql|pg_dump|age|openssl|chown|chmod|install|timedatectl|git|tar|ssh|promtool|useradd|sha256sum|source) (?!and |or |of |to |is |in )\S/;

const DOCUMENTS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md', 'docs/**/*.md'];
/** Files whose comments and values contain commands. */
const DEPLOYMENT = ['deploy/**', 'Dockerfile'];

export async function printedCommands(): Promise<readonly Printed[]> {
  const documents = DOCUMENTS.flatMap(filesAt);
  const sources = ['src/**/*.ts', 'src/**/*.tsx', 'build/release/manPage.ts']
    .flatMap(filesAt)
    .filter((file) => !file.startsWith('src/widget/'));
  const found = [
    ...(await Promise.all(documents.map(async (file) => inDocument(file, await textOf(file))))),
    ...(await Promise.all(sources.map(async (file) => inSource(file, await textOf(file))))),
    ...(await Promise.all(
      DEPLOYMENT.flatMap(filesAt).map(async (file) => inDeployment(file, await textOf(file))),
    )),
  ];
  return found.flat();
}

/** Blocks of shell code, and code in sentences. */
function inDocument(file: string, text: string): readonly Printed[] {
  const blocks = [...text.matchAll(/^( *)```(\w*)\n([\s\S]*?)^ *```/gm)];
  const scripts = blocks
    .filter(([, , language = '']) => ['sh', 'bash', 'shell', 'console', 'zsh', 'fish'].includes(language))
    .map(([, , , script = '']) => ({ file, script, kind: 'script' }) as const);
  const prose = blocks.reduce((rest, [block]) => rest.replace(block, ''), text);
  return [...scripts, ...inSentences(file, prose.replaceAll(/\s+/g, ' '))];
}

/** Code in backticks, and `postern …` in quotation marks. */
function inSentences(file: string, text: string): readonly Printed[] {
  const codes = [...text.matchAll(/`([^`]+)`|"(postern [^"]+)"|<code>([^<]+)<\/code>/g)].map(
    ([, code, quoted, element]) => code ?? quoted ?? element ?? '',
  );
  return codes.filter((code) => PROGRAMS.test(code)).map((script) => ({ file, script, kind: 'mention' }));
}

/** The texts of a source file: strings, templates, and JSX, without comments. */
function inSource(file: string, text: string): readonly Printed[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: Printed[] = [];
  const add = (words: string) => {
    // A command without the sentence around it.
    if (isWhole(words)) found.push({ file, script: words.trim(), kind: 'whole' });
    else found.push(...inSentences(file, words));
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) add(node.text);
    else if (ts.isTemplateExpression(node)) {
      const values = node.templateSpans.map(
        ({ expression, literal }) => `${expression.getText().replaceAll(/\W/g, '_')}${literal.text}`,
      );
      add([node.head.text, ...values].join(''));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Whether a text begins with the name of a command and has no sentence after it. */
function isWhole(text: string): boolean {
  const words = text
    .trim()
    .replace(/^sudo -u \S+ /, '')
    .split(/\s+/);
  const isCommand = COMMANDS.some(({ name }) => ` ${words.slice(1).join(' ')} `.startsWith(` ${name} `));
  return words[0] === 'postern' && isCommand && !text.includes('`') && !/[.:;,]$/.test(text.trim());
}

/** Commands in comments, in lists such as `[CMD, postern, healthcheck]`, and of systemd units. */
function inDeployment(file: string, text: string): readonly Printed[] {
  const comments = [...text.matchAll(/^\s*#\s+(\S.*)$/gm)]
    .map(([, comment = '']) => comment.replace(/^To apply a change: /, ''))
    .filter((comment) => PROGRAMS.test(comment));
  const lists = [...text.matchAll(/\[\s*(?:"?CMD"?,\s*)?("?\/usr\/local\/bin\/postern"?[^\]]*)\]/g)].map(
    ([, list = '']) => list.replaceAll(/[",]/g, ' '),
  );
  const units = [...text.matchAll(/^Exec\w+=-?(.*)$/gm)].map(([, command = '']) => command);
  return [...comments, ...lists, ...units].map((script) => ({ file, script, kind: 'script' }) as const);
}
