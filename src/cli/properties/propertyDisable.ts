import { COMMAND_LINE } from '../../model/actor.ts';
import type { PropertyId } from '../../model/property.ts';
import type { Services } from '../../server/services.ts';
import type { Command } from '../command.ts';
import { requireOperand, unwrap } from '../options.ts';
import { printRow } from '../output.ts';
import { withServices } from '../withServices.ts';
import { toFullPropertyRow } from './propertyRow.ts';

/** `postern properties disable`. */
export const propertyDisable: Command = createSwitch(
  'disable',
  'Disables a property: it issues no puzzles, and its solutions are rejected. Safe to repeat.',
);

/** `postern properties enable`. */
export const propertyEnable: Command = createSwitch('enable', 'Enables a disabled property. Safe to repeat.');

function createSwitch(verb: 'disable' | 'enable', summary: string): Command {
  return {
    name: `properties ${verb}`,
    usage: 'PROPERTY_ID',
    summary,
    options: {},
    operands: 1,
    async run(context) {
      const text = requireOperand(context, 'PROPERTY_ID');
      return withServices(context, async (services) => {
        const id = requirePropertyId(services, text);
        const property = unwrap(await services.properties.setEnabled(COMMAND_LINE, id, verb === 'enable'));
        printRow(context, toFullPropertyRow(services, property));
      });
    },
  };
}

function requirePropertyId({ ids }: Services, text: string): PropertyId {
  return ids.open('property', text) ?? unwrap({ ok: false, problem: 'property-id-malformed' });
}
