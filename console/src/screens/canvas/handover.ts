// The first save gives a draft a workflow number and thus a new address. The open session moves
// there as it is: undo still reaches back past the save, and nothing is loaded again.
import type { Session } from '#console/canvas/session.ts'

type Moving = { workflowId: number; session: Session }

let moving: Moving | null = null

export const handOver = (next: Moving) => {
  moving = next
}

export function takeOver(workflowId: number): Moving | null {
  const taken = moving?.workflowId === workflowId ? moving : null
  moving = null
  return taken
}

export const isMoving = (session: Session): boolean => moving?.session === session
