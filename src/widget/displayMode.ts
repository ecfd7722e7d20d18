import { log } from './console.ts';
import { loadExtras } from './extras.ts';
import type { ExtrasPart } from './fileParts.ts';
import type { Texts } from './i18n.ts';

/** Shows or hides a widget's host element according to its display mode, and shows the privacy link. */
export interface ModeControl {
  /** @param mode the value of `data-display-mode`; an unknown mode is like `widget` @param privacyUrl empty for no link */
  setMode(mode: string, privacyUrl: string): void;
  show(state: string, texts: Texts): void;
}

/**
 * The modes `popup` and `inline`, and the privacy link, are in another script. In these modes, the host is hidden until that
 * script is loaded. If the script cannot be loaded, the host looks as in the mode `widget`.
 */
export function createModeControl(element: HTMLElement, host: HTMLElement, root: ShadowRoot): ModeControl {
  let link: string;
  let shown: readonly [state: string, texts: Texts];
  let apply: ReturnType<ExtrasPart['connect']> | undefined;

  const update = () => apply?.(link, ...shown);

  return {
    setMode(mode, privacyUrl) {
      host.dataset.mode = mode;
      link = privacyUrl;
      const isExtra = mode === 'popup' || mode === 'inline';
      host.hidden = isExtra || mode === 'hidden';
      update();
      if (!isExtra && !link) return;
      void loadExtras(element).then(
        ({ connect }) => {
          apply = apply ?? connect(element, host, root);
          update();
        },
        (cause) => {
          log(`${cause}`);
          host.hidden = host.dataset.mode === 'hidden';
        },
      );
    },
    show(...next) {
      shown = next;
      update();
    },
  };
}
