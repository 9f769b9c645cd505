// The control interface of a double, for tests in another process: reads what happened and sets
// what to do.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Behaviour, Counts, Job, JobState, Recorded, Route } from './behaviour.ts'
import type { State } from './double-state.ts'
import { readBody } from './read-body.ts'

export type ControlState = { counts: Counts; jobs: Job[]; requests: Recorded[] }

export type Command =
  | { do: 'script'; route: Route; behaviours: Behaviour[] }
  | { do: 'always'; route: Route; behaviour: Behaviour }
  | { do: 'plan'; states: JobState[] }
  | { do: 'release' }
  | { do: 'reset' }
  /** Answers only once this many requests of the route have arrived. */
  | { do: 'wait'; route: Route; count: number }

export async function answerControl(
  state: State,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (path === '/__double/state') {
    const { counts, jobs, requests } = state
    const seen: ControlState = { counts, jobs, requests }
    return answer(response, seen)
  }
  const command = (await readBody(request)) as Command
  switch (command.do) {
    case 'script':
      state.script(command.route, ...command.behaviours)
      break
    case 'always':
      state.always(command.route, command.behaviour)
      break
    case 'plan':
      state.plan(...command.states)
      break
    case 'release':
      state.release()
      break
    case 'reset':
      state.reset()
      break
    case 'wait':
      await state.arrived(command.route, command.count)
      break
    default:
      command satisfies never
  }
  answer(response, { ok: true })
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
