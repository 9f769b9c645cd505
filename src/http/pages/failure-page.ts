import type { Failure } from '#core/errors.ts'
import { escapeHtml as e, type Page, page } from './page.ts'

/** What a person sees who opened a wrong address, or one that broke. */
export function failurePage(failure: Failure, requestId: string): Page {
  const title = failure.status === 404 ? 'There is nothing here' : 'That did not work'
  return page({
    title: `${title} · Atelier`,
    body: `<div class="narrow"><h1>${title}</h1>
<p class="lead">${e(failure.message)}</p>
<p><a href="/console/">Go to the console</a> or read the <a href="/docs">API reference</a>.</p>
<p class="note"><code>${failure.code}</code>, request <code>${e(requestId)}</code></p></div>`,
  })
}

type Asked = { method: string; path: string; accept: string | undefined }

/** A person's browser on its way to a page; every program gets JSON. */
export const wantsPage = ({ method, path, accept }: Asked): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  /^text\/html\b/.test(accept ?? '') &&
  !/^\/(api|v1|mcp|\.well-known|healthz|readyz)(\/|$|\?)/.test(path)
