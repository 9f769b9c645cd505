import type { ConnectionLineComponentProps } from '@xyflow/react'
import { useView } from './context.ts'
import { curve } from './geometry.ts'

/** The wire being drawn: from the port to the pointer, in the colour of its type. */
export function NewWire({ fromX, fromY, toX, toY, fromNode }: ConnectionLineComponentProps) {
  const loose = useView((state) => state.connecting?.loose)
  const data = fromNode.data as { ports?: { inputs: Named[]; outputs: Named[] } }
  const ports = loose?.side === 'target' ? data.ports?.inputs : data.ports?.outputs
  const type = ports?.find((port) => port.name === loose?.port)?.type ?? 'any'
  const here = { x: fromX, y: fromY }
  const there = { x: toX, y: toY }
  const path = curve(
    loose?.side === 'target' ? { from: there, to: here } : { from: here, to: there },
  )
  return <path d={path} data-type={type} className="wire wire-new" />
}

type Named = { name: string; type: string }
