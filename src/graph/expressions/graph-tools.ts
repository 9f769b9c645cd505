import type { Patience } from '#isolation/isolated-pool.ts'
import { createTokenCounter } from '../estimates/token-counter.ts'
import { createEvaluator } from './evaluator.ts'
import { createSchemaChecker } from './schema-checker.ts'

export type GraphTools = ReturnType<typeof openGraphTools>

/** Evaluates users' expressions, checks their schemas and counts tokens outside this thread. */
export function openGraphTools(patience: Patience = {}) {
  const evaluator = createEvaluator(patience)
  const schemas = createSchemaChecker(patience)
  // Running workflows have processes of their own, so that no request waits for them.
  const schemasOfRuns = createSchemaChecker(patience)
  const tokens = createTokenCounter(patience)
  return {
    evaluate: evaluator.evaluate,
    checkExpressions: evaluator.checkExpressions,
    checkSchemas: schemas.checkSchemas,
    checkRunSchemas: schemasOfRuns.checkSchemas,
    countTokens: tokens.count,
    async close() {
      evaluator.close()
      schemas.close()
      schemasOfRuns.close()
      await tokens.close()
    },
  }
}
