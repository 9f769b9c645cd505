// Starts a double and speaks to it over HTTP, wherever it runs.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { Behaviour, JobState, Route } from './behaviour.ts'
import type { Command, ControlState } from './control.ts'
import { startDouble } from './double.ts'
import { type DoubleKind, wires } from './wires.ts'

type Place = { readonly origin: string; readonly url: string; readonly key: string }

export type DoubleProcess = Place & {
  state(): Promise<ControlState>
  script(route: Route, ...behaviours: Behaviour[]): Promise<void>
  always(route: Route, behaviour: Behaviour): Promise<void>
  plan(...states: JobState[]): Promise<void>
  release(): Promise<void>
  arrived(route: Route, count: number): Promise<void>
  stop(): Promise<void>
}

/** One in the process of the test, which outlives the servers too: a fifth of a second cheaper. */
export async function startDoubleHere(kind: DoubleKind, key: string): Promise<DoubleProcess> {
  const { origin, url, close } = await startDouble(wires[kind], { key })
  return controlled({ origin, url, key }, close)
}

export async function startDoubleProcess(
  kind: DoubleKind,
  options: { key?: string } = {},
): Promise<DoubleProcess> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const key = options.key === undefined ? [] : [`--key=${options.key}`]
  const child = spawn(process.execPath, [main, kind, '--follow-stdin', ...key], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return controlled(JSON.parse(await firstLine(child)) as Place, async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.stdin?.end()
    await ended
  })
}

function controlled(place: Place, stop: () => Promise<void>): DoubleProcess {
  const tell = async (command: Command) => {
    const sent = { method: 'POST', headers: json, body: JSON.stringify(command) } as const
    const { body } = await request(`${place.origin}/__double/command`, sent)
    await body.dump()
  }
  return {
    ...place,
    state: async () => {
      const { body } = await request(`${place.origin}/__double/state`)
      return (await body.json()) as ControlState
    },
    script: (route, ...behaviours) => tell({ do: 'script', route, behaviours }),
    always: (route, behaviour) => tell({ do: 'always', route, behaviour }),
    plan: (...states) => tell({ do: 'plan', states }),
    release: () => tell({ do: 'release' }),
    arrived: (route, count) => tell({ do: 'wait', route, count }),
    stop,
  }
}

const json = { 'content-type': 'application/json' }

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the double has no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the double ended before it served')
}
