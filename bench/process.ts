import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { LoadPlan, LoadResult } from './load.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export type Target = AsyncDisposable & { url: string; pid: number; child: ChildProcess }

/** Starts a script that prints `{"url":…}` once it is serving. */
export async function startTarget(
  script: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Target> {
  const child = spawn(process.execPath, [here(script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  })
  if (!child.stdout) throw new Error(`${script} has no output`)
  const lines = createInterface({ input: child.stdout })
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
    lines.on('line', (line) => {
      if (line.startsWith('{"url"')) resolve(JSON.parse(line).url)
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
    },
  }
}

/** Runs the load generator in its own process, so that it does not share our event loop. */
export async function load(plan: LoadPlan): Promise<LoadResult> {
  const child = spawn(process.execPath, [here('./load.ts'), JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const chunk of child.stdout) text += chunk
  const result = JSON.parse(text) as LoadResult
  if (result.unexpected > 0)
    throw new Error(`${plan.path}: ${result.unexpected} answers had another status`)
  return result
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
