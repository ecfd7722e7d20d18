import { createComponent, type JSX, mergeProps, onCleanup, onMount } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { attributesOf, connect, type PosternConnection, type PosternProps } from './connect.js';

/** A widget for Solid. `ref` receives the connection when the element is on the page. */
export function PosternWidget(
  props: PosternProps & { readonly ref?: (connection: PosternConnection) => void },
): JSX.Element {
  let element: HTMLElement | undefined;
  onMount(() => {
    if (!element) return;
    const connection = connect(element, () => props);
    props.ref?.(connection);
    onCleanup(connection.disconnect);
  });
  const fixed = {
    component: 'div',
    class: 'postern-captcha',
    ref: (found: HTMLElement) => {
      element = found;
    },
  };
  return createComponent(
    Dynamic,
    mergeProps(fixed, () => attributesOf(props)),
  );
}
