// The table of node types as plain JSON for editors, derived so that it cannot get out of date.

import { isRecord } from '#core/record.ts'
import type { Canvas } from '../node/canvas.ts'
import type { ModelKind } from '../node/models.ts'
import {
  type Config,
  maxLabelChars,
  type NodeType,
  type Ports,
  type PortType,
  portTypes,
} from '../node/node-type.ts'
import { canConnect } from '../node/values.ts'
import { browserTools } from './browser.ts'
import { nodeTypes } from './table.ts'

type PaletteItem = Omit<Canvas, 'initial'> & {
  type: string
  /** JSON Schema of `data`. */
  config: object
  initial: Config
  /** The ports for the initial data; null if its settings do not determine them yet. */
  ports: Ports | null
  portsDependOn: readonly string[]
  modelKinds: readonly ModelKind[]
  browserOnly: boolean
  branches: boolean
}

export type Palette = {
  portTypes: readonly PortType[]
  /** For each type of input port, the types of output ports that may be connected to it. */
  accepts: Record<PortType, PortType[]>
  items: PaletteItem[]
}

const label = {
  type: 'string',
  maxLength: maxLabelChars,
  title: 'Name',
  description: 'Shown on the node in place of its type.',
}

const paletteOf = (types: readonly NodeType[]): Palette => ({
  portTypes,
  accepts: Object.fromEntries(
    portTypes.map((to) => [to, portTypes.filter((from) => canConnect(from, to))]),
  ) as Palette['accepts'],
  items: types.map(toItem),
})

export const palette: Palette = paletteOf([...nodeTypes, ...browserTools])

function toItem(nodeType: NodeType): PaletteItem {
  const { initial = {}, ...canvas } = nodeType.canvas
  return {
    type: nodeType.type,
    ...canvas,
    config: withTitles({
      ...nodeType.config,
      properties: { label, ...nodeType.config.properties },
    }),
    initial,
    ports: nodeType.ports(initial, () => undefined),
    portsDependOn: nodeType.portsDependOn ?? [],
    modelKinds: nodeType.modelKinds ?? [],
    browserOnly: nodeType.browserOnly ?? false,
    branches: nodeType.branches ?? false,
  }
}

/** Gives every setting a title, derived from its name if the schema has none. */
function withTitles(schema: Record<string, unknown>): Record<string, unknown> {
  if (!isRecord(schema.properties)) return schema
  const properties = Object.entries(schema.properties).map(([name, setting]) => [
    name,
    isRecord(setting) ? { title: titleOf(name), ...withTitles(setting) } : setting,
  ])
  return { ...schema, properties: Object.fromEntries(properties) }
}

function titleOf(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
