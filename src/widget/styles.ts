/**
 * The widget's style sheet. In both themes, the contrast on the widget's background is at least 4.5:1 for text and 3:1 for icons and
 * borders. With forced colors, it uses the system's colors. The page can set the custom properties named `--postern-`. `bundle.ts`
 * evaluates this file and removes the line breaks; the text has no other optional spaces.
 *
 * If the text does not fit next to the icon, it moves below the icon, and the logo moves next to the icon. Words are hyphenated, or
 * broken if they are longer than the widget is wide. In widgets of less than 260 pixels, the logo has no name. Messages about problems
 * take the place of the label, so that the page does not move.
 */
const NAMES = ['accent', 'background', 'color', 'muted', 'border', 'success', 'error'];
const LIGHT = themed('#1556d0 #fff #1b1f24 #505862 #858c96 #1a7134 #b3261e #d5d9df');
const DARK = themed('#7db0ff #1c2128 #f0f3f6 #b6bfca #7d8794 #5bb974 #f7857c #3d4550');

/** @param colors those of `NAMES`, and that of the progress bar's track, which the page cannot set */
function themed(colors: string): string {
  return colors
    .split(' ')
    .map((color, i) => `--${'agtmbsel'[i]}:${NAMES[i] ? `var(--postern-${NAMES[i]},${color})` : color}`)
    .join(';');
}

export const STYLES = `
:host{display:block;max-width:var(--postern-width,20rem);${LIGHT}}
:host([data-theme=dark]){${DARK}}
@media (prefers-color-scheme:dark){:host([data-theme=auto]){${DARK}}}
.box{display:flex;flex-wrap:wrap;align-items:center;align-content:center;gap:.375rem .75rem;position:relative;overflow:hidden;box-sizing:border-box;min-height:4.5rem;padding:.75rem clamp(.5rem,5%,1rem);border:1px solid var(--b);border-radius:var(--postern-radius,.5rem);background:var(--g);color:var(--t);font:400 .8125rem/1.4 var(--postern-font,system-ui,sans-serif);text-align:start;hyphens:auto;overflow-wrap:break-word}
:host([lang=ko]) .box{word-break:keep-all}
button{all:unset;position:absolute;inset:0;width:100%;height:100%;border-radius:inherit;cursor:pointer}
:focus-visible{outline:3px solid var(--a);outline-offset:-4px}
svg{box-sizing:border-box;width:1em;height:1em;border:.0625em solid var(--c,var(--m));border-radius:.25em;background:var(--c);font-size:2rem;fill:none;stroke:var(--g);stroke-width:3;stroke-linecap:round;stroke-linejoin:round}
[data-state=idle]:hover>svg{border-color:var(--a)}
[aria-busy=true]~svg{border-color:var(--l);stroke:var(--a)}
[data-state=verified]{--c:var(--s)}
[data-state=failed]{--c:var(--e)}
[aria-checked=true],[aria-busy=true]{cursor:default}
.text{flex:1 8rem;min-width:0}
#label{font-weight:600;font-size:.9375rem;line-height:1.25rem}
#status{margin:.125rem 0 0;color:var(--c,var(--m))}
[data-state=failed] #status{margin:0;font-size:.75rem;line-height:1.25}
.brand{float:right;float:inline-end;margin-inline-start:.75rem;margin-top:clamp(-2rem,(100% - 8rem)*99,0rem);color:var(--m);font-size:.75rem;line-height:1.25rem;text-align:end;white-space:nowrap;overflow:hidden;max-width:clamp(.875rem,(100% - 11.75rem)*99,8rem)}
.brand svg{margin-inline-end:.25rem;border-color:var(--a);background:var(--a);font-size:.875rem;vertical-align:-.125rem}
:host([data-branding=name]) .brand{max-width:none}
.bar{position:absolute;inset:auto 0 0;height:3px;background:var(--l)}
.fill{height:100%;background:var(--a)}
:host([data-branding=name]) .brand svg,:host([data-branding=none]) .brand,[data-state=failed] .brand,[data-state=failed] #label,[hidden],:host([hidden]){display:none!important}
@keyframes turn{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:no-preference){[aria-busy=true]~svg path{stroke-dasharray:22 60;transform-origin:center;animation:turn 1s linear infinite}
.fill{transition:width .15s}}
@media (forced-colors:active){.box.box{--a:Highlight;--g:Canvas;--m:ButtonText;--s:CanvasText;--e:CanvasText;--l:GrayText}
svg,.fill{forced-color-adjust:none}}
`;

/** The style sheet for the privacy link and the display modes `popup` and `inline`, in addition to the other one. */
export const EXTRA_STYLES = `
a{display:inline-block;position:relative;max-width:100%;margin-bottom:-.25rem;color:var(--m);font-size:.75rem;line-height:1.5rem}
:host([data-mode=popup]){position:fixed;inset:auto;bottom:1rem;inset-inline-end:1rem;z-index:2147483647;width:calc(100% - 2rem);margin:0;padding:0;border:0;background:none;overflow:visible}
:host([data-mode=popup]) .box{box-shadow:0 4px 24px #0004}
:host([data-mode=inline]){display:inline-block;vertical-align:middle;max-width:100%}
:host([data-mode=inline]) .box{flex-wrap:nowrap;gap:0 .5rem;min-height:1.75rem;padding:0 .25rem;border-color:transparent;background:none;color:inherit;overflow:visible}
:host([data-mode=inline]) button{outline-offset:0}
:host([data-mode=inline]) svg{flex:none;font-size:1.25rem}
:host([data-mode=inline]) .brand,:host([data-mode=inline]) a,:host([data-mode=inline]) .bar{display:none}
:host([data-mode=inline]) .box:not([data-state=failed]) #status{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
`;
