import { toSearchText } from '#core/search-text.ts'
import { browserTools } from '#graph/types/browser.ts'
import { nodeTypes } from '#graph/types/table.ts'
import type { GraphData } from '#store/tables/workflows.ts'

const labels = new Map(
  [...nodeTypes, ...browserTools].map(({ type, canvas }) => [type, canvas.label]),
)

/** Enough for the names of 200 nodes; a longer text would slow down every search. */
const mostChars = 8_000

/**
 * What a workflow is found by: its name, and the labels, types, models and credentials of its nodes.
 * A model ends with `;`, so that one can be told from another whose name begins alike, and a
 * credential is `credential:name;`.
 */
export function workflowSearchText(name: string, { nodes }: GraphData): string {
  const words = new Set<string>([toSearchText(name)])
  for (const { type, data = {} } of nodes) {
    for (const word of [data.label, type, labels.get(type), ...usedIn(data)])
      if (typeof word === 'string') words.add(toSearchText(word))
  }
  return [...words].join('\n').slice(0, mostChars)
}

/** A list is mapped by a step of its own, so models and credentials are also inside settings. */
function usedIn(settings: object): string[] {
  return Object.entries(settings).flatMap(([key, value]) => {
    if (key === 'model' && typeof value === 'string') return [`${value};`]
    if (key === 'credential' && typeof value === 'string') return [`credential:${value};`]
    return typeof value === 'object' && value !== null ? usedIn(value) : []
  })
}

/** The words of a search; all of them must occur. */
export const searchWords = (q: string | undefined): string[] =>
  toSearchText(q ?? '')
    .split(' ')
    .filter((word) => word !== '')
    .slice(0, 10)
