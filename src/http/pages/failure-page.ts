import type { Failure } from '#core/errors.ts'
import { escapeHtml as e, type Page, page } from './page.ts'

/** The page a person sees after opening a URL that does not exist or that failed. */
export function failurePage(failure: Failure, requestId: string): Page {
  const title = failure.status === 404 ? 'There is nothing here' : 'That did not work'
  return page({
    title: `${title} · Atelier`,
    body: `<main class="narrow"><h1>${title}</h1>
<p class="lead">${e(failure.message)}</p>
<p><a href="/console/">Go to the console</a> or read the <a href="/docs">API reference</a>.</p>
<p class="note"><code>${failure.code}</code>, request <code>${e(requestId)}</code></p></main>`,
  })
}

type RequestFacts = { method: string; path: string; accept: string | undefined }

/** True for a browser that opens a page. Programs, and all paths of an API, get JSON. */
export const wantsPage = ({ method, path, accept }: RequestFacts): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  /^text\/html\b/.test(accept ?? '') &&
  !/^\/(api|v1|mcp|\.well-known|healthz|readyz)(\/|$|\?)/.test(path)
