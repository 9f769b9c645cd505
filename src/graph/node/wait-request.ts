// What a node that waits asks of the engine, and how that ends.
import type { WaitAnswer, WaitDetails, WaitKind } from '#core/wait-facts.ts'

export type WaitRequest = {
  kind: WaitKind
  title: string
  /** Shown to whoever answers. After a retry, an answer counts again only for an equal value. */
  value: unknown
  /** When it passes or expires. */
  time: { afterMs: number } | { untilMs: number }
  details: WaitDetails
  /** Called once the wait is stored, before anything is waited for. */
  onOpen?(wait: { callbackUrl: string }): Promise<void>
}

/** `atMs`: when it was answered, or was due. */
export type WaitEnd =
  | { status: 'PASSED' | 'EXPIRED'; atMs: number }
  | { status: 'ANSWERED'; atMs: number; answer: WaitAnswer }

/** What an item of a list needs while it does anything; there are as many as may be at once. */
export type ItemPlace = { release(): void; take(): Promise<void> | undefined }
