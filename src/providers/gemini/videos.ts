// The two ways to make a video: Omni by an interaction, Veo by a long-running operation. Both
// return a name under /v1beta, by which the job is polled.
import { type Endpoint, mediaAnswerMaxBytes } from '#providers/http-call.ts'
import type { CallOptions, JobRef, Output, Provider, VideoRequest } from '#providers/provider.ts'
import { badReference } from '#providers/refusal.ts'
import {
  interactionBody,
  isInteraction,
  isOmni,
  readInteractionCancel,
  readInteractionRef,
  readInteractionState,
} from './interactions.ts'
import { veoBody } from './request.ts'
import { readOperationRef, readOperationState } from './response.ts'
import { isOperationName } from './wire.ts'

type Videos = Required<Pick<Provider, 'poll' | 'cancel'>> & {
  submitVideo(request: VideoRequest, options: CallOptions): Promise<{ ref: JobRef }>
}

export function geminiVideos(
  endpoint: Endpoint,
  outputAt: (uri: string) => Output | undefined,
): Videos {
  const pathOf = ({ id }: JobRef): string => {
    if (!isOperationName(id)) throw badReference(endpoint)
    return `/v1beta/${id}`
  }
  return {
    async submitVideo(request, { signal }) {
      const isByInteraction = isOmni(request.model)
      const at = isByInteraction
        ? '/v1beta/interactions'
        : `/v1beta/models/${encodeURIComponent(request.model)}:predictLongRunning`
      const body = JSON.stringify(isByInteraction ? interactionBody(request) : veoBody(request))
      const answer = await endpoint.call({ method: 'POST', at, body, signal })
      return {
        ref: isByInteraction
          ? readInteractionRef(endpoint, answer)
          : readOperationRef(endpoint, answer),
      }
    },
    async poll(ref, { signal }) {
      const call = {
        method: 'GET',
        at: pathOf(ref),
        maxBytes: mediaAnswerMaxBytes,
        signal,
      } as const
      const read = isInteraction(ref) ? readInteractionState : readOperationState
      return read(endpoint, await endpoint.call(call), outputAt)
    },
    async cancel(ref, { signal }) {
      // A Veo operation cannot be cancelled.
      if (!isInteraction(ref)) return 'unsupported'
      const at = `${pathOf(ref)}/cancel`
      return readInteractionCancel(endpoint, await endpoint.call({ method: 'POST', at, signal }))
    },
  }
}
