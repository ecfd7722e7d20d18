import { expect, test } from 'bun:test';
import { useBrowserCase, visit } from '../fixture.ts';

const { website } = useBrowserCase(import.meta.dir);

test('the control is a checkbox with a name, a state, and a description', async () => {
  const tab = await visit(website);
  const { nodes } = await tab.cdp<{ nodes: AxNode[] }>('Accessibility.getFullAXTree');
  const control = nodes.find((node) => node.role?.value === 'checkbox');
  expect(control?.name?.value).toBe('I am human');
  expect(control?.description?.value).toContain('Press to start');
  expect(control?.properties?.find(({ name }) => name === 'checked')?.value.value).toBe('false');
  expect(nodes.some((node) => node.role?.value === 'status')).toBe(true);
  tab.close();
});

type AxNode = {
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly description?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: string } }[];
};
