// The opaque part of a thought, which its vendor wants back unchanged. It names its vendor, because
// a conversation may continue with the model of another, to which it says nothing.
import type { Thought } from '#core/text-stream.ts'

type Signer = 'anthropic' | 'anthropic-redacted' | 'openai'

export const sign = (signer: Signer, value: string): string => `${signer}.${value}`

/** Undefined if the thought is not of this signer. */
export const signedBy = (signer: Signer, { signature = '' }: Thought): string | undefined =>
  signature.startsWith(`${signer}.`) ? signature.slice(signer.length + 1) : undefined
