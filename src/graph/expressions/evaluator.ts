// Evaluates the expressions users write. Each has bounded processor time, memory and result size,
// and gets one of four kinds of reply. Nothing is evaluated in this process.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createIsolatedPool, type Patience, type Reply } from '#isolation/isolated-pool.ts'
import { sharedScripts } from '#isolation/isolated-process.ts'
import { createVerdicts } from './verdicts.ts'

export type Evaluation = {
  /** The account. Accounts are served round-robin and never share compiled code. */
  owner: string
  expression: string
  input: unknown
  /** The value of $now and $millis; `seed` is the seed of $random and $shuffle. */
  nowMs: number
  seed: string
}

/** Both methods reject with SERVICE_UNAVAILABLE if this server could not evaluate at all. */
export type Evaluator = {
  evaluate(evaluation: Evaluation, patience?: Patience): Promise<Reply>
  /** For each expression, its problem or null. */
  checkExpressions(owner: string, texts: readonly string[]): Promise<(string | null)[]>
  close(): void
}

const libraryPath = createRequire(import.meta.url).resolve('jsonata')

/** `limitMs` is processor time. */
export function createEvaluator({
  limitMs = 1000,
  patienceMs,
}: Patience & { limitMs?: number } = {}): Evaluator {
  const script = fileURLToPath(new URL('./expression-process.mjs', import.meta.url))
  const program = {
    arguments: [script, libraryPath, String(limitMs)],
    readable: [script, ...sharedScripts, join(libraryPath, '..')],
    flags: ['--disallow-code-generation-from-strings'],
  }
  const pool = createIsolatedPool(program, { processes: 2, patienceMs })
  // A process of its own, because somebody who saves a workflow must not wait for running ones.
  const parsing = createIsolatedPool(program, { processes: 1, patienceMs })
  const judge = createVerdicts<{ problem: string | null }>(
    (value) => {
      const { problem, spentMs } = value as { problem: string | null; spentMs: number }
      return { verdict: { problem }, spentMs }
    },
    (reason) => ({ problem: `It takes too long to read: shorten it. ${reason}` }),
  )
  return {
    evaluate: ({ owner, expression, ...rest }, patience) =>
      pool.run(owner, { op: 'evaluate', owner, text: expression, ...rest }, patience),
    async checkExpressions(owner, texts) {
      const verdicts = await judge(
        texts.map((text) => ({ key: text, ask: () => parsing.run(owner, { op: 'parse', text }) })),
      )
      return verdicts.map((verdict) => verdict?.problem ?? null)
    },
    close() {
      pool.close()
      parsing.close()
    },
  }
}
