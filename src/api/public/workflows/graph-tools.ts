type SchemaAnswer =
  | { issues: readonly { path: string; rule: string; message: string }[] }
  | { schema: string }

/** What graphs need apart from the store. Code that users wrote runs in isolated processes. */
export type GraphTools = {
  evaluate(evaluation: {
    owner: string
    expression: string
    input: unknown
    nowMs: number
    seed: string
  }): Promise<{ value: unknown } | { error: string } | { limit: string } | { tooDeep: string }>
  checkExpressions(owner: string, texts: readonly string[]): Promise<readonly (string | null)[]>
  checkSchemas(
    owner: string,
    checks: readonly { schema: object; value?: unknown }[],
  ): Promise<readonly SchemaAnswer[]>
  countTokens(text: string): Promise<number>
  /** Returns the normalised address. Throws CALLBACK_URL_REJECTED. */
  checkCallbackUrl(url: string): Promise<string>
}
