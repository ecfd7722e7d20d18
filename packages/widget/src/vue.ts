import { defineComponent, h, onBeforeUnmount, onMounted, type SetupContext, shallowRef } from 'vue';
import { attributesOf, connect, OPTION_NAMES, type PosternProps } from './connect.js';
import type { PosternError } from './postern.js';

type Props = Omit<PosternProps, 'onFinish' | 'onError' | 'onReset'>;

const EVENTS = {
  finish: (_solution: string) => true,
  error: (_error: PosternError) => true,
  reset: (_expired: boolean) => true,
};

/** A widget for Vue 3.3 and newer, with the events `finish`, `error`, and `reset`. A template ref has `solve` and `reset`. */
export const PosternWidget = defineComponent(
  (props: Props, { emit, expose }: SetupContext<typeof EVENTS>) => {
    const element = shallowRef<HTMLElement>();
    let connection: ReturnType<typeof connect> | undefined;
    onMounted(() => {
      if (!element.value) return;
      connection = connect(element.value, () => ({
        ...props,
        onFinish: (solution) => emit('finish', solution),
        onError: (error) => emit('error', error),
        onReset: (expired) => emit('reset', expired),
      }));
    });
    onBeforeUnmount(() => connection?.disconnect());
    expose({
      solve: async () => (await connection?.solve()) ?? '',
      reset: () => connection?.reset(),
    });
    return () => h('div', { ...attributesOf(props), ref: element, class: 'postern-captcha' });
  },
  {
    name: 'PosternWidget',
    props: ['server', 'script', 'integrity', 'nonce', ...OPTION_NAMES],
    emits: EVENTS,
  },
);
