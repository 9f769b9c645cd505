// The first save of a draft gives it a number and a new address. The open session moves there as
// it is: undo reaches back past the save, and nothing is loaded again.
import type { Session } from '#console/canvas/session.ts'

let moving: { workflowId: number; session: Session } | null = null

export const handOver = (workflowId: number, session: Session) => {
  moving = { workflowId, session }
}

export function takeOver(workflowId: number): Session | null {
  const taken = moving?.workflowId === workflowId ? moving.session : null
  moving = null
  return taken
}

export const isMoving = (session: Session): boolean => moving?.session === session
