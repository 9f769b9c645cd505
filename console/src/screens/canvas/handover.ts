// The first save of a draft gives it a number and a new address. The open session moves there as
// it is: undo reaches back past the save, and nothing is loaded again. Whoever pressed Run is
// asked for the inputs there.
import type { Session } from '#console/canvas/session.ts'

type Moving = { workflowId: number; session: Session; isRunNext: boolean }

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
