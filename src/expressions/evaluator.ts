// Evaluates the expressions users write. Promises: a bounded time, memory and result for each,
// and an answer of one of three kinds. Never evaluates in this process.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createIsolatedPool, type Reply } from './isolated-pool.ts'

export type Evaluation = {
  /** The account: turns are taken between them, and nothing compiled is shared. */
  owner: string
  expression: string
  input: unknown
  /** What $now and $millis say, and what $random and $shuffle start from. */
  nowMs: number
  seed: string
}

export type Evaluator = {
  evaluate(evaluation: Evaluation): Promise<Reply>
  /** Per expression: what is wrong with it, or null. */
  checkExpressions(owner: string, texts: readonly string[]): Promise<(string | null)[]>
  close(): void
}

const libraryPath = createRequire(import.meta.url).resolve('jsonata')

const maxJudged = 2_000

const toProblem = (answer: unknown) => (typeof answer === 'string' ? answer : null)

export function createEvaluator({ processes = 2, limitMs = 1000 } = {}): Evaluator {
  const here = (name: string) => join(import.meta.dirname, name)
  const script = here('expression-process.mts')
  const pool = createIsolatedPool(
    {
      // The library stops itself a little earlier, which spares a new process.
      arguments: [script, libraryPath, String(Math.floor(limitMs * 0.9))],
      readable: [script, here('job-loop.mts'), join(libraryPath, '..')],
      flags: ['--disallow-code-generation-from-strings'],
    },
    { processes, limitMs },
  )
  // What is wrong with a text depends on nothing else; a canvas asks again at every change.
  const judged = new Map<string, string | null>()
  return {
    evaluate: ({ owner, expression, ...rest }) =>
      pool.run(owner, { op: 'evaluate', owner, text: expression, ...rest }),
    async checkExpressions(owner, texts) {
      const open = [...new Set(texts)].filter((text) => !judged.has(text))
      if (open.length > 0) {
        const reply = await pool.run(owner, { op: 'parse', texts: open })
        const answers = 'value' in reply && Array.isArray(reply.value) ? reply.value : null
        if (!answers) {
          const reason = 'limit' in reply ? reply.limit : ''
          const problem = `It takes too long to read: shorten it. ${reason}`
          return texts.map((text) => judged.get(text) ?? problem)
        }
        for (const [i, text] of open.entries()) judged.set(text, toProblem(answers[i]))
      }
      const problems = texts.map((text) => judged.get(text) ?? null)
      if (judged.size > maxJudged) judged.clear()
      return problems
    },
    close: pool.close,
  }
}
