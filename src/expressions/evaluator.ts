// Evaluates the expressions users write. Promises: bounded processor time, memory and result for
// each, and an answer of one of four kinds. Never evaluates in this process.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createIsolatedPool, type Patience, type Reply } from './isolated-pool.ts'
import { sharedScripts } from './isolated-process.ts'
import { createVerdicts } from './verdicts.ts'

export type Evaluation = {
  /** The account: turns are taken between them, and nothing compiled is shared. */
  owner: string
  expression: string
  input: unknown
  /** What $now and $millis say, and what $random and $shuffle start from. */
  nowMs: number
  seed: string
}

/** Both reject with SERVICE_UNAVAILABLE where nothing can be said of the expression itself. */
export type Evaluator = {
  evaluate(evaluation: Evaluation, patience?: Patience): Promise<Reply>
  /** Per expression: what is wrong with it, or null. */
  checkExpressions(owner: string, texts: readonly string[]): Promise<(string | null)[]>
  close(): void
}

const libraryPath = createRequire(import.meta.url).resolve('jsonata')

/** `limitMs` is processor time. */
export function createEvaluator({
  limitMs = 1000,
  patienceMs,
}: Patience & { limitMs?: number } = {}): Evaluator {
  const here = (name: string) => join(import.meta.dirname, name)
  const script = here('expression-process.mts')
  const pool = createIsolatedPool(
    {
      arguments: [script, libraryPath, String(limitMs)],
      readable: [script, ...sharedScripts, join(libraryPath, '..')],
      flags: ['--disallow-code-generation-from-strings'],
    },
    { processes: 2, patienceMs },
  )
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
        texts.map((text) => ({ key: text, ask: () => pool.run(owner, { op: 'parse', text }) })),
      )
      return verdicts.map((verdict) => verdict?.problem ?? null)
    },
    close: pool.close,
  }
}
