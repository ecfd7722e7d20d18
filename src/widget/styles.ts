/**
 * The widget's style sheet. In both themes, the contrast on the widget's background is at least 4.5:1 for text and 3:1 for icons and
 * borders. With forced colors, it uses the system's colors. The page can set the custom properties named `--postern-`. The text
 * has no optional spaces, because visitors download it unchanged.
 */
const LIGHT = themed('#1556d0', '#fff', '#1b1f24', '#505862', '#858c96', '#1a7134', '#b3261e', '#d5d9df');
const DARK = themed('#7db0ff', '#1c2128', '#f0f3f6', '#b6bfca', '#7d8794', '#5bb974', '#f7857c', '#3d4550');

/** Accent, background, text, muted text, border, success, error, and the track of the progress bar. */
function themed(a: string, g: string, t: string, m: string, b: string, s: string, e: string, l: string) {
  const own = (short: string, name: string, value: string) => `--${short}:var(--postern-${name},${value});`;
  return (
    own('a', 'accent', a) +
    own('g', 'background', g) +
    own('t', 'color', t) +
    own('m', 'muted', m) +
    own('b', 'border', b) +
    own('s', 'success', s) +
    own('e', 'error', e) +
    `--l:${l}`
  );
}

export const STYLES = `
:host{display:block;max-width:var(--postern-width,20rem);${LIGHT}}
:host([data-theme=dark]){${DARK}}
@media (prefers-color-scheme:dark){:host([data-theme=auto]){${DARK}}}
.box{display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-content:center;gap:.125rem .75rem;position:relative;overflow:hidden;box-sizing:border-box;min-height:4.25rem;padding:.75rem 1rem;border:1px solid var(--b);border-radius:var(--postern-radius,.5rem);background:var(--g);color:var(--t);font:400 .8125rem/1.4 var(--postern-font,system-ui,sans-serif);text-align:start}
.box>*{pointer-events:none}
.box>button{position:absolute;top:0;left:0;width:100%;height:100%;margin:0;border:0;border-radius:inherit;background:none;cursor:pointer;pointer-events:auto}
button:focus-visible{outline:3px solid var(--a);outline-offset:-4px}
svg{grid-area:1/1/3/2;margin-top:.1875rem;overflow:visible}
svg *{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.frame{stroke:var(--m)}
[data-state=idle]:hover .frame{stroke:var(--a)}
.ring,.tick,.bang{display:none}
.ring{stroke:var(--a);stroke-dasharray:22 60;stroke-width:3;transform-origin:center}
.tick,.bang{stroke:var(--g);stroke-width:3}
[data-state=solving] .ring,[data-state=expired] .ring{display:inline;animation:turn 1s linear infinite}
[data-state=solving] .frame,[data-state=expired] .frame{stroke:var(--l)}
[data-state=verified] .tick,[data-state=failed] .bang{display:inline}
[data-state=verified] .frame{fill:var(--s);stroke:var(--s)}
[data-state=failed] .frame{fill:var(--e);stroke:var(--e)}
[data-state=verified] button,[data-state=solving] button,[data-state=expired] button{cursor:default}
.label{grid-area:1/2/2/3;font-weight:600;font-size:.9375rem;line-height:1.25rem;overflow-wrap:anywhere}
.status{grid-area:2/2/3/4;margin:0;color:var(--m);overflow-wrap:anywhere}
[data-state=verified] .status{color:var(--s)}
[data-state=failed] .status{color:var(--e)}
.name{grid-area:1/3/2/4;color:var(--m);font-size:.75rem;line-height:1.25rem;letter-spacing:.02em}
.bar{position:absolute;left:0;right:0;bottom:0;height:3px;background:var(--l)}
.bar[hidden]{display:none}
.fill{height:100%;background:var(--a);transform-origin:left;transition:transform .15s}
:host([dir=rtl]) .fill{transform-origin:right}
:host([data-mode=popup]){position:fixed;inset:auto;bottom:1rem;inset-inline-end:1rem;z-index:2147483647;width:calc(100% - 2rem);margin:0;padding:0;border:0;background:none;overflow:visible}
:host([data-mode=popup]) .box{box-shadow:0 4px 24px #0004}
:host([data-mode=inline]){display:inline-block;vertical-align:middle;max-width:100%}
:host([data-mode=inline]) .box{gap:0 .5rem;min-height:1.75rem;padding:0 .25rem;border-color:transparent;background:none;color:inherit;overflow:visible}
:host([data-mode=inline]) button{outline-offset:0}
:host([data-mode=inline]) svg{width:1.25rem;height:1.25rem;margin:0}
:host([data-mode=inline]) .name,:host([data-mode=inline]) .bar{display:none}
:host([data-mode=inline]) .box:not([data-state=failed]) .status{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
:host([hidden]){display:none!important}
@keyframes turn{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){.ring{animation:none !important;stroke-dasharray:none}
.fill{transition:none}}
@media (forced-colors:active){.frame,.ring{stroke:ButtonText}
.tick,.bang{stroke:Canvas}
[data-state=verified] .frame,[data-state=failed] .frame{fill:CanvasText;stroke:CanvasText}
.fill{background:Highlight;forced-color-adjust:none}}
`;
