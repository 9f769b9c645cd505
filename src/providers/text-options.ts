// Parameters that not every provider supports. A request with an unsupported one is refused before
// the call, because silently dropping it would change the answer.
import type { HostedForm, TextOptions } from '#core/text-stream.ts'
import { ProviderError, type TextRequest } from './provider.ts'
import type { Upstream } from './upstream.ts'

/** As OpenAI's API names them. */
const names = {
  frequencyPenalty: 'frequency_penalty',
  presencePenalty: 'presence_penalty',
  logitBias: 'logit_bias',
  verbosity: 'verbosity',
  topLogprobs: 'logprobs',
  choices: 'n',
} satisfies Record<keyof TextOptions, string>

type Option = keyof TextOptions

export function refuseOptions(
  { name }: Pick<Upstream, 'name'>,
  request: TextRequest,
  taken: readonly Option[] = [],
): void {
  for (const option of Object.keys(names) as Option[]) {
    if (request[option] === undefined || taken.includes(option)) continue
    const param = names[option]
    const message = `${name}: does not support ${param} with this model`
    throw new ProviderError('invalid', { outcome: 'not_sent', message, param })
  }
}

/** `form`: the vendor whose search on the web the adapter can ask for, if any. */
export function refuseSearch(
  { name }: Pick<Upstream, 'name'>,
  { webSearch }: TextRequest,
  form?: HostedForm,
): void {
  if (!webSearch || webSearch.form === form) return
  const message = `${name}: does not search the web as this request asks for`
  throw new ProviderError('invalid', { outcome: 'not_sent', message, param: 'tools' })
}
