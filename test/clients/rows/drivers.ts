import type {
  BackendClient,
  GroupName,
  Language,
  PageClient,
  Route,
  TokenKind,
  Vendor,
  Versions,
} from '../client.ts';

/** Short forms for the rows of the tables, and programs for each kind of component. */

/** The script that a page loads before its bundle. */
export const SCRIPTS = {
  reCAPTCHA: '<script src="HOST/recaptcha/api.js?render=explicit"></script>',
  v3: '<script src="HOST/recaptcha/api.js?render=KEY"></script>',
  enterprise: '<script src="HOST/recaptcha/enterprise.js?render=explicit"></script>',
  hCaptcha: '<script src="HOST/1/api.js?render=explicit"></script>',
  Turnstile: '<script src="HOST/turnstile/v0/api.js?render=explicit"></script>',
} as const;

type Row = {
  /** The name of the package. */
  readonly package: string;
  readonly version: string;
  /** Distinguishes rows with the same package. */
  readonly variant?: string;
  readonly route: Route;
  readonly configuration?: string;
  readonly limit?: string;
  /** Packages that the client needs besides itself. */
  readonly needs?: Versions;
};

/** A component, without what its vendor's rows have in common. */
export type PageRow = Row &
  Pick<PageClient, 'code' | 'files' | 'start' | 'field'> & {
    readonly head?: string;
    readonly group: GroupName;
  };

const nameOf = ({ package: name, variant }: Row) => (variant === undefined ? name : `${name}, ${variant}`);

/** Creates the rows of a vendor's components. */
export function pages(vendor: Vendor, rows: readonly PageRow[]): readonly PageClient[] {
  return rows.map((row) => {
    const { package: name, version, variant, needs = {}, head = '', configuration = '', ...rest } = row;
    const packages = version === '' ? {} : { [name]: version, ...needs };
    return { ...rest, kind: 'page', name: nameOf(row), vendor, packages, head, configuration };
  });
}

/** A library, without what its vendor's rows have in common. */
export type BackendRow = Row & {
  readonly language?: Language;
  readonly group?: GroupName;
  readonly debian?: readonly string[];
  readonly token?: TokenKind;
  readonly repeats?: true;
  readonly code: string;
};

/** Creates the rows of a vendor's libraries for backends. */
export function backends(vendor: Vendor, rows: readonly BackendRow[]): readonly BackendClient[] {
  return rows.map((row) => {
    const { package: name, version, variant, needs = {}, configuration = '', ...rest } = row;
    const { language = 'node', group = 'node', token = 'page' } = row;
    const packages = version === '' ? {} : { [name]: version, ...needs };
    const common = { kind: 'backend', name: nameOf(row), vendor, packages, configuration } as const;
    return { ...rest, ...common, language, group, token };
  });
}

/** A program with React 17. @param element in a form */
export const react17 = (imports: string, element: string) => `
  import { createElement as h, useEffect, useRef, useState } from 'react';
  import ReactDOM from 'react-dom';
  ${imports}
  ReactDOM.render(h('form', null, ${element}), document.querySelector('main'));`;

/** A program with React 18 or newer. @param element in a form */
export const react = (imports: string, element: string) => `
  import { createElement as h, useEffect, useRef, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  ${imports}
  createRoot(document.querySelector('main')).render(h('form', null, ${element}));`;

/** A program with Vue 3. @param component a JavaScript expression @param props of it */
export const vue = (imports: string, component: string, props: string) => `
  import { createApp, h, ref } from 'vue';
  ${imports}
  createApp({ render: () => h('form', [h(${component}, ${props})]) }).mount('main');`;

/** A program with Vue 2. @param data of the component, as in render functions */
export const vue2 = (imports: string, component: string, data: string) => `
  import Vue from 'vue';
  ${imports}
  Vue.config.productionTip = false;
  new Vue({ render: (h) => h('form', [h(${component}, ${data})]) }).$mount('main');`;

/** Programs with Svelte 5 and 4, whose component is in App.svelte. */
export const svelte5 = `
  import { mount } from 'svelte';
  import App from './App.svelte';
  mount(App, { target: document.querySelector('main') });`;
export const svelte4 = `
  import App from './App.svelte';
  new App({ target: document.querySelector('main') });`;

/** The component of a program with Svelte. */
export const svelteApp = (script: string, markup: string) => ({
  'App.svelte': `<script>\n${script}\nconst log = window.log;\nconst sitekey = window.sitekey;\n</script>\n<form>${markup}</form>`,
});

/** A program with Solid. @param props with getters where the component needs them */
export const solid = (imports: string, component: string, props: string) => `
  import { createComponent, insert, render } from 'solid-js/web';
  ${imports}
  render(() => {
    const form = document.createElement('form');
    insert(form, createComponent(${component}, ${props}));
    return form;
  }, document.querySelector('main'));`;

/** A program with Angular. @param modules that the template uses @param providers in a list @param fields of the component */
export const angular = (imports: string, modules: string, template: string, providers = '', fields = '') => `
  import * as compiler from '@angular/compiler';
  // The package declares that it has no side effects, but the compiler registers itself.
  window.compiler = compiler;
  import { Component, importProvidersFrom, provideZonelessChangeDetection } from '@angular/core';
  import { FormsModule } from '@angular/forms';
  import { bootstrapApplication } from '@angular/platform-browser';
  ${imports}
  class App {
    host = window.host;
    sitekey = window.sitekey;
    token = '';
    done = log('done');
    ${fields}
  }
  Component({ selector: 'main', standalone: true, imports: [FormsModule, ${modules}], template: ${JSON.stringify(template)} })(App);
  void bootstrapApplication(App, { providers: [provideZonelessChangeDetection(), ${providers}] });`;

/** A program with Angular 17. @see angular */
export const angular17 = (...program: Parameters<typeof angular>) =>
  `import 'zone.js';${angular(...program)}`
    .replace(', provideZonelessChangeDetection }', ' }')
    .replace('provideZonelessChangeDetection(), ', '');
