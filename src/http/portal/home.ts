import { html } from '../../lib/html.ts';
import { page } from './layout.ts';
import { card } from './parts.ts';
import { callerOf, type PortalDeps, type SignedInVisit } from './route.ts';

/** `GET /portal`: the organizations of who is signed in. */
export async function showHome(visit: SignedInVisit, { organizations }: PortalDeps): Promise<Response> {
  const own = await organizations.listFor(callerOf(visit));
  const names = own.map(({ name }) => html`<li>${name}</li>`);
  const list =
    own.length === 0 ? html`<p class="empty">You have no organization yet.</p>` : html`<ul>${names}</ul>`;
  return page(visit, { title: 'Organizations', content: card('Yours', list) });
}
