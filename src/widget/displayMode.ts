export type DisplayMode = 'widget' | 'popup' | 'hidden' | 'inline';

/** Shows or hides a widget's host element according to its display mode. */
export interface ModeControl {
  setMode(mode: DisplayMode): void;
  showState(state: string): void;
}

// Long enough for visitors to see the result and for screen readers to announce it.
const POPUP_REST_MS = 2000;

/** A popup is visible during a check and two seconds longer. A hidden widget is never visible, and all others always are. */
export function createModeControl(host: HTMLElement): ModeControl {
  let mode: DisplayMode = 'widget';
  let shown = 'idle';
  let hideTimer = 0;

  /** Uses the top layer if available, because transformed or clipping ancestors would move the popup. */
  function showPopover(): void {
    host.popover = mode === 'popup' ? 'manual' : null;
    try {
      if (!host.hidden) host.showPopover();
    } catch {
      // The host is not a popup, is already shown, or is not on the page; or the browser does not support popovers.
    }
  }

  function update(): void {
    clearTimeout(hideTimer);
    const isPopup = mode === 'popup';
    host.hidden = mode === 'hidden' || (isPopup && shown === 'idle');
    showPopover();
    if (!isPopup || shown !== 'verified') return;
    hideTimer = setTimeout(() => {
      host.hidden = true;
    }, POPUP_REST_MS);
  }

  return {
    setMode(chosen) {
      mode = chosen;
      host.dataset.mode = mode;
      update();
    },
    showState(state) {
      shown = state;
      update();
    },
  };
}
