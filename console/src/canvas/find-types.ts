import type { NodeTypeInfo } from './node-types.ts'

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

/**
 * Types whose label, type or help contains every word; those whose label starts with the first word
 * come first.
 */
export function findTypes(items: readonly NodeTypeInfo[], search: string): NodeTypeInfo[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (info: NodeTypeInfo) => (info.label.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1)
  return items
    .filter((info) => {
      const text = `${info.label} ${info.type} ${info.help}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .sort((a, b) => (words.length === 0 ? 0 : rank(a) - rank(b)))
}

export const groupTypes = (items: readonly NodeTypeInfo[]): TypeGroup[] =>
  [...Map.groupBy(items, (info) => info.group)].map(([group, found]) => ({
    name: groupLabels[group] ?? group,
    items: found,
  }))
