// Generates docs/nodes.md from the table of node types.

import { type NodeReference, nodeReferences } from '../src/api/public/workflows/node-reference.ts'
import { schemaRows } from '../src/http/pages/schema-rows.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')

export const nodesPage = (): string => `# Node types

A workflow is a graph: \`{"nodes": […], "connections": […]}\`. A node has an \`id\` (letters, digits, \`_\` and \`-\`, at most 64 characters), a \`type\` and its settings in \`data\`. Every node also takes \`label\`, the name that the canvas shows. An input port that is not connected can have a constant: the member of \`data\` with its name. A connection is \`{"source", "sourceHandle"?, "target", "targetHandle"?}\`; without a handle it uses the first port.

\`POST /api/ai-tools/v1/workflows/validate\` reports everything that is wrong with a graph. The running server shows this page at \`/docs/nodes\`, and as schemas (\`Node\`, \`HttpRequestNode\` …) in its OpenAPI document. The page is generated from \`src/graph/types/table.ts\` by \`npm run docs\`.

${nodeReferences().map(section).join('\n')}`

function section({ type, label, purpose, settings, cost, example, ...ports }: NodeReference) {
  const rows = schemaRows(settings).map(
    ({ name, type, notes }) => `| \`${name}\` | ${cell(type)} | ${cell(notes)} |`,
  )
  const settingsTable =
    rows.length === 0 ? [] : ['', '| Setting | Type | |', '|---|---|---|', ...rows]
  const dependent = ports.portsDependOn.map((name) => `\`${name}\``).join(', ')
  return [
    `## ${type}`,
    '',
    `**${label}.** ${purpose}`,
    '',
    `- Inputs: ${portList(ports.inputs)}`,
    `- Outputs: ${portList(ports.outputs)}`,
    ...(dependent === '' ? [] : [`- The ports depend on ${dependent}.`]),
    `- Cost: ${cost}`,
    ...settingsTable,
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
  ].join('\n')
}

const portList = (ports: string[]): string =>
  ports.length === 0 ? 'none' : ports.map((port) => `\`${port}\``).join('; ')
