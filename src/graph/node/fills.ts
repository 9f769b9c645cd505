import type { Config, InputPort, NodeType, Ports } from './node-type.ts'
import { fillProblem } from './port-values.ts'
import { member } from './values.ts'

/** The constants in `data` for input ports, by default under the port's name. */
export function fillsOf(type: NodeType, data: Config, ports: Ports): Record<string, unknown> {
  const fills: Record<string, unknown> = {}
  for (const { name } of ports.inputs) {
    const value = type.fill ? type.fill(data, name) : member(data, name)
    if (value !== undefined) fills[name] = value
  }
  return fills
}

/** Why the constant does not fit the port. Null if it does, or if there is none. */
export const fillMistake = ({ name, type }: InputPort, fills: Config): string | null =>
  Object.hasOwn(fills, name) ? fillProblem(type, fills[name]) : null
