// A text that a node has a model write: at once or, if the run has a deadline, perhaps in a batch.
import { ownerOf, usableModel } from '#core/catalogue.ts'
import { Failure } from '#core/errors.ts'
import type { TextCall as EngineTextCall } from '#core/generation.ts'
import { isRouteId } from '#core/route.ts'
import { withRoutes } from '#core/routed-catalogue.ts'
import type { Answer, NodeExecution } from '#graph/node/node-type.ts'
import { ProviderError } from '#providers/provider.ts'
import { isSafeToRepeat } from '../calls/provider-failure.ts'
import { highestCost } from '../calls/text-models.ts'
import type { CallSite } from './call-site.ts'
import { showDelay } from './delay-call.ts'
import { economyCall } from './economy-call.ts'
import type { OnTier } from './flex-call.ts'
import { type OutsideCall, recordedCall } from './make-call.ts'
import type { NodeScope } from './node-scope.ts'
import { waitEnd } from './recorded-call.ts'
import { asAnswer, isUsableFor, type StoredAnswer } from './stored-answer.ts'

type TextCall = Parameters<NodeExecution['generateText']>[0]

export async function generateText(
  scope: NodeScope,
  site: CallSite,
  call: TextCall,
): Promise<Answer> {
  const asked = askedBy(scope, call)
  const normal = textCall(scope, site, { call, asked })
  const deadlineMs = scope.work.row.options?.deadlineMs
  const stored = await (deadlineMs === undefined
    ? recordedCall(scope, site, normal)
    : economyCall(scope, site, {
        ...{ normal, asked, deadlineMs },
        flex: (onTier) =>
          textCall(scope, site, { call, asked: { ...asked, tier: 'flex' }, onTier }),
      }))
  return asAnswer(stored)
}

function askedBy({ work }: NodeScope, call: TextCall): EngineTextCall {
  const { model, prompt, system, image, temperature, maxTokens, responseFormat, credential } = call
  const content = image
    ? [
        { type: 'text', text: prompt },
        { type: 'image_url', image_url: { url: image.url } },
      ]
    : prompt
  return {
    ...{ modelId: model, credential, systemPrompt: system, maxTokens, responseFormat, temperature },
    isCostLimited: work.row.max_cost_micros !== null,
    principal: work.spender,
    messages: [{ role: 'user', content }],
  }
}

function textCall(
  scope: NodeScope,
  site: CallSite,
  { call, asked, onTier }: { call: TextCall; asked: EngineTextCall; onTier?: OnTier },
): OutsideCall<StoredAnswer> {
  const { deps, work, halt } = scope
  const { model } = call
  const request = { kind: 'TEXT', call } as const
  return {
    kind: 'TEXT',
    model,
    request,
    isUsable: (stored) => isUsableFor(request, stored),
    isSafe: false,
    neededMicros: asked.isCostLimited ? neededFor(deps, asked, call) : null,
    async perform(step, { sinceMs, payAgain }) {
      const { text, finish, costMicros, modelId, tier } = await deps.generateText(
        {
          ...asked,
          principal: work.spender,
          origin: {
            runId: work.row.id,
            nodeId: step.path,
            workerId: work.claim.owner,
            ending: halt.ending(),
          },
        },
        // Once sent it may be billed, so it is not cut off when the run stops, only by its own time
        // limit or the end of the process.
        {
          signal: deps.leaving,
          waitUntil: () => waitEnd(scope),
          ...(asked.isCostLimited ? { payAgain } : {}),
          waiting: {
            sinceMs,
            began: (delay) => showDelay(scope, site, { path: step.path, delay }),
          },
        },
      )
      await onTier?.(tier)
      const value = finish === 'stop' ? text : { text, finish }
      // A fallback answers in place of the model that was asked for; a candidate of a route is that.
      return { value, costMicros, isReusable: modelId === model || isRouteId(model) }
    },
    repeatAfterMs: repeatTextAfterMs,
  }
}

/** The same bound as under a spend limit. Every picture counts the same, so none is loaded. */
function neededFor(
  { catalogue }: NodeScope['deps'],
  asked: EngineTextCall,
  { prompt, image }: TextCall,
): number | null {
  const { modelId, credential, principal } = asked
  const models = withRoutes(catalogue, principal.routes)
  if (!usableModel(models, modelId, ownerOf(credential))) return null
  const text = { type: 'text', text: prompt } as const
  const unseen = { type: 'image', media: { bytes: new Uint8Array(), mimeType: '' } } as const
  const content = image ? [text, unseen] : [text]
  return highestCost(catalogue, asked, [{ role: 'user', content }])
}

function repeatTextAfterMs(error: unknown): number | null {
  if (error instanceof Failure && !error.startedNothing) return null
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof ProviderError) || !isSafeToRepeat(cause)) return null
  return cause.retryAfterMs ?? 0
}
