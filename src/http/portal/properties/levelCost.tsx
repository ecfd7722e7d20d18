import type { Challenge } from '../../../model/propertyFields.ts';
import { SETTING_FIELDS } from '../../../model/propertyFields.ts';
import { fragment } from '../kit/fragment.ts';
import type { SignedInVisit } from '../kit/handler.ts';
import { numberIn } from './propertyFormData.ts';
import { LevelCost } from './solveCost.tsx';

const LEVEL_COST_PATH = '/portal/cost';

/** What a level costs, in the form. A script replaces it when the level or the kind changes. */
export function LevelCostPanel(props: { readonly level: number; readonly challenge: Challenge }) {
  return (
    <div id="level-cost" data-path={LEVEL_COST_PATH}>
      <LevelCost level={props.level} challenge={props.challenge} />
    </div>
  );
}

/** `GET /portal/cost?level=&challenge=`: the contents of the panel, for the script. */
export function getLevelCost(visit: SignedInVisit) {
  const level = SETTING_FIELDS.level.parse(numberIn(visit.query.get('level') ?? ''));
  const challenge = SETTING_FIELDS.challenge.parse(visit.query.get('challenge') ?? '');
  if (!level.ok || !challenge.ok)
    return new Response('The level or the challenge is invalid.', { status: 400 });
  return fragment(visit, <LevelCost level={level.value} challenge={challenge.value} />);
}
