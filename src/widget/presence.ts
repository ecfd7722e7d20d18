import type { Looks } from './view.ts';

/** Whether a widget is there to be seen. */
export interface Presence {
  choose(mode: Looks['mode']): void;
  show(state: string): void;
}

// Long enough to be seen and read out.
const POPUP_REST_MS = 2000;

/** A popup is there while something happens, and a moment longer; a hidden widget never is, all others always. */
export function createPresence(host: HTMLElement): Presence {
  let mode: Looks['mode'] = 'widget';
  let shown = 'idle';
  let fading = 0;

  /** Into the top layer, where there is one: transformed or clipped surroundings would move it. */
  function rise(): void {
    host.popover = mode === 'popup' ? 'manual' : null;
    try {
      if (!host.hidden) host.showPopover();
    } catch {
      // It is no popup, is there already, or is not on the page; or the browser knows no popovers.
    }
  }

  function appear(): void {
    clearTimeout(fading);
    const isPopup = mode === 'popup';
    host.hidden = mode === 'hidden' || (isPopup && shown === 'idle');
    rise();
    if (!isPopup || shown !== 'verified') return;
    fading = setTimeout(() => {
      host.hidden = true;
    }, POPUP_REST_MS);
  }

  return {
    choose(chosen) {
      mode = chosen;
      host.dataset.mode = mode;
      appear();
    },
    show(state) {
      shown = state;
      appear();
    },
  };
}
