// Starts a double in its own process and speaks to it over HTTP.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import type { Behaviour, JobState, Route } from './behaviour.ts'
import type { Command, ControlState } from './control.ts'
import type { DoubleKind } from './wires.ts'

export type DoubleProcess = {
  readonly origin: string
  readonly url: string
  readonly key: string
  state(): Promise<ControlState>
  script(route: Route, ...behaviours: Behaviour[]): Promise<void>
  always(route: Route, behaviour: Behaviour): Promise<void>
  plan(...states: JobState[]): Promise<void>
  release(): Promise<void>
  arrived(route: Route, count: number): Promise<void>
  stop(): Promise<void>
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
  const started = JSON.parse(await firstLine(child)) as { origin: string; url: string; key: string }
  const tell = async (command: Command) => {
    const sent = { method: 'POST', headers: json, body: JSON.stringify(command) } as const
    const { body } = await request(`${started.origin}/__double/command`, sent)
    await body.dump()
  }
  return {
    ...started,
    state: async () => {
      const { body } = await request(`${started.origin}/__double/state`)
      return (await body.json()) as ControlState
    },
    script: (route, ...behaviours) => tell({ do: 'script', route, behaviours }),
    always: (route, behaviour) => tell({ do: 'always', route, behaviour }),
    plan: (...states) => tell({ do: 'plan', states }),
    release: () => tell({ do: 'release' }),
    arrived: (route, count) => tell({ do: 'wait', route, count }),
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.stdin?.end()
      await ended
    },
  }
}

const json = { 'content-type': 'application/json' }

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the double has no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the double ended before it served')
}
