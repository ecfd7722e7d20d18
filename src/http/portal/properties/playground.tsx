import { expectedPuzzleAttempts } from '../../../captcha/playground.ts';
import { html } from '../../../lib/html.ts';
import { parseSitekey } from '../../../model/property.ts';
import { SETTING_FIELDS } from '../../../model/propertyFields.ts';
import { card, field } from '../components/parts.tsx';
import { PlaygroundHead } from '../kit/assets.tsx';
import { withQuery } from '../kit/formData.ts';
import { page } from '../kit/layout.tsx';
import { mistakeOf } from '../kit/messages.ts';
import { propertyTabs } from '../kit/place.tsx';
import type { PortalDeps, PropertyVisit, Visit } from '../kit/route.ts';
import { amountOf, costTable, durationOf, solveMs } from './solveCost.tsx';

const PUZZLES = '/portal/playground/puzzle';

/** `GET /portal/orgs/:org/properties/:property/playground?level=`: the widget, and what a level costs. */
export function showPlayground(visit: PropertyVisit, deps: PortalDeps): Response {
  const { property, propertyPath } = visit;
  const asked = visit.query.get('level') ?? String(property.level);
  const level = levelIn(asked);
  const shown = level ?? property.level;
  const mistakes = level === undefined ? [mistakeOf('level-malformed', 'level')] : [];
  const choice = html`<form method="get" action="${propertyPath}/playground" class="filter">
${field(
  {
    name: 'level',
    label: 'Level',
    type: 'number',
    value: asked,
    range: SETTING_FIELDS.level,
    help: `This site has ${property.level}. Nothing is changed here.`,
    autocomplete: 'off',
  },
  mistakes,
)}<button type="submit" class="quiet">Try this level</button>
</form>
`;
  const trial = html`<p>Press the box. Your browser solves one puzzle of level ${shown}, as a visitor's would. It is for trying
out alone: it is counted nowhere, and no backend accepts it.</p>
<div class="postern-captcha" data-sitekey="${property.sitekey}" data-start-mode="click" data-theme="auto" data-lang="en" data-puzzle-endpoint="${withQuery(PUZZLES, { level: String(shown) })}"></div>
<noscript><p>The widget needs JavaScript.</p></noscript>
<p id="measured" role="status" hidden></p>`;
  const costs = html`<p>A puzzle of level ${shown} takes about ${amountOf(expectedPuzzleAttempts(shown))} attempts. That is luck: one visitor needs half of
it, another twice. A laptop takes ${durationOf(solveMs(shown, 'laptop'))}, a slow phone (a million attempts a second)
${durationOf(solveMs(shown, 'phone'))}. Somebody who writes a program for it pays ${durationOf(solveMs(shown, 'bot'))} of one
processor core for each form that is sent.</p>
${costTable(shown)}`;
  const content = html`${propertyTabs(visit, '/playground')}${card('Try it', html`${choice}${trial}`)}${card('What it costs', costs)}`;
  const head = <PlaygroundHead widget={deps.pinnedWidget} />;
  return page(visit, {
    title: property.name,
    content,
    head,
    mistakes,
  });
}

/**
 * `GET /portal/playground/puzzle?level=&sitekey=`: what the widget solves there. It sends no cookie, so anybody may
 * have one: no backend accepts it.
 */
export function givePlaygroundPuzzle({ query }: Visit, { issuePlaygroundPuzzle }: PortalDeps): Response {
  const level = levelIn(query.get('level') ?? '');
  const sitekey = parseSitekey(query.get('sitekey') ?? '');
  if (level === undefined || !sitekey.ok) return new Response('There is no such puzzle.', { status: 400 });
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return new Response(issuePlaygroundPuzzle(sitekey.value, level), { headers });
}

/** @returns undefined where it is no level */
function levelIn(text: string): number | undefined {
  const level = SETTING_FIELDS.level.parse(/^\d{1,3}$/.test(text) ? Number(text) : Number.NaN);
  return level.ok ? level.value : undefined;
}
