import { useEffect } from 'react'
import { useGraph, useSessionOf, useShown, useView } from '#console/canvas/context.ts'
import { editedSince } from './edited.ts'
import { heightsOf, roomFor } from './room.ts'

/** After a drop, an edit or a change of the run: which results have room, and which are older. */
export function useRoom() {
  const { shown } = useSessionOf()
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const isDragging = useView((state) => state.dragged.size > 0)
  const run = useShown((state) => state.run)
  const pins = useShown((state) => state.pins)
  useEffect(() => {
    if (isDragging) return
    const heights = heightsOf({ run, pins })
    const before = shown.getState()
    const open = roomFor(graph, portsOf, heights)
    const edited = run ? editedSince(run.state.graph, graph) : new Set<string>()
    if (!isSame(before.open, open) || !isSame(before.edited, edited))
      shown.setState({ open, edited })
  }, [shown, graph, portsOf, isDragging, run, pins])
}

const isSame = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((id) => b.has(id))
