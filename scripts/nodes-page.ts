// Generates docs/nodes.md from the table of node types.

import { type NodeReference, nodeReferences } from '../src/api/public/workflows/node-reference.ts'
import { schemaRows } from '../src/http/pages/schema-rows.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')

export const nodesPage = (): string => `# Node types

A workflow is a graph: \`{"nodes": […], "connections": […]}\`. A node has an \`id\` (letters, digits, \`_\` and \`-\`, at most 64 characters), a \`type\` and its settings in \`data\`. Every node also takes \`label\`, the name that the canvas shows. An input port that is not connected can have a constant: the member of \`data\` with its name. A connection is \`{"source", "sourceHandle"?, "target", "targetHandle"?}\`; without a handle it uses the first port.

A node can be left out of runs without being removed, by \`mode\` beside its \`type\`. With \`"mode": "mute"\` it is not executed and has no results: nodes that need them are skipped, as behind the branch of a condition that is not taken; a \`flow.merge\` takes what it gets; a muted input need not be given. With \`"mode": "bypass"\` it is not executed either, but each output passes on the first connected input of the same type: behind a bypassed \`text.generate\`, the prompt. If there is no such input, what follows is skipped, and validation warns. Such a node is \`SKIPPED\` in a run, costs nothing in estimates, and may name a model that is not available; its settings are checked like any others. Keys that are not listed here are kept and mean nothing; the canvas keeps its groups and notes in \`groups\` and \`notes\` beside \`nodes\`.

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
