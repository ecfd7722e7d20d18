import { createElement, forwardRef, useEffect, useImperativeHandle, useRef } from 'react';
import { attributesOf, connect, type PosternConnection, type PosternProps } from './connect.js';

/** A widget for React 18 and newer. `ref` receives the connection. */
export const PosternWidget = forwardRef<PosternConnection, PosternProps & { readonly className?: string }>(
  function PosternWidget(props, ref) {
    const element = useRef<HTMLDivElement>(null);
    const latest = useRef(props);
    const connection = useRef<ReturnType<typeof connect> | undefined>(undefined);
    useEffect(() => {
      latest.current = props;
    });
    useEffect(() => {
      if (!element.current) return;
      const opened = connect(element.current, () => latest.current);
      connection.current = opened;
      return opened.disconnect;
    }, []);
    useImperativeHandle(
      ref,
      () => ({
        solve: async () => (await connection.current?.solve()) ?? '',
        reset: () => connection.current?.reset(),
      }),
      [],
    );
    return createElement('div', {
      ...attributesOf(props),
      ref: element,
      className: `postern-captcha ${props.className ?? ''}`.trim(),
      // The children belong to the widget, which may exist before hydration.
      suppressHydrationWarning: true,
      dangerouslySetInnerHTML: { __html: '' },
    });
  },
);
