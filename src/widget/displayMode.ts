import { log } from './console.ts';
import { loadExtras } from './extras.ts';
import type { ExtrasPart } from './fileParts.ts';

export type DisplayMode = 'widget' | 'popup' | 'hidden' | 'inline';

/** Shows or hides a widget's host element according to its display mode, and shows the privacy link. */
export interface ModeControl {
  /** @param privacyUrl empty for no link */
  setMode(mode: DisplayMode, privacyUrl: string): void;
  showState(state: string): void;
}

/**
 * The modes `popup` and `inline`, and the privacy link, are in another script. The host of these modes is hidden until it is loaded. If
 * it cannot be loaded, the host is shown as in the mode `widget`.
 *
 * @param endpointOf returns the URL of puzzles, if it is valid
 * @param report called if an option is invalid
 */
export function createModeControl(
  host: HTMLElement,
  root: ShadowRoot,
  endpointOf: () => string | undefined,
  report: (name: string, value: string) => void,
): ModeControl {
  let mode: DisplayMode;
  let link: string;
  let shown: string;
  let apply: ReturnType<ExtrasPart['connect']> | undefined;

  function update(isHidden: boolean): void {
    if (apply) apply(mode, shown, link);
    else host.hidden = isHidden;
  }

  return {
    setMode(chosen, privacyUrl) {
      host.dataset.mode = mode = chosen;
      link = privacyUrl;
      update(mode !== 'widget');
      if (apply || (!link && mode !== 'popup' && mode !== 'inline')) return;
      void loadExtras(endpointOf()).then(
        ({ connect }) => {
          apply = apply ?? connect(host, root, report);
          update(false);
        },
        (cause) => {
          log(`${cause}`);
          update(mode === 'hidden');
        },
      );
    },
    showState(state) {
      shown = state;
      apply?.(mode, shown, link);
    },
  };
}
