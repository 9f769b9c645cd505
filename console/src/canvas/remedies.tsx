import { Button } from '#console/ui/button.tsx'
import { type Actions, removeWire } from './actions.ts'
import { useGraph, useReadOnly } from './context.ts'
import { focusGraph } from './graph-element.ts'
import { lostWire } from './lost-wire.ts'
import type { PlacedProblem } from './placed-problem.ts'

/** More are chosen from by connecting the wire anew. */
const mostOffered = 3

/** What mends a problem at one click: a wire whose port is gone is led to another, or removed. */
export function Remedies({ problem, actions }: { problem: PlacedProblem; actions: Actions }) {
  const lost = lostWire(problem, useGraph())
  if (useReadOnly() || !lost) return null
  const offered = lost.free.length > mostOffered ? [] : lost.free
  return (
    <span className="flex flex-wrap gap-2">
      {offered.map((port) => (
        <Button
          key={port}
          size="small"
          onClick={() => {
            actions.reconnect(lost, port)
            focusGraph()
          }}
        >
          Connect to {port}
        </Button>
      ))}
      <Button
        size="small"
        variant="quiet"
        onClick={() => {
          actions.disconnect(removeWire(lost.wire))
          focusGraph()
        }}
      >
        Remove the wire
      </Button>
    </span>
  )
}
