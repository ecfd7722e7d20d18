/**
 * The widget's looks. Colours keep 4.5 to 1 for text and 3 to 1 for marks and borders on the widget's own
 * ground; where the system's colours rule (forced-colors) it uses those. Without spaces: visitors download this text as it is.
 */
export const STYLES = `
:host{display:block;max-width:20rem}
.box{display:grid;grid-template-columns:auto minmax(0,1fr) auto;align-content:center;gap:.125rem .75rem;position:relative;overflow:hidden;box-sizing:border-box;min-height:4.25rem;padding:.75rem 1rem;border:1px solid #858c96;border-radius:.5rem;background:#fff;color:#1b1f24;font:400 .8125rem/1.4 system-ui,sans-serif;text-align:start}
.box>*{pointer-events:none}
.box>button{position:absolute;top:0;left:0;width:100%;height:100%;margin:0;border:0;border-radius:.4375rem;background:none;cursor:pointer;pointer-events:auto}
button:focus-visible{outline:3px solid #1556d0;outline-offset:-4px}
svg{grid-area:1/1/3/2;margin-top:.1875rem;overflow:visible}
svg *{fill:none;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.frame{stroke:#59616c}
[data-state=idle]:hover .frame{stroke:#1556d0}
.ring,.tick,.bang{display:none}
.ring{stroke:#1556d0;stroke-dasharray:22 60;stroke-width:3;transform-origin:center}
.tick,.bang{stroke:#fff;stroke-width:3}
[data-state=solving] .ring,[data-state=expired] .ring{display:inline;animation:turn 1s linear infinite}
[data-state=solving] .frame,[data-state=expired] .frame{stroke:#d5d9df}
[data-state=verified] .tick,[data-state=failed] .bang{display:inline}
[data-state=verified] .frame{fill:#1a7f37;stroke:#1a7f37}
[data-state=failed] .frame{fill:#b3261e;stroke:#b3261e}
[data-state=verified] button,[data-state=solving] button,[data-state=expired] button{cursor:default}
.label{grid-area:1/2/2/3;font:600 .9375rem/1.25rem system-ui,sans-serif}
.status{grid-area:2/2/3/4;margin:0;color:#505862;overflow-wrap:anywhere}
[data-state=verified] .status{color:#1a6e31}
[data-state=failed] .status{color:#a3221b}
.name{grid-area:1/3/2/4;color:#59616c;font-size:.75rem;line-height:1.25rem;letter-spacing:.02em}
.bar{position:absolute;left:0;right:0;bottom:0;height:3px;background:#e3e7ec}
.bar[hidden]{display:none}
.fill{height:100%;background:#1556d0;transform-origin:left;transition:transform .15s}
:host([dir=rtl]) .fill{transform-origin:right}
@keyframes turn{to{transform:rotate(1turn)}}
@media (prefers-reduced-motion:reduce){.ring{animation:none !important;stroke-dasharray:none}
.fill{transition:none}}
@media (forced-colors:active){.frame,.ring{stroke:ButtonText}
.tick,.bang{stroke:Canvas}
[data-state=verified] .frame,[data-state=failed] .frame{fill:CanvasText;stroke:CanvasText}
.fill{background:Highlight;forced-color-adjust:none}}
`;
