import { COMMAND_LINE } from '../model/actor.ts';
import { type Command, type Context, UsageError } from './command.ts';
import { requireOperand, unwrap } from './options.ts';
import { printRow } from './output.ts';
import { requireConfig, withServices } from './withServices.ts';

const ACTIONS = ['on', 'off', 'status'] as const;

/** `postern maintenance`. */
export const maintenance: Command = {
  name: 'maintenance',
  usage: 'on|off|status',
  summary: 'Turns maintenance mode on or off, or shows its status.',
  options: {},
  operands: 1,
  async run(context) {
    const action = requireAction(context);
    return withServices(context, async (services) => {
      if (action === 'status') await services.maintenance.refresh();
      else unwrap(await services.maintenance.set(COMMAND_LINE, action === 'on'));
      if (action === 'off' && requireConfig(context).maintenance) {
        context.err(
          'postern: POSTERN_MAINTENANCE is on, so a server with this setting stays in maintenance mode',
        );
      }
      printRow(context, { maintenance: services.maintenance.isOn() });
    });
  },
};

function requireAction(context: Context): (typeof ACTIONS)[number] {
  const text = requireOperand(context, 'on, off, or status');
  const action = ACTIONS.find((known) => known === text);
  if (action !== undefined) return action;
  throw new UsageError(`the argument must be on, off, or status, not ${JSON.stringify(text)}`);
}
