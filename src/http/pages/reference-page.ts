import type { Operation } from '#api/operation.ts'
import { errorTable } from '#core/error-table.ts'
import { errorCodesOf } from '../openapi/failures.ts'
import { type DescribedSurface, tagOf } from '../openapi/surfaces.ts'
import { escapeHtml as e, type Page, page } from './page.ts'
import { schemaRows } from './schema-rows.ts'

type Described = Omit<Operation<never>, 'handle'>

type Chapter = { surface: DescribedSurface; operations: readonly Described[] }

/** The browsable reference, generated from the registries when it is first requested. */
export function referencePage(chapters: readonly Chapter[], baseUrl: string): Page {
  const groups = new Map<string, Described[]>()
  for (const { surface, operations } of chapters) {
    for (const operation of operations) {
      const name = surface === chapters[0]?.surface ? tagOf(operation.path) : 'Console API'
      groups.set(name, [...(groups.get(name) ?? []), operation])
    }
  }
  const nav = [...groups]
    .map(
      ([name, members]) =>
        `<h2>${e(name)}</h2><ul>${members
          .map((o) => `<li><a href="#${o.id}">${e(o.id)}</a></li>`)
          .join('')}</ul>`,
    )
    .join('')
  const body = `<div class="layout">
<nav aria-label="Operations"><a href="#top"><strong>Atelier API</strong></a><a href="/console/">Console</a>${nav}
<h2>More</h2><ul><li><a href="/docs/nodes">Node types</a></li><li><a href="#errors">Error codes</a></li>${chapters.map(({ surface }) => `<li><a href="${surface.prefix}/openapi.json">OpenAPI 3.1: ${e(surface.title)}</a></li>`).join('')}</ul></nav>
<main id="top"><h1>API reference</h1>
<p class="lead">Every path is relative to <code>${e(baseUrl)}</code>. Send <code>Authorization: Bearer &lt;ACCESS_TOKEN&gt;</code> unless an operation is public. Success is <code>{"success":true,"data":…}</code>; failures carry a code from the table below.</p>
${chapters.map((chapter) => chapterText(chapter, baseUrl)).join('\n')}
${errorSection()}
</main></div>`
  return page({ title: 'Atelier API reference', body })
}

const chapterText = ({ surface, operations }: Chapter, baseUrl: string): string =>
  `<h2>${e(surface.title)}</h2><p>${e(surface.description)}</p>
${operations.map((operation) => section(surface, operation, baseUrl)).join('\n')}`

function section(surface: DescribedSurface, operation: Described, baseUrl: string): string {
  const needs = operation.scope === 'public' ? surface.security.name : `scope ${operation.scope}`
  const orKey = surface.also?.accepts(operation) ? ' or key' : ''
  const access = surface.isOpen(operation) ? 'public' : needs + orKey
  const tool = operation.tool ? ` · tool <code>${operation.tool.name}</code>` : ''
  return `<section class="operation" id="${operation.id}">
<h3>${e(operation.summary)}</h3>
<div class="route"><span class="method ${operation.method}">${operation.method}</span><code>${e(surface.prefix + operation.path)}</code></div>
<p class="facts">${operation.id} · ${access}${tool}</p>
${operation.description ? `<p>${e(operation.description)}</p>` : ''}
${parametersOf(operation)}
${operation.body ? table('Body', schemaRows(operation.body)) : ''}
${Object.entries(operation.success)
  .map(([status, form]) =>
    form.data
      ? details(`${status} ${form.description}: data`, table('', schemaRows(form.data)))
      : `<p class="facts">${status}: ${e(form.contentType ?? '')}</p>`,
  )
  .join('')}
${details(
  'Errors',
  `<p>${errorCodesOf(operation)
    .map((code) => `<code>${code}</code>`)
    .join(', ')}</p>`,
)}
${details('Example', `<pre>${e(curl(surface, operation, baseUrl))}</pre>`)}
</section>`
}

const details = (title: string, inner: string) =>
  `<details><summary>${e(title)}</summary>${inner}</details>`

type Row = { name: string; type: string; notes: string }

const table = (title: string, rows: Row[]) =>
  rows.length === 0
    ? ''
    : `${title === '' ? '' : `<h4>${title}</h4>`}<div class="scroll"><table>${rows
        .map(
          (r) =>
            `<tr><td><code>${e(r.name)}</code></td><td>${e(r.type)}</td><td>${e(r.notes)}</td></tr>`,
        )
        .join('')}</table></div>`

function parametersOf({ params, query, requestHeaders }: Described): string {
  const rows = [
    ...(params ? schemaRows(params).map((row) => ({ ...row, notes: `path; ${row.notes}` })) : []),
    ...(query ? schemaRows(query).map((row) => ({ ...row, notes: `query; ${row.notes}` })) : []),
    ...Object.entries(requestHeaders ?? {}).map(([name, header]) => ({
      name,
      type: 'header',
      notes: `${header.required ? 'required; ' : ''}${header.description}`,
    })),
  ]
  return table('Parameters', rows)
}

const credentials: Record<string, string> = {
  bearer: '-H "Authorization: Bearer $ATELIER_API_KEY"',
  session: '-b "$SESSION_COOKIE"',
}

function curl(surface: DescribedSurface, operation: Described, baseUrl: string): string {
  const { method, path, body, requestHeaders } = operation
  const address = `${baseUrl}${surface.prefix}${path}`
    .replace('{workflowId}', '1')
    .replace(/\{(\w+)\}/g, '$$$1')
  const words = [`curl -X ${method} "${address}"`]
  if (!surface.isOpen(operation)) words.push(credentials[surface.security.name] ?? '')
  if (requestHeaders?.['Idempotency-Key']) words.push('-H "Idempotency-Key: $(uuidgen)"')
  if (body) words.push('-H "Content-Type: application/json"', "-d '{…}'")
  return words.join(' \\\n  ')
}

function errorSection(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { status, message, retryable }]) =>
      `<tr><td>${status ?? 'in records'}</td><td><code>${code}</code></td><td>${e(message)}${retryable ? ' <em>Retryable.</em>' : ''}</td></tr>`,
  )
  return `<section class="operation" id="errors"><h3>Error codes</h3><div class="scroll"><table><tr><th>Status</th><th>Code</th><th>Meaning</th></tr>${rows.join('')}</table></div></section>`
}
