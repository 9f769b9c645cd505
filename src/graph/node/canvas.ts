// How node types appear on the canvas.

export const nodeGroups = [
  'input',
  'generate',
  'shape',
  'flow',
  'connect',
  'output',
  'browser',
] as const

export type Canvas = {
  label: string
  group: (typeof nodeGroups)[number]
  /** Name of a lucide icon. */
  icon: string
  help: string
  /** The `data` of a node that was just added to the canvas. */
  initial?: Readonly<Record<string, unknown>>
}
