// One submission of an image or video. A generation has no idempotency key: if the answer is lost,
// sending it again could generate and bill it twice. So it is looked up among the tasks instead.
import { ApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import { type CreativeKind, type CreativeRequest, creativeBody, creativePath } from './creative.ts'

export type Submitted = { taskId: string; wasLost: boolean }

/** The submission certainly did not arrive: sending it again is safe. */
export class NeverArrived extends Error {
  override name = 'NeverArrived'
}

/** How far apart the clocks of this browser and the server may be. */
const skewMs = 120_000
const lookEveryMs = 2_000
/** A request still in transit may be read later, so its task is looked for this long. */
const lookForMs = 20_000
const searchedCharacters = 100

export async function submitCreative(
  kind: CreativeKind,
  request: CreativeRequest,
  { known, onLost }: { known: ReadonlySet<string>; onLost(): void },
): Promise<Submitted> {
  const sentAtMs = Date.now()
  try {
    const { taskId } = await publicCall<{ taskId: string }>(creativePath(kind), {
      method: 'POST',
      body: creativeBody(request),
    })
    return { taskId, wasLost: false }
  } catch (error) {
    if (!(error instanceof ApiFailure) || !isAmbiguous(error)) throw error
    onLost()
    const taskId = await lookUp(kind, request, { known, sentAtMs })
    if (taskId) return { taskId, wasLost: true }
    throw new NeverArrived()
  }
}

/** No answer, or one that says that the outcome is unknown. */
const isAmbiguous = ({ isUnreachable, status, code }: ApiFailure): boolean =>
  isUnreachable || code === 'OUTCOME_UNKNOWN' || status === 500 || status === 502 || status === 504

async function lookUp(
  kind: CreativeKind,
  { model, prompt }: CreativeRequest,
  { known, sentAtMs }: { known: ReadonlySet<string>; sentAtMs: number },
): Promise<string | null> {
  let searchedMs = 0
  while (searchedMs < lookForMs) {
    const startedMs = Date.now()
    try {
      const { items } = await consoleCall('GET /tasks', {
        query: { kind, model, source: 'DIRECT', q: prompt.trim().slice(0, searchedCharacters) },
      })
      const found = items.find(
        ({ taskId, createdAt }) => !known.has(taskId) && Date.parse(createdAt) >= sentAtMs - skewMs,
      )
      if (found) return found.taskId
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      searchedMs += Date.now() - startedMs
    } catch (error) {
      // While the server cannot be reached nothing is learned, so this time does not count.
      if (!(error instanceof ApiFailure && error.isUnreachable)) throw error
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
    }
  }
  return null
}
