import type { WaitTokens } from '#store/wait-tokens.ts'

/** The dependencies of the operations on waits, apart from the store. */
export type WaitServices = {
  tokens: WaitTokens
  /** The secrets of the account's credentials with these names, as far as they exist. */
  secretsOf(accountId: string, names: readonly string[]): Promise<string[]>
}
