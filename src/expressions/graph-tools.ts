import { createTokenCounter } from '#nodes/estimates/token-counter.ts'
import { createEvaluator } from './evaluator.ts'
import { createSchemaChecker } from './schema-checker.ts'

/** Everything that runs users' expressions and schemas or counts their texts, apart from here. */
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
