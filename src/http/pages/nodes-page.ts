import { type NodeReference, nodeReferences } from '#api/public/workflows/node-reference.ts'
import { escapeHtml as e, type Page, page } from './page.ts'
import { schemaRows } from './schema-rows.ts'

/** The node types, from the table that also validates and executes them. */
export function nodesPage(): Page {
  const references = nodeReferences()
  const links = references.map(({ type }) => `<li><a href="#${type}">${type}</a></li>`).join('')
  return page({
    title: 'Atelier node types',
    body: `<div class="layout">
<nav aria-label="Node types"><a href="/docs"><strong>Atelier API</strong></a><h2>Node types</h2><ul>${links}</ul></nav>
<main id="top"><h1>Node types</h1>
<p class="lead">A workflow is a graph of these nodes. Each has an <code>id</code>, a <code>type</code> and settings in <code>data</code>; connections lead from an output port to an input port of a type that accepts it.</p>
${references.map(section).join('\n')}
</main></div>`,
  })
}

function section({ type, label, purpose, settings, cost, example, ...ports }: NodeReference) {
  const rows = schemaRows(settings).map(
    (row) =>
      `<tr><td><code>${e(row.name)}</code></td><td>${e(row.type)}</td><td>${e(row.notes)}</td></tr>`,
  )
  return `<section class="operation" id="${type}"><h3>${e(label)}</h3>
<div class="route"><code>${type}</code></div>
<p>${e(purpose)}</p>
<p class="facts">Cost: ${e(cost)}</p>
${portList('Inputs', ports.inputs)}${portList('Outputs', ports.outputs)}
${ports.portsDependOn.length === 0 ? '' : `<p class="facts">The ports depend on: ${ports.portsDependOn.map((name) => `<code>${e(name)}</code>`).join(', ')}</p>`}
${rows.length === 0 ? '' : `<h4>Settings</h4><div class="scroll"><table>${rows.join('')}</table></div>`}
<details><summary>Example</summary><pre>${e(JSON.stringify(example, null, 2))}</pre></details>
</section>`
}

const portList = (title: string, ports: string[]): string =>
  ports.length === 0
    ? ''
    : `<h4>${title}</h4><ul>${ports.map((port) => `<li><code>${e(port)}</code></li>`).join('')}</ul>`
