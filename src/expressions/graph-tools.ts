import { createTokenCounter } from '#nodes/estimates/token-counter.ts'
import { createEvaluator } from './evaluator.ts'
import { createSchemaChecker } from './schema-checker.ts'

/** Evaluates users' expressions, checks their schemas and counts tokens outside this thread. */
export function openGraphTools() {
  const evaluator = createEvaluator()
  const schemas = createSchemaChecker()
  const tokens = createTokenCounter()
  return {
    evaluate: evaluator.evaluate,
    checkExpressions: evaluator.checkExpressions,
    checkSchemas: schemas.checkSchemas,
    countTokens: tokens.count,
    async close() {
      evaluator.close()
      schemas.close()
      await tokens.close()
    },
  }
}
