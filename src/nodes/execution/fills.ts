import type { Config, InputPort, NodeType, Ports } from '../node-type.ts'
import { fillProblem, member } from './values.ts'

/** The constants `data` holds for input ports: the key of the port's name, if not said otherwise. */
export function fillsOf(type: NodeType, data: Config, ports: Ports): Record<string, unknown> {
  const fills: Record<string, unknown> = {}
  for (const { name } of ports.inputs) {
    const value = type.fill ? type.fill(data, name) : member(data, name)
    if (value !== undefined) fills[name] = value
  }
  return fills
}

/** Why a port cannot take the constant it is given; null also where it is given none. */
export const fillMistake = ({ name, type }: InputPort, fills: Config): string | null =>
  Object.hasOwn(fills, name) ? fillProblem(type, fills[name]) : null
