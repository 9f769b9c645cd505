import { defaultTagKey } from '#core/budgets.ts'
import { invalid } from '#core/errors.ts'
import type { Principal } from '#core/principal.ts'
import type { Context } from '../context.ts'

/** The tag that a caller sent, as the header or with the run. */
export function sentTag(
  { tag, isTagSent }: Principal,
  ofRun: string | null | undefined,
): string | undefined {
  const ofHeader = isTagSent ? tag : undefined
  if (ofRun == null || ofHeader === undefined || ofRun === ofHeader) return ofRun ?? ofHeader
  const message = 'tag differs from the header X-Atelier-Tag'
  throw invalid('INPUT_INVALID', [{ path: '/tag', rule: 'header', message }], `${message}.`)
}

/** The caller as a run of the workflow spends: under the sent tag, else its own, else the key's. */
export function asRunOf<Caller extends Context>(
  context: Caller,
  workflowId: number,
  sent: string | undefined,
): Caller {
  const { principal } = context
  const ofWorkflow = principal.spending?.tags?.[defaultTagKey('workflow', workflowId)]
  const tag = sent ?? ofWorkflow ?? principal.tag
  return { ...context, principal: { ...principal, tag, workflowId } }
}
