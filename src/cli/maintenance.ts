import { type Command, type Context, requireOperand, UsageError } from './command.ts';
import { showRow } from './output.ts';
import { configOf, note, withServices } from './withServices.ts';

const WORDS = ['on', 'off', 'status'] as const;

/** `postern maintenance`. */
export const maintenance: Command = {
  name: 'maintenance',
  usage: 'on|off|status',
  summary: 'Switches maintenance, or shows whether it is on.',
  options: {},
  operands: 1,
  async run(context) {
    const word = wordOf(context);
    return withServices(context, async (services) => {
      if (word === 'status') {
        await services.maintenance.refresh();
      } else {
        await services.maintenance.set(word === 'on');
        await note(services, 'maintenance-switched', word);
      }
      if (word === 'off' && configOf(context).maintenance) {
        context.err('postern: POSTERN_MAINTENANCE is on, and holds as long as the server that has it');
      }
      showRow(context, { maintenance: services.maintenance.isOn() });
    });
  },
};

function wordOf(context: Context): (typeof WORDS)[number] {
  const text = requireOperand(context, 'on, off or status');
  const word = WORDS.find((known) => known === text);
  if (word === undefined) throw new UsageError(`on, off or status is wanted, not ${JSON.stringify(text)}`);
  return word;
}
