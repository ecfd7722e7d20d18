import * as i0 from '@angular/core';
import { connect, type PosternCallbacks, type PosternConnection } from './connect.js';
import type { PosternError } from './postern.js';

/**
 * A directive for Angular 17 and newer: `<postern-widget server="…" data-sitekey="…" (posternFinish)="…" />`. The other attributes are
 * those of the widget.
 *
 * Angular's compiler does not run on this package. The static members have the format of compiled libraries ("partial compilation"),
 * which the Angular CLI links.
 */
export class PosternWidget implements PosternConnection, i0.AfterViewInit, i0.OnDestroy {
  server = '';
  script: string | undefined;
  integrity: string | undefined;
  nonce: string | undefined;
  readonly posternFinish: i0.EventEmitter<string> = new i0.EventEmitter();
  readonly posternError: i0.EventEmitter<PosternError> = new i0.EventEmitter();
  readonly posternReset: i0.EventEmitter<boolean> = new i0.EventEmitter();
  readonly #element: i0.ElementRef<HTMLElement>;
  readonly #callbacks: PosternCallbacks = {
    onFinish: (solution) => this.posternFinish.emit(solution),
    onError: (error) => this.posternError.emit(error),
    onReset: (expired) => this.posternReset.emit(expired),
  };
  #connection: ReturnType<typeof connect> | undefined;

  constructor(element: i0.ElementRef<HTMLElement>) {
    this.#element = element;
  }

  ngAfterViewInit(): void {
    if (typeof window === 'undefined') return;
    const { server, script, integrity, nonce } = this;
    const props = { server, script, integrity, nonce, ...this.#callbacks };
    this.#connection = connect(this.#element.nativeElement, () => props);
  }

  ngOnDestroy(): void {
    this.#connection?.disconnect();
  }

  async solve(): Promise<string> {
    return (await this.#connection?.solve()) ?? '';
  }

  reset(): void {
    this.#connection?.reset();
  }

  static readonly ɵfac: i0.ɵɵFactoryDeclaration<PosternWidget, never> = i0.ɵɵngDeclareFactory({
    minVersion: '12.0.0',
    version: '17.0.0',
    ngImport: i0,
    type: PosternWidget,
    deps: [{ token: i0.ElementRef }],
    target: i0.ɵɵFactoryTarget.Directive,
  } as never) as never;

  static readonly ɵdir: i0.ɵɵDirectiveDeclaration<
    PosternWidget,
    'postern-widget',
    ['posternWidget'],
    {
      server: { alias: 'server'; required: true };
      script: { alias: 'script'; required: false };
      integrity: { alias: 'integrity'; required: false };
      nonce: { alias: 'nonce'; required: false };
    },
    { posternFinish: 'posternFinish'; posternError: 'posternError'; posternReset: 'posternReset' },
    never,
    never,
    true,
    never
  > = i0.ɵɵngDeclareDirective({
    minVersion: '14.0.0',
    version: '17.0.0',
    type: PosternWidget,
    isStandalone: true,
    selector: 'postern-widget',
    exportAs: ['posternWidget'],
    inputs: { server: 'server', script: 'script', integrity: 'integrity', nonce: 'nonce' },
    outputs: { posternFinish: 'posternFinish', posternError: 'posternError', posternReset: 'posternReset' },
    host: { classAttribute: 'postern-captcha', styleAttribute: 'display:block' },
    ngImport: i0,
  } as never) as never;
}
