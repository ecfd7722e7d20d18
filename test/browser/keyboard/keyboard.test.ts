import { expect, test } from 'bun:test';
import { BUTTON, FIELD, isIn, useBrowserCase, visit } from '../fixture.ts';

const { website } = useBrowserCase(import.meta.dir);

test.each(['Space', 'Enter'])('Tab focuses the control visibly, and %s activates it', async (key) => {
  const tab = await visit(website);
  await tab.press('Tab');
  expect(await tab.evaluate<boolean>(`${BUTTON}.matches(':focus-visible')`)).toBe(true);
  expect(await tab.evaluate<string>(`getComputedStyle(${BUTTON}).outlineStyle`)).toBe('solid');
  await tab.press(key);
  await tab.until(isIn('verified'));
  expect(await tab.evaluate<string>(FIELD)).not.toBe('');
  tab.close();
});

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
