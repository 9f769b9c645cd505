import type { NodeTypeInfo } from './node-types.ts'
import { searchRank, searchTextOf, wordsFor } from './other-words.ts'

const groupLabels: Record<string, string> = {
  input: 'Inputs',
  generate: 'Generate',
  shape: 'Shape',
  flow: 'Flow',
  connect: 'Connect',
  output: 'Outputs',
  browser: 'In the browser',
}

export type TypeGroup = { readonly name: string; readonly items: readonly NodeTypeInfo[] }

/** Types whose label, type, help or other names contain every word, the likeliest first. */
export function findTypes(items: readonly NodeTypeInfo[], search: string): NodeTypeInfo[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (info: NodeTypeInfo) => searchRank(info.label, wordsFor(info.type), words[0] ?? '')
  return items
    .filter((info) => {
      const text = searchTextOf(info).toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .sort((a, b) => (words.length === 0 ? 0 : rank(a) - rank(b)))
}

export const groupTypes = (items: readonly NodeTypeInfo[]): TypeGroup[] =>
  [...Map.groupBy(items, (info) => info.group)].map(([group, found]) => ({
    name: groupLabels[group] ?? group,
    items: found,
  }))

const startWords =
  'start schedule or webhook trigger cron timer every weekly daily once automatic http'

/** Whether somebody looks for what starts a workflow, which is no node here. */
export const startsMatch = (search: string): boolean =>
  search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => startWords.includes(word))
